from __future__ import annotations

from collections.abc import Callable

from deidra.app.decide.policy import load_policy
from deidra.app.decide.verdict import verdict_of
from deidra.app.detect.documents import page_drafts
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.model import FrameText, TextLine, Verdict
from deidra.app.domain.taxonomy import EntityType

Line = Callable[..., TextLine]
DOCUMENTS = load_policy("documents")
_PHONE = "(555) 123-4567"


def verdicts(line: Line, tagger: EntityTagger, *texts: str, step: int = 14) -> dict[str, tuple[str, Verdict]]:
    lines = tuple(line(text, 10, 10 + step * number) for number, text in enumerate(texts))
    found = page_drafts(FrameText(0, 1000, 1000, lines), tagger, DOCUMENTS.page_rules)
    return {d.text: (d.type.value if d.type else "", verdict_of(d, DOCUMENTS)) for d in found}


def test_the_head_of_a_letter_is_of_an_office(line: Line, tagger: EntityTagger) -> None:
    found = verdicts(line, tagger, "Quux Widgets Inc.", "99 Main Street, Suite 400", "Dayton, OH 45402", _PHONE)
    assert all(verdict is Verdict.IGNORE for _, verdict in found.values())


def test_the_head_of_a_resume_is_of_a_home(line: Line, tagger: EntityTagger) -> None:
    texts = ["RESUME", "Susan Miller", "12 Oak Street", "Dayton, OH 45402", _PHONE]
    sections = ["", "OBJECTIVE", "", "EDUCATION", "", "REFERENCES"]
    found = verdicts(line, tagger, *texts, *sections)
    assert found["12 Oak Street"][0] == EntityType.LOCATION_HOME_ADDRESS
    assert found["Dayton, OH 45402"][0] == EntityType.LOCATION_HOME_ADDRESS
    assert found[_PHONE][0] == EntityType.PHONE_HOME
    assert found["Susan Miller"][0] == EntityType.PATIENT


def test_what_stands_below_the_heading_of_an_employer_is_of_an_office(line: Line, tagger: EntityTagger) -> None:
    found = verdicts(line, tagger, "EMPLOYER INFORMATION", "Name of firm: Quux", f"Phone: {_PHONE}")
    assert found[f"Phone: {_PHONE}"] == ("", Verdict.IGNORE)


def test_what_stands_below_the_heading_of_a_patient_is_of_a_home(line: Line, tagger: EntityTagger) -> None:
    found = verdicts(line, tagger, "PATIENT INFORMATION", "", f"Phone: {_PHONE}")
    assert found[_PHONE][0] == EntityType.PHONE_HOME


def test_a_label_counts_more_than_what_stands_around_it(line: Line, tagger: EntityTagger) -> None:
    found = verdicts(line, tagger, "PATIENT INFORMATION", "Date of birth: 3/2/1970", f"Work phone: {_PHONE}")
    assert found[f"Work phone: {_PHONE}"] == ("", Verdict.IGNORE)
    other = "(555) 765-4321"
    found = verdicts(line, tagger, "EMPLOYER", "Company: Quux Inc.", f"Home phone: {other}")
    assert found[other][0] == EntityType.PHONE_HOME
