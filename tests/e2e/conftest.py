"""One run over the synthetic sample set, shared by the tests that look at its outcome."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sample_project import Finished, Sample

from deidra.app.synth.sample import make_sample
from deidra.app.workflow import Project


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    made = make_sample(tmp_path_factory.mktemp("sample"))
    return Sample(made.folder, json.loads(made.key.read_text("utf-8")))


@pytest.fixture(scope="session")
def finished(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("project") / "sample project"
    project = Project.open(folder)
    try:
        return Finished(folder, sample, project.run(sample.inputs))
    finally:
        project.close()


@pytest.fixture
def copy_of(tmp_path: Path) -> Iterator[Callable[[Finished], Project]]:
    """Opens an own copy of a finished project."""
    opened: list[Project] = []

    def copy(finished: Finished) -> Project:
        folder = tmp_path / "project"
        shutil.copytree(finished.folder, folder)
        opened.append(Project.open(folder, create=False))
        return opened[-1]

    yield copy
    for project in opened:
        project.close()
