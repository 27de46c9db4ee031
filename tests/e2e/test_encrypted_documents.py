from __future__ import annotations

import io
import json
from pathlib import Path

import pikepdf
import pypdfium2
import pytest
from click.testing import CliRunner
from pdf_files import encrypted, made, written

from deidra.app.cli import cli
from deidra.app.domain.errors import KnownError
from deidra.app.load.pdf import Passwords
from deidra.app.passwords import read_passwords
from deidra.app.workflow import Project

SECRET = "gut-Gehütet7"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "a.pdf"
    path.parent.mkdir()

    def page(canvas: object) -> None:
        written(canvas, "Patient: Adaeze Okonkwo", 15, 110, 14)
        written(canvas, "The liver is of normal size.", 15, 50, 14)

    path.write_bytes(encrypted(made(page), SECRET))
    return path


def test_a_password_from_a_file_opens_a_document_and_is_kept_nowhere(source: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text(f"other\n{SECRET}\n", "utf-8")
    project, out = tmp_path / "project", tmp_path / "out"
    common = ["--project", str(project), "--password-file", str(words), "--json"]
    ran = CliRunner().invoke(cli, ["run", str(source), *common])
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["quarantined"] == []
    released = CliRunner().invoke(cli, ["release", "--out", str(out), "--pending", "accept", *common])
    assert json.loads(released.stdout)["released"] == 1, released.output
    (written_file,) = (out / "documents").iterdir()
    assert not pikepdf.open(io.BytesIO(written_file.read_bytes())).is_encrypted
    text = pypdfium2.PdfDocument(written_file.read_bytes())[0].get_textpage().get_text_range()
    assert "normal size" in text
    assert "Okonkwo" not in text
    for folder in (project, out):
        for path in folder.rglob("*"):
            if path.is_file():
                assert SECRET.encode() not in path.read_bytes()


def test_without_a_password_a_document_waits_and_is_tried_again(source: Path, tmp_path: Path) -> None:
    project = Project.open(tmp_path / "project")
    try:
        ((_, reason),) = project.run([source]).quarantined
        assert "encrypted" in reason
        project.passwords = Passwords((SECRET,))
        assert project.run([source]).quarantined == []
        (asset,) = project.store.assets.all()
        assert project.frame_view(asset.id, 0).image.shape == (400, 800, 3)
    finally:
        project.close()


def test_a_password_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="password file cannot be read"):
        read_passwords(tmp_path / "none")
    with pytest.raises(KnownError, match="Nobody can be asked"):
        read_passwords(Path("-"))
    assert read_passwords(None).words == ()
