"""Does de-identification make valid DICOM files invalid? dciodvfy judges each file before and after."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydicom.dataset import FileDataset
from pydicom.filebase import DicomBytesIO
from pydicom.filewriter import write_file_meta_info
from pydicom.uid import DeflatedExplicitVRLittleEndian, ExplicitVRLittleEndian

from deidra.app.decide.policy import Policy
from deidra.app.domain.errors import InputError, KnownError
from deidra.app.domain.model import AssetKind
from deidra.app.load.dicom import ensure_meta, read_dataset, refuse_unsupported, transfer_syntax
from deidra.app.load.encoded import EncodedFile, Splitter
from deidra.app.load.sources import discover, walk
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.keys import KEY_BYTES, ProjectKey
from deidra.app.redact.header import redact_dicom

PROGRAM = "dciodvfy"
_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class FileConformance:
    """Errors of one file: how many it had, and those that it has gained and lost (values left out)."""

    path: Path
    before: int
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    refused: str = ""


def find_program() -> str:
    """The path of dciodvfy.

    Raises:
        KnownError: it is not installed.
    """
    beside = Path(sysconfig.get_path("scripts")) / (PROGRAM + (".exe" if sys.platform == "win32" else ""))
    program = shutil.which(PROGRAM) or (str(beside) if beside.is_file() else None)
    if program is None:
        raise KnownError("dciodvfy is not installed.", "Install it with: pip install 'deidra[bench]'")
    return program


def compare(inputs: Sequence[Path], policy: Policy) -> Iterator[FileConformance]:
    """Judge every DICOM file below the inputs before and after its header went through the policy.

    Files that Deidra refuses are reported with the reason. Pixels are not redacted.

    Raises:
        KnownError: dciodvfy is not installed, or an input does not exist.
    """
    program = find_program()
    key = ProjectKey(bytes(KEY_BYTES))
    engine = HeaderEngine(policy.profile, key)
    with tempfile.TemporaryDirectory(prefix="deidra-conformance-") as scratch:
        for path in walk(inputs):
            for found in discover(path):
                if found.kind is AssetKind.DICOM:
                    yield _judge(program, path, found.source.read(), engine, policy, Path(scratch))


def _judge(
    program: str, path: Path, data: bytes, engine: HeaderEngine, policy: Policy, scratch: Path
) -> FileConformance:
    try:
        dataset = read_dataset(data)
        refuse_unsupported(dataset)
        after = inflated(redact_dicom(data, [], engine, Subject("P0", -100), policy).data)
        forms = {inflated(data)}
        file = Splitter().split(data)
        if file.body is not data and not file.deflated:
            # Of a file whose transfer syntax is wrong, or whose elements swallow each other, dciodvfy sees a part
            # only; what it says of the whole content counts as said before as well.
            forms.add(_rewritten(dataset, file))
    except InputError as error:
        return FileConformance(path, 0, (), (), str(error))
    old, new = Counter[str](), _errors(program, after, scratch)
    for form in forms:
        old |= _errors(program, form, scratch)
    return FileConformance(path, old.total(), tuple((new - old).elements()), tuple((old - new).elements()))


def _rewritten(dataset: FileDataset, file: EncodedFile) -> bytes:
    ensure_meta(dataset)
    for _ in dataset.file_meta:
        pass  # gives elements without a type theirs, which the writer does not do
    stream = DicomBytesIO()
    write_file_meta_info(stream, dataset.file_meta, enforce_standard=False)
    return b"\0" * 128 + b"DICM" + stream.getvalue() + file.body


def inflated(data: bytes) -> bytes:
    """A deflated file as an explicit one: dciodvfy does not inflate, and the judgement is about the content."""
    dataset = read_dataset(data)
    if transfer_syntax(dataset) != DeflatedExplicitVRLittleEndian:
        return data
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    stream = io.BytesIO()
    dataset.save_as(stream, enforce_file_format=True)
    return stream.getvalue()


def _errors(program: str, data: bytes, scratch: Path) -> Counter[str]:
    """Errors by text. Values stand in angle brackets and are left out: they may be private, and they change."""
    file = scratch / "file.dcm"
    file.write_bytes(data)
    command = [program, "-new", str(file)]
    result = subprocess.run(command, capture_output=True, check=False, timeout=_TIMEOUT_S)  # noqa: S603
    lines = result.stderr.decode("latin-1").splitlines()
    return Counter(without_values(line) for line in lines if line.startswith("Error"))


def without_values(message: str) -> str:
    """A message of dciodvfy with the path of the element, but without its values."""
    return re.sub(r"= <[^>]*>", "= <>", message)
