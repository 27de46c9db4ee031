"""A name that surely stands on one image is looked for on all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Asset, Evidence, Finding, FrameText, LocatedText, TextLine, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.knowledge import SEEN, known_identifiers
from deidra.app.stages import StageWorker
from deidra.app.workflow import Project
from deidra.storage.findings import FindingFilter
from tests.support.slices import slices


def line(text: str) -> TextLine:
    left, top, right, bottom = 4, 10, 124, 22
    spans = tuple((n / len(text), (n + 1) / len(text)) for n in range(len(text)))
    located = tuple(
        Evidence(agent, None, None, 0.99, 0.0, "text located here") for agent in ("deidra-det", "ppocr-det")
    )
    read = tuple(Evidence(agent, text, None, 0.99, 0.0, "read") for agent in ("ppocr-rec", "tesseract"))
    return TextLine(box_polygon(left, top, right, bottom), text, spans, (*located, *read), "printed")


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """By file name what stands on the image."""
    texts: dict[str, str] = {}

    def detect(_self: StageWorker, asset: Asset) -> LocatedText:
        text = texts.get(Path(asset.path).name, "")
        return LocatedText((FrameText(0, 128, 128, (line(text),) if text else ()),), 1)

    monkeypatch.setattr(StageWorker, "detect", detect)
    monkeypatch.setattr(
        StageWorker, "detect_stack", lambda self, assets: [(detect(self, asset), "") for asset in assets]
    )
    return texts


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project.open(tmp_path / "project", create=True)
    yield made
    made.close()


def findings(project: Project, name: str) -> list[Finding]:
    asset = next(a for a in project.store.assets.all() if Path(a.path).name == name)
    return project.store.findings.select(FindingFilter(asset_id=asset.id, regions=True))


def names(folder: Path, count: int) -> list[str]:
    folder.mkdir()
    return [Path(asset.path).name for asset in slices(folder, [False] * count)]


def test_a_name_on_one_image_is_known_on_the_patients_other_images(
    project: Project, printed: dict[str, str], tmp_path: Path
) -> None:
    first, second, third = names(tmp_path / "in", 3)
    printed.update({first: "Patient name: OKONKWO, ADAEZE", second: "POSTOP OKONKWO AP", third: "AXIAL T2"})
    project.run([tmp_path / "in"])
    (found,) = [f for f in findings(project, second) if f.verdict is not Verdict.IGNORE]
    assert (found.text, found.type, found.verdict) == ("OKONKWO", EntityType.PATIENT, Verdict.AUTO)
    assert "known-identifier" in [e.agent for e in found.evidence]
    assert all(f.verdict is Verdict.IGNORE for f in findings(project, third))
    assert [(i.type, i.value, i.source) for i in known_identifiers(project.store) if i.source == SEEN] == [
        (EntityType.PATIENT, "OKONKWO, ADAEZE", SEEN)
    ]
    assert project.is_current()


def test_a_name_that_comes_with_a_later_file_is_looked_for_on_earlier_ones(
    project: Project, printed: dict[str, str], tmp_path: Path
) -> None:
    first, second = names(tmp_path / "in", 2)
    printed.update({first: "POSTOP OKONKWO AP", second: "Patient name: OKONKWO, ADAEZE"})
    project.run([tmp_path / "in" / first])
    before = [f.verdict for f in findings(project, first)]
    assert Verdict.AUTO not in before
    project.run([tmp_path / "in" / second])
    assert [f.text for f in findings(project, first) if f.verdict is Verdict.AUTO] == ["OKONKWO"]


@pytest.mark.parametrize(
    "text", ["OKONKWO", "Patient name: SUPINE", "Patient: HEAD FIRST", "AXIAL HEAD", "Name: ADAEZE", "MRN: 4711"]
)
def test_what_is_doubtful_short_or_of_everyday_words_is_not_looked_for_elsewhere(
    project: Project, printed: dict[str, str], tmp_path: Path, text: str
) -> None:
    (only,) = names(tmp_path / "in", 1)
    printed[only] = text
    project.run([tmp_path / "in"])
    assert [i for i in known_identifiers(project.store) if i.source == SEEN] == []


def test_a_record_number_on_one_image_is_known_on_others(
    project: Project, printed: dict[str, str], tmp_path: Path
) -> None:
    first, second = names(tmp_path / "in", 2)
    printed.update({first: "MRN: 48392017", second: "48392017 AP SUPINE"})
    project.run([tmp_path / "in"])
    found = [f for f in findings(project, second) if f.verdict is Verdict.AUTO]
    assert [(f.text, f.type) for f in found] == [("48392017", EntityType.ID_MRN)]
