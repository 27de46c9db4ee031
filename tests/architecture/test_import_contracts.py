from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tomllib
from importlib.metadata import requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


@pytest.mark.skipif(importlib.util.find_spec("importlinter") is None, reason="import-linter is not installed")
def test_the_installed_package_keeps_the_import_contracts(tmp_path: Path) -> None:
    # Run from another folder: "app" and "models" beside the settings are other names for the same files.
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(config_filename=sys.argv[1]))"
    command = [sys.executable, "-c", f"{code}", str(ROOT / "pyproject.toml")]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert " 0 broken" in result.stdout


def test_the_layers_name_every_package_of_the_product() -> None:
    (layers,) = [c["layers"] for c in SETTINGS["tool"]["importlinter"]["contracts"] if c["type"] == "layers"]
    named = {name.strip() for layer in layers for name in layer.split("|")}
    packages = set(SETTINGS["tool"]["setuptools"]["packages"])
    stages = {p for p in packages if p.startswith("deidra.app.") and p.count(".") == 2 and ".synth" not in p}
    modules = {f"deidra.app.{p.stem}" for p in (ROOT / "app").glob("*.py") if p.stem != "__init__"}
    roots = set(SETTINGS["tool"]["importlinter"]["root_packages"]) - {"deidra.app"}
    assert named == stages | modules | roots


def test_every_folder_with_sources_is_a_package_of_the_wheel() -> None:
    folders = {
        path.parent.relative_to(ROOT).as_posix().replace("/", ".")
        for root in ("app", "models", "storage", "ui")
        for path in (ROOT / root).rglob("__init__.py")
        if "training" not in path.parts
    }
    assert {f"deidra.{folder}" for folder in folders} == set(SETTINGS["tool"]["setuptools"]["packages"])


def qt_requirements() -> list[Requirement]:
    wanted = [Requirement(text) for text in SETTINGS["project"]["dependencies"]]
    return [item for item in wanted if item.name == "PySide6-Essentials"]


@pytest.mark.parametrize("python", ["3.10", "3.11"])
@pytest.mark.parametrize("broken", ["6.12.0", "6.12.1", "6.13.0", "7.0.0"])
def test_older_pythons_never_get_the_qt_that_corrupts_reference_counts(python: str, broken: str) -> None:
    mine = [r for r in qt_requirements() if r.marker is None or r.marker.evaluate({"python_version": python})]
    assert mine
    assert not any(Version(broken) in item.specifier for item in mine)
    assert all(Version("6.11.3") in item.specifier for item in mine)


def test_newer_pythons_may_have_it() -> None:
    (mine,) = [r for r in qt_requirements() if r.marker is None or r.marker.evaluate({"python_version": "3.12"})]
    assert Version("6.12.1") in mine.specifier


def test_the_installed_qt_is_one_that_the_product_allows() -> None:
    mine = [r for r in qt_requirements() if r.marker is None or r.marker.evaluate()]
    assert all(item.specifier.contains(version("PySide6-Essentials"), prereleases=True) for item in mine)
    if sys.version_info < (3, 12):
        assert Version(version("PySide6-Essentials")) < Version("6.12")


def test_the_installed_package_was_made_from_these_settings() -> None:
    installed = {str(Requirement(text)) for text in requires("deidra") or [] if "extra ==" not in text}
    assert installed == {str(Requirement(text)) for text in SETTINGS["project"]["dependencies"]}
