"""The table of transfer syntaxes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from deidra.app.evaluate import syntaxes
from deidra.app.evaluate.syntaxes import CANNOT, DIFFERS, NOT_THERE, SAME, Outcome, by_syntax, outcomes, write_syntaxes
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.redact.written import Way
from deidra.app.synth.sample import make_sample


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sample") / "set"
    make_sample(out, 7)
    return out / "dicom"


def test_every_syntax_of_the_sample_set_is_covered_and_unchanged_outside(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _program: None)
    found = list(outcomes([folder]))
    assert [o.refused for o in found] == [""] * len(found)
    assert all(o.outside and o.inside for o in found)
    assert {way for o in found for way in [o.way]} >= {Way.NATIVE.value, Way.REENCODED.value, Way.BLOCKS.value}
    assert {verdict for o in found for verdict in (*o.before.values(), *(o.after or {}).values())} == {NOT_THERE}
    assert len({o.syntax for o in found}) >= 7


def test_what_changes_outside_the_box_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = syntaxes.first_frames
    calls: list[int] = []

    def spoilt(dataset: object) -> list[np.ndarray]:
        frames = real(dataset)  # type: ignore[arg-type]
        calls.append(1)
        if len(calls) % 2 == 0:
            frames[0] = frames[0].copy()
            frames[0][0, 0] += 1
        return frames

    monkeypatch.setattr(syntaxes, "first_frames", spoilt)
    monkeypatch.setattr(shutil, "which", lambda _program: None)
    (outcome,) = outcomes([folder / "ct_1_implicit.dcm"])
    assert (outcome.outside, outcome.inside) == (False, True)


@pytest.mark.parametrize(
    ("change", "returns", "verdict"),
    [(0, 0, SAME), (1, 0, f"{DIFFERS} by 1 on average"), (0, 1, CANNOT)],
)
def test_another_program_is_believed_by_its_pixels(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: int, returns: int, verdict: str
) -> None:
    original = (folder / "ct_1_implicit.dcm").read_bytes()

    def program(command: Sequence[str], **_: object) -> object:
        dataset = read_dataset(original)
        values = np.frombuffer(dataset.PixelData, np.uint16) ^ np.uint16(change)
        dataset.PixelData = values.tobytes()
        dataset.save_as(command[-1], enforce_file_format=True)
        return type("Done", (), {"returncode": returns})()

    monkeypatch.setattr(shutil, "which", lambda program: program)
    monkeypatch.setattr(syntaxes.subprocess, "run", program)
    values = [Frames(read_dataset(original)).stored(0)]
    command = ["gdcmconv", str(tmp_path / "in.dcm"), str(tmp_path / "out.dcm")]
    assert syntaxes._judged(command, tmp_path / "out.dcm", values) == verdict


def outcome(syntax: str, gdcm: str, way: str = "native", outside: bool = True, refused: str = "") -> Outcome:
    return Outcome("a.dcm", syntax, "", refused, {"gdcm": gdcm}, way, outside, True, {"gdcm": SAME})


def test_the_table_counts_by_syntax(tmp_path: Path) -> None:
    found = [
        outcome("RLE", SAME),
        outcome("RLE", f"{DIFFERS} by 2 on average", "decompressed"),
        outcome("RLE", CANNOT, outside=False),
        outcome("JPEG", CANNOT),
        outcome("", "", refused="The file is <cut> off."),
    ]
    assert by_syntax(found) == [
        ["JPEG", "1", "gdcm none", "native 1", "1", "1", "gdcm 1/1"],
        ["RLE", "3", "gdcm 1/2", "native 2, decompressed 1", "2", "3", "gdcm 3/3"],
    ]
    write_syntaxes(found, tmp_path)
    assert len(json.loads((tmp_path / "syntaxes.json").read_text("utf-8"))) == 5
    html = (tmp_path / "syntaxes.html").read_text("utf-8")
    assert "The file is &lt;cut&gt; off." in html
