from __future__ import annotations

import io
from collections.abc import Callable

import pypdfium2
import pytest
from locators import Blind
from pdf_files import encrypted, made, written
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import EncapsulatedPDFStorage, ExplicitVRLittleEndian
from reportlab.pdfgen.canvas import Canvas

from deidra.app.decide.policy import Policy
from deidra.app.detect.images import page_text
from deidra.app.domain.errors import InputError
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, AssetKind, Finding, Identifier, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.headers import clean_headers
from deidra.app.load.dicom import read_dataset, refuse_unsupported
from deidra.app.load.embedded import embed_pdf, embedded_pdf
from deidra.app.load.pages import Pages
from deidra.app.load.pdf import Passwords
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.redact.header import redact_dicom
from deidra.app.redact.plan import marks
from deidra.app.release.rescan import Leak, Rescanner

NAME = "Okonkwo"
PLACE = box_polygon(50, 60, 300, 130)
POLICY = Policy()
COVERED = Finding("f", "a", None, 0, PLACE, None, NAME, EntityType.PATIENT, 1.0, 0.0, 50, Verdict.AUTO, Action.REDACT)


def page(canvas: Canvas) -> None:
    written(canvas, NAME, 20, 110)
    written(canvas, "Chest two views", 20, 50)


def dicom(document: bytes) -> bytes:
    dataset = FileDataset("", {}, bytes(128), FileMetaDataset(), False, True)
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.SOPClassUID = EncapsulatedPDFStorage
    for keyword in ("SOPInstanceUID", "StudyInstanceUID", "SeriesInstanceUID"):
        setattr(dataset, keyword, f"1.2.3.4.{len(keyword)}56789")
    dataset.PatientName, dataset.PatientID, dataset.Modality = f"{NAME}^A", "MRN4711X", "DOC"
    embed_pdf(dataset, document)
    stream = io.BytesIO()
    dataset.save_as(stream, enforce_file_format=True)
    return stream.getvalue()


@pytest.fixture
def redacted() -> Callable[..., bytes]:
    engine = HeaderEngine(POLICY.profile, ProjectKey(bytes(32)))

    def redact(source: bytes, *findings: Finding, words: tuple[str, ...] = ()) -> bytes:
        passwords = Passwords(words)
        document = embedded_pdf(read_dataset(source))
        assert document is not None
        texts = page_text(Pages(document, AssetKind.PDF, passwords), Blind()).frames
        subject = Subject("P0123", -50)
        return redact_dicom(source, findings, engine, subject, POLICY, False, texts, passwords).data

    return redact


@pytest.mark.parametrize("length", [100, 101])
def test_a_document_comes_back_as_it_was_put_in(length: int) -> None:
    document = b"%PDF-1.7" + bytes(range(1, length - 7))
    dataset = read_dataset(dicom(document))
    refuse_unsupported(dataset)
    assert embedded_pdf(dataset) == document
    assert len(dataset.EncapsulatedDocument) % 2 == 0


def test_a_document_is_redacted_inside_its_file_and_the_header_is_clean(redacted: Callable[..., bytes]) -> None:
    dataset = read_dataset(redacted(dicom(made(page)), COVERED))
    assert (dataset.PatientName, dataset.PatientID) == ("P0123", "P0123")
    assert NAME not in str(dataset)
    document = embedded_pdf(dataset)
    assert document is not None
    assert pypdfium2.PdfDocument(document)[0].get_textpage().get_text_range() == "Chest two views"
    assert Pages(document, AssetKind.PDF).page(0)[62:128, 52:298].max() < 10
    assert dataset.EncapsulatedDocumentLength == len(document)


@pytest.mark.parametrize("covered", [True, False])
def test_the_rescan_looks_into_the_document(redacted: Callable[..., bytes], covered: bool) -> None:
    findings = [COVERED] if covered else []
    known = [Identifier("P", EntityType.PATIENT, f"{NAME}^A", "PatientName")]
    data = redacted(dicom(made(page)), *findings)
    leak = Rescanner(known, [], POLICY, Blind()).scan(data, AssetKind.DICOM, marks(findings), [])
    assert leak == (None if covered else Leak("the text layer of page 1", EntityType.PATIENT, in_words=True))


def test_an_encrypted_document_needs_its_password(redacted: Callable[..., bytes]) -> None:
    source = dicom(encrypted(made(page), "secret"))
    with pytest.raises(InputError, match="encrypted"):
        redacted(source, COVERED)
    document = embedded_pdf(read_dataset(redacted(source, COVERED, words=("secret",))))
    assert document is not None
    assert Pages(document, AssetKind.PDF).count == 1


def test_headers_alone_do_not_let_a_document_pass(tmp_path: object) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.dcm").write_bytes(dicom(made(page)))
    result = clean_headers([tmp_path / "in"], tmp_path / "out", POLICY, ProjectKey(bytes(32)), 1, None)
    assert result.written == 0
    assert "encapsulated" in result.refused[0][1]
