"""Device rules of a policy: what they cover in every frame, and what the command line tells of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from pydicom import uid as uids
from pydicom.dataset import FileDataset

from deidra.app.cli import cli
from deidra.app.domain.model import Verdict
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.synth import headers
from deidra.app.synth.encode import add_pixels, write
from deidra.app.synth.exams import make_exams
from deidra.app.synth.headers import Series
from deidra.app.synth.people import make_cast
from deidra.app.workflow import Project
from deidra.storage.findings import FindingFilter

ROWS, COLUMNS, FRAMES = 96, 160, 4
STUDY = make_exams(make_cast(7)).ct
POLICY = """
extends = "basic"
[detect]
agents = ["deidra-det"]
second_reader = false
[[devices]]
name = "banner of Echo 9"
manufacturer = "sonic"
model = "echo 9"
rows = 96
action = "cover"
boxes = [[0, 0, 200, 14], [120, 80, 30, 10]]
source = "our own images"
[[devices]]
name = "another machine"
model = "Echo 8"
boxes = [[0, 0, 10, 10]]
"""


def clip(model: str, number: int) -> FileDataset:
    """Frames without text on which nothing but grain changes."""
    series = Series(STUDY, number, "US", "LIVER", "ABDOMEN", ("Sonic Works", model))
    dataset = headers.base_dataset(series, 1, uids.UltrasoundMultiFrameImageStorage)
    grain = np.random.default_rng(number).integers(60, 70, (FRAMES, ROWS, COLUMNS)).astype(np.uint8)
    add_pixels(dataset, grain, "MONOCHROME2", 8, FRAMES)
    dataset.FrameTime = "33"
    dataset.file_meta.TransferSyntaxUID = uids.ExplicitVRLittleEndian
    return dataset


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clips")
    (folder / "policy.toml").write_text(POLICY, "utf-8")
    for number, model in enumerate(("Echo 9", "Echo 7"), 1):
        (folder / f"{model[-1]}.dcm").write_bytes(write(clip(model, number)))
    return folder


@pytest.fixture(scope="module")
def project(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    opened = Project.open(folder)
    try:
        opened.run([files / "9.dcm", files / "7.dcm"], policy=str(files / "policy.toml"))
    finally:
        opened.close()
    return folder


def test_a_rule_covers_its_boxes_in_every_frame_though_nothing_is_located_there(
    files: Path, project: Path, tmp_path: Path
) -> None:
    opened = Project.open(project, create=False)
    try:
        found = [f for f in opened.store.findings.select(FindingFilter(verdict=Verdict.AUTO), "file") if f.polygon]
        places = {f.polygon for f in found}
        assert places == {
            ((0.0, 0.0), (160.0, 0.0), (160.0, 14.0), (0.0, 14.0)),
            ((120.0, 80.0), (150.0, 80.0), (150.0, 90.0), (120.0, 90.0)),
        }
        assert {(f.frame, f.reason, f.evidence[0].agent) for f in found} == {
            (None, "device rule: banner of Echo 9", "device rule")
        }
        opened.release(tmp_path / "out", pending="accept")
        outputs = opened.store.assets.outputs()
        paths = {Path(a.path).stem: tmp_path / "out" / outputs[a.id].output for a in opened.store.assets.all()}
    finally:
        opened.close()
    before, after = (Frames(read_dataset(path.read_bytes())) for path in (files / "9.dcm", paths["9"]))
    inside, near = np.zeros((ROWS, COLUMNS), bool), np.zeros((ROWS, COLUMNS), bool)
    for left, top, right, bottom in ((0, 0, 160, 14), (120, 80, 150, 90)):
        inside[top:bottom, left:right] = True
        # Regions are padded by two pixels or 15 % of their height.
        near[max(0, top - 3) : bottom + 3, max(0, left - 3) : right + 3] = True
    for index in range(FRAMES):
        old, new = before.frame(index).values, after.frame(index).values
        assert len(np.unique(new[inside])) == 1
        assert np.array_equal(old[~near], new[~near])
    other = [Frames(read_dataset(path.read_bytes())) for path in (files / "7.dcm", paths["7"])]
    assert all(np.array_equal(*(f.frame(n).values for f in other)) for n in range(FRAMES))


def test_the_command_line_lists_the_rules_and_how_many_files_each_matches(files: Path, project: Path) -> None:
    listed = json.loads(CliRunner().invoke(cli, ["devices", "--project", str(project), "--json"]).output)
    assert [(m["name"], m["own"], len(m["assets"])) for m in listed[:2]] == [
        ("banner of Echo 9", True, 1),
        ("another machine", True, 0),
    ]
    assert {m["own"] for m in listed[2:]} == {False}
    text = CliRunner().invoke(cli, ["devices", "--project", str(project)]).output
    assert "1 files  cover   banner of Echo 9: manufacturer sonic, model echo 9, rows 96   [our own images]" in text
    assert "boxes 0,0,200,14; 120,80,30,10" in text
    assert not [word for word in (STUDY.person.family, STUDY.person.mrn, files.name, "9.dcm") if word in text]
    alone = CliRunner().invoke(cli, ["devices", "--policy", str(files / "policy.toml")]).output
    assert alone.startswith("cover   banner of Echo 9")


def test_a_changed_rule_is_applied_to_files_that_were_searched_before(files: Path, project: Path) -> None:
    changed = files / "changed.toml"
    rules = POLICY.replace("Echo 8", "Echo 7").replace('"another machine"', '"x"\naction = "cover"')
    changed.write_text(rules, "utf-8")
    opened = Project.open(project, create=False)
    try:
        opened.run([files / "9.dcm", files / "7.dcm"], policy=str(changed))
        assert sum(f.reason == "device rule: x" for f in opened.store.findings.select(None, "file")) == 1
    finally:
        opened.close()
