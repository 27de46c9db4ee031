from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path

import pytest

from deidra.app.domain.errors import ModelError
from deidra.models import registry as module
from deidra.models import runtime
from deidra.models.registry import ModelInfo, file_hash, registry, verified_path


@pytest.fixture(autouse=True)
def fresh_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions and checked paths are remembered for the whole process; these tests must not see or leave any."""
    monkeypatch.setattr(module, "verified_path", verified_path.__wrapped__)


def info(path: Path, sha256: str = "0" * 64) -> ModelInfo:
    return ModelInfo("made-up", str(path), sha256, "1", "Apache-2.0", "text detection", "")


@pytest.mark.parametrize("name", registry())
def test_every_registered_model_is_installed_and_is_the_tested_file(name: str) -> None:
    entry = registry()[name]
    assert entry.path.is_file()
    assert file_hash(entry.path) == entry.sha256
    assert verified_path.__wrapped__(name) == entry.path
    assert entry.licence
    assert entry.version
    assert entry.task


def test_the_registry_lists_each_file_once() -> None:
    text = (resources.files("deidra.models") / "registry.toml").read_text("utf-8")
    entries = list(tomllib.loads(text).values())
    assert len({(e.get("package"), e["file"]) for e in entries}) == len(entries)
    assert all(len(e["sha256"]) == 64 for e in entries)


def test_a_missing_model_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "registry", lambda: {"made-up": info(tmp_path / "nothing.onnx")})
    with pytest.raises(ModelError, match="made-up is missing") as caught:
        verified_path.__wrapped__("made-up")
    assert "Install" in caught.value.advice


def test_a_model_of_a_missing_package_is_missing() -> None:
    absent = ModelInfo("x", "a.onnx", "0" * 64, "1", "MIT", "t", "no_such_package_here")
    assert not absent.path.is_file()


def test_a_changed_model_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"other weights")
    monkeypatch.setattr(module, "registry", lambda: {"made-up": info(path)})
    with pytest.raises(ModelError, match="not the file that Deidra was tested with"):
        verified_path.__wrapped__("made-up")


def test_a_model_that_cannot_be_loaded_is_told_without_details(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"this is no network")
    monkeypatch.setattr(runtime, "verified_path", lambda _: path)
    with pytest.raises(ModelError, match=r"made-up cannot be loaded \(\w+\)") as caught:
        runtime.session.__wrapped__("made-up")
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.parametrize(
    ("wish", "built_with_cuda", "driver", "expected"),
    [
        ("auto", True, True, True),
        ("auto", True, False, False),
        ("auto", False, True, False),
        ("cpu", True, True, False),
        ("CPU", True, True, False),
        ("cuda", True, False, True),
        ("cuda", False, True, False),
    ],
)
def test_the_card_is_used_only_where_one_can_work_and_is_wished_for(
    monkeypatch: pytest.MonkeyPatch, wish: str, built_with_cuda: bool, driver: bool, expected: bool
) -> None:
    available = ["CUDAExecutionProvider"] * built_with_cuda + ["CPUExecutionProvider"]
    monkeypatch.setenv(runtime.DEVICE_VARIABLE, wish)
    monkeypatch.setattr(runtime.onnxruntime, "get_available_providers", lambda: available)
    monkeypatch.setattr(runtime.onnxruntime, "preload_dlls", lambda: None, raising=False)
    monkeypatch.setattr(runtime, "_has_driver", lambda: driver)
    chosen = runtime.providers.__wrapped__()
    assert ("CUDAExecutionProvider" in chosen) is expected
    assert chosen[-1] == "CPUExecutionProvider"
