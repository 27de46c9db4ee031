"""The catalogues: complete, of the same fields as the source, and compiled."""

from __future__ import annotations

import gettext
import importlib.util
import io
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Message
from babel.messages.mofile import write_mo

from deidra.app.decide.editing import changed, differences, with_definition, with_device
from deidra.app.decide.explain import explained
from deidra.app.decide.policy import PRESETS, DocumentFormat, Doubt, Policy, load_policy
from deidra.app.decide.redaction import Fill
from deidra.app.decide.second import Strata
from deidra.app.detect.definitions.definition import Definition
from deidra.app.detect.definitions.induce import induced
from deidra.app.detect.definitions.shapes import Kind, Run, Shape
from deidra.app.detect.devices import DeviceAction, DeviceRule
from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import Action
from deidra.app.domain.taxonomy import TYPES, EntityType
from deidra.app.metadata.engine import EDITION
from deidra.ui import translation, words
from deidra.ui.actions import BINDINGS
from deidra.ui.faults import error_words
from deidra.ui.policy_words import policy_lines
from deidra.ui.reasons import form_words, reason_words
from deidra.ui.translation import DOMAIN, LOCALE, Language, later, tr, trc, trn, use

ROOT = Path(__file__).resolve().parents[3]
SPEC = importlib.util.spec_from_file_location("catalogue", ROOT / "packaging" / "catalogue.py")
assert SPEC is not None
assert SPEC.loader is not None
catalogue = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(catalogue)

GERMAN = catalogue.read("de")
MESSAGES = [message for message in GERMAN if message.id]


