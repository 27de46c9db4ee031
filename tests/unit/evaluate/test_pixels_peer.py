from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deidra.app.evaluate.pixels_peer import PeerDone, run_peer


def answering(monkeypatch: pytest.MonkeyPatch, stdout: str, stderr: bytes = b"") -> None:
    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess(command, 0, stdout.encode(), stderr)

    monkeypatch.setattr(subprocess, "run", run)


def test_boxes_time_and_errors_are_taken_file_by_file(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ['RESULT["0.0.62", "en_core_web_sm"]', "noise", 'RESULT[[[1, 2, 30, 40]], 1.5, ""]']
    answering(monkeypatch, "\n".join([*lines, 'RESULT[[], 0.25, "ValueError"]']))
    done = run_peer(Path("python"), [Path("a"), Path("b")])
    assert (done.version, done.model, done.note) == ("0.0.62", "en_core_web_sm", "")
    assert done.files == (PeerDone(((1, 2, 30, 40),), 1.5, ""), PeerDone((), 0.25, "ValueError"))


@pytest.mark.parametrize(
    ("stdout", "stderr", "note"),
    [
        ("", b"ModuleNotFoundError: presidio", "not installed"),
        ("", b"Traceback", "failed"),
    ],
)
def test_a_peer_that_does_not_finish_says_why(
    monkeypatch: pytest.MonkeyPatch, stdout: str, stderr: bytes, note: str
) -> None:
    answering(monkeypatch, stdout, stderr)
    done = run_peer(Path("python"), [Path("a"), Path("b")])
    assert (done.files, done.note) == ((), note)


def test_an_interpreter_without_the_peer_or_none_at_all_is_told(tmp_path: Path) -> None:
    assert run_peer(Path(sys.executable), [tmp_path / "a.dcm"]).note in ("not installed", "failed")
    assert run_peer(tmp_path / "no-python", [tmp_path / "a.dcm"]).note == "cannot be started"


def test_a_process_that_ends_on_a_file_is_started_again_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def run(command: list[str], **more: Any) -> subprocess.CompletedProcess[bytes]:
        names = [Path(path).name for path in json.loads(more["input"])]
        asked.append(names)
        upto = names.index("bad") if "bad" in names else len(names)
        lines = ['RESULT["1", "m"]', *['RESULT[[], 0.5, ""]'] * upto]
        return subprocess.CompletedProcess(command, -11, "\n".join(lines).encode(), b"")

    monkeypatch.setattr(subprocess, "run", run)
    done = run_peer(Path("python"), [Path("a"), Path("bad"), Path("b")])
    assert [one.error for one in done.files] == ["", "ended", ""]
    assert asked == [["a", "bad", "b"], ["b"]]