def forms(text: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def key(message: Message) -> tuple[str, str]:
    return message.context or "", forms(message.id)[0]


@pytest.fixture
def german(english: None) -> None:
    use(Language.GERMAN)


def test_the_catalogue_has_every_text_of_the_source_and_no_other() -> None:
    source = [message for message in catalogue.gathered() if message.id]
    assert len(source) > 1000
    assert {key(message) for message in MESSAGES} == {key(message) for message in source}
    assert {key(m): forms(m.id) for m in MESSAGES} == {key(m): forms(m.id) for m in source}


@pytest.mark.parametrize("place", sorted({message.locations[0][0] for message in MESSAGES}))
def test_every_text_is_translated_with_the_same_fields_and_both_forms(place: str) -> None:
    pairs = []
    for message in MESSAGES:
        if message.locations[0][0] == place:
            assert len(forms(message.string)) == len(forms(message.id))
            assert not message.fuzzy
            pairs += zip(forms(message.id), forms(message.string), strict=True)
    assert pairs
    for here, there in pairs:
        assert there
        assert fields(there) == fields(here)
        assert ("&" in there) == ("&" in here)
        # A command that asks something first ends so; a sentence may name such a command.
        assert there.endswith("…") == here.endswith("…") or len(here) > 30
        # Blanks around a text are meant: they stand between what is joined.
        assert (there[:1] == " ", there[-1:] == " ") == (here[:1] == " ", here[-1:] == " ")
        assert "\t" not in there


def test_the_compiled_catalogue_says_what_the_edited_one_says() -> None:
    compiled = io.BytesIO()
    write_mo(compiled, GERMAN)
    path = LOCALE / "de" / "LC_MESSAGES" / f"{DOMAIN}.mo"
    with path.open("rb") as stream:
        shipped = gettext.GNUTranslations(stream)
    compiled.seek(0)
    expected = gettext.GNUTranslations(compiled)
    for message in MESSAGES:
        one, *many = forms(message.id)
        if many:
            for count in (0, 1, 2, 1000):
                assert shipped.ngettext(one, many[0], count) == expected.ngettext(one, many[0], count)
            assert shipped.ngettext(one, many[0], 1) == message.string[0]
            assert shipped.ngettext(one, many[0], 2) == message.string[1]
        elif message.context:
            assert shipped.pgettext(message.context, one) == message.string
        else:
            assert shipped.gettext(one) == message.string


def test_german_addresses_people_formally() -> None:
    informal = re.compile(r"\b([Dd]u|[Dd]ich|[Dd]ir|[Dd]ein\w*)\b")
    assert [form for message in MESSAGES for form in forms(message.string) if informal.search(form)] == []


def test_one_english_text_of_a_menu_has_one_german_one() -> None:
    # The rail, the menu and the page of one name are told by the same word.
    plain = {forms(m.id)[0]: forms(m.string)[0] for m in MESSAGES if not m.context}
    for binding in BINDINGS:
        if binding.group == "Go":
            bare = binding.text.replace("&", "")
            assert plain[binding.text].replace("&", "") == plain[bare]


@pytest.mark.parametrize("kind", list(EntityType))
def test_every_type_has_a_german_name(german: None, kind: EntityType) -> None:
    assert words.type_label(kind) != TYPES[kind].label
    assert words.type_label(kind)


@pytest.mark.parametrize("action", list(Action))
def test_every_action_has_german_words(german: None, action: Action) -> None:
    assert tr(action.value) != action.value
    assert tr(words.ACTION_WORDS[action]) != words.ACTION_WORDS[action]


def test_the_parts_of_a_policy_have_german_names(german: None) -> None:
    before, after = load_policy("basic"), load_policy("gdpr")
    named = differences(before, after)
    assert named
    assert all(tr(name) != name for name in named)


def test_numbers_follow_the_language(german: None) -> None:
    assert translation.number(1234567) == "1.234.567"
    assert translation.decimal(0.314, 2) == "0,31"
    use(Language.ENGLISH)
    assert translation.number(1234567) == "1,234,567"
    assert translation.decimal(0.314, 2) == "0.31"


@pytest.mark.parametrize(
    ("count", "told", "shown"),
    [(1, "1 file", "1 Datei"), (0, "0 files", "0 Dateien"), (1204, "1,204 files", "1.204 Dateien")],
)
def test_the_form_goes_with_the_count(german: None, count: int, told: str, shown: str) -> None:
    assert trn("{count} file", "{count} files", count) == shown
    use(Language.ENGLISH)
    assert trn("{count} file", "{count} files", count) == told


def test_a_text_without_fields_may_hold_braces(german: None) -> None:
    assert tr("{not a field}") == "{not a field}"
    assert tr("") == ""
    assert later("file") == "file"
    assert trc("button", "Release") == "Freigeben"
    assert tr("Release") == "Freigabe"


def test_a_known_error_is_told_in_german_and_an_unknown_one_as_it_is(german: None) -> None:
    error = KnownError("The project is empty.", "Choose another folder.")
    assert error_words(error) == ("Das Projekt ist leer.", "Wählen Sie einen anderen Ordner.")
    assert error_words(KnownError("Line 7 is not valid.")) == ("Line 7 is not valid.", "")


def _raised() -> Iterator[KnownError]:
    """Errors with values, as they really come."""
    for call in (
        lambda: load_policy("no such policy.toml"),
        lambda: Definition("x" * 999, "a letter and eight digits").checked(),
        lambda: induced(Definition("things", "blah").checked()),
        lambda: induced(Definition("codes", pattern="(").checked()),
    ):
        try:
            call()
        except KnownError as error:
            yield error


def test_errors_with_values_are_told_in_german(german: None) -> None:
    told = [(str(error), error_words(error)[0]) for error in _raised()]
    assert len(told) >= 4
    assert [message for message, shown in told if shown == message] == []


REASONS = [
    ("the value of PatientID", "der Wert von PatientID"),
    ("a name in PatientName; over two lines", "ein Name in PatientName; über zwei Zeilen"),
    ("a word of InstitutionName that stands apart", "ein Wort aus InstitutionName, das für sich steht"),
    ("read with confidence 0.97; nothing private in it", "gelesen mit Sicherheit 0,97; nichts Privates darin"),
    ("beside the label 'Home phone': home phone", "neben der Beschriftung 'Home phone': Telefon privat"),
    ("text located here; doubt 0.12 of the observed range", "hier steht Text; Zweifel 0,12 des beobachteten Bereichs"),
    (f"{EDITION} action X", "PS3.15 2026d, Aktion X"),
    ("only the second reader: phone number", "nur der zweite Leser: Telefonnummer"),
    (
        "Deidra failed on this file (OSError); please report it.",
        "Deidra ist an dieser Datei gescheitert (OSError); bitte melden Sie es.",
    ),
    ("something that nobody foresaw: 7", "something that nobody foresaw: 7"),
]


@pytest.mark.parametrize(("english_words", "german_words"), REASONS)
def test_a_reason_is_told_remark_by_remark(german: None, english_words: str, german_words: str) -> None:
    assert reason_words(english_words) == german_words
    use(Language.ENGLISH)
    assert reason_words(english_words) == english_words


POLICIES = [
    *(load_policy(name) for name in PRESETS),
    changed(load_policy("basic"), "dates", mode="fixed"),
    changed(load_policy("basic"), "dates", mode="baseline", times=False),
    changed(load_policy("basic"), "dates", mode="remove"),
    changed(load_policy("basic"), "dates", mode="keep"),
    *(changed(load_policy("basic"), "redact", fill=fill) for fill in Fill),
    *(changed(load_policy("basic"), "redact", documents=kind, vector=True) for kind in DocumentFormat),
    *(changed(load_policy("basic"), "thresholds", doubt=doubt, both_agents=True) for doubt in Doubt),
    changed(load_policy("basic"), "detect", agents=["deidra-det"], zip_digits=3, only="names and dates of birth"),
    changed(load_policy("basic"), "review", second_reader="types", types=["PATIENT", "ID.mrn"], decoys=0.05),
    *(changed(load_policy("basic"), "review", second_reader="sample", strata=strata) for strata in Strata),
    with_definition(
        load_policy("basic"), Definition("Passport numbers", "a letter and eight digits", context=("pass",)), ""
    ),
    with_device(
        load_policy("basic"),
        DeviceRule(name="banner", action=DeviceAction.COVER, manufacturer="sonic", boxes=((0, 0, 9, 9),)),
    ),
]
LEFT = re.compile(r"\b(the|is|are|and|of|by|with|that|where|kept|text|stay)\b")
"""Words that no German sentence has."""


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_a_policy_is_told_in_german_line_by_line(german: None, policy: Policy) -> None:
    lines = policy_lines(policy)
    written = (policy.detect.only, *(f"  Regel {n}" for n in range(1, 100)), "  Geräteregel", "Als privat beschrieben")
    own = [line for line in lines if LEFT.search(line) and not any(part and part in line for part in written)]
    assert own == []
    use(Language.ENGLISH)
    assert policy_lines(policy) == [line for line in list(explained(policy))[1:] if line]
    assert len(lines) == len(policy_lines(policy)) > 8


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.FIXED])
@pytest.mark.parametrize(("least", "most"), [(1, 1), (8, 8), (2, 5)])
def test_the_form_of_a_definition_is_told_in_german(german: None, kind: Kind, least: int, most: int) -> None:
    shape = Shape((Run(Kind.FIXED, 1, 1, "-"), Run(kind, least, most, grouped=True), Run(Kind.FIXED, 1, 1, " ")))
    fixed, run, more, blank = shape.words.split(", ")
    told = form_words(shape.words).split(", ")
    assert told[0] == fixed
    assert all(new != old for new, old in zip(told[1:], (run, more, blank), strict=True))
    use(Language.ENGLISH)
    assert form_words(shape.words) == shape.words
