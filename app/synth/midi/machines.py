"""The devices of the benchmark's hospitals and their private elements."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from pydicom.dataset import Dataset

from deidra.app.synth.midi.draft import Draft, Gap, Phi
from deidra.app.synth.midi.exam import Machine, Series, make_uid
from deidra.app.synth.midi.key import Row

_MODELS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "CT": (
        ("SIEMENS", "SOMATOM Definition AS+", "syngo CT 2012B"),
        ("GE MEDICAL SYSTEMS", "Discovery CT750 HD", "gmp_hde.85"),
        ("Philips", "Brilliance Big Bore", "3.6.6"),
    ),
    "PT": (
        ("SIEMENS", "Biograph 64", "VG51C"),
        ("GE MEDICAL SYSTEMS", "Discovery 690", "pet_coreload.48"),
        ("Philips", "Gemini TF Big Bore", "3.7.2"),
    ),
    "MR": (
        ("SIEMENS", "Skyra", "syngo MR E11"),
        ("GE MEDICAL SYSTEMS", "SIGNA HDxt", "HD16.0_V02"),
        ("Philips", "Ingenia", "5.3.1"),
    ),
    "CR": (("FUJIFILM Corporation", "FCR XG-1", "A13"), ("Agfa", "ADC_5155", "ADC 7.1")),
    "DX": (("SIEMENS", "FLUOROSPOT Compact FD", "VB35"), ("GE MEDICAL SYSTEMS", "Definium 8000", "dm_Platform 2.1")),
    "MG": (("HOLOGIC, Inc.", "Selenia Dimensions", "1.8.3"), ("GE MEDICAL SYSTEMS", "Senographe DS", "ADS 53.40")),
    "US": (("Philips", "EPIQ 7G", "1.5.2"), ("SIEMENS", "ACUSON S2000", "VC31B"), ("GE Healthcare", "LOGIQ E9", "R6")),
}


def make_machine(modality: str, rng: Random) -> Machine:
    """A device for ``modality`` with a serial number and a station name of its own."""
    maker, model, software = rng.choice(_MODELS[modality])
    prefix = {"SIEMENS": "AWP", "GE MEDICAL SYSTEMS": "ct", "Philips": "HOST-"}.get(maker, "DEV")
    return Machine(maker, model, software, f"{rng.randrange(10**4, 10**6)}", f"{prefix}{rng.randrange(10**4, 10**5)}")


def add_private(draft: Draft, series: Series, number: int, rng: Random) -> None:
    """The private blocks of the machine's maker and of the hospital's own systems."""
    maker = series.machine.maker
    by_maker: dict[str, Callable[[Draft, Series, int, Random], None]] = {
        "SIEMENS": _siemens,
        "GE MEDICAL SYSTEMS": _ge,
        "Philips": _philips,
        "HOLOGIC, Inc.": _hologic,
        "FUJIFILM Corporation": _fuji,
    }
    by_maker.get(maker, _nothing)(draft, series, number, rng)
    _local_systems(draft, series, rng)


def _nothing(_draft: Draft, _series: Series, _number: int, _rng: Random) -> None:
    """Makers whose private elements nobody has described."""


def _siemens(draft: Draft, series: Series, number: int, rng: Random) -> None:
    data, exam = draft.dataset, series.exam
    if series.modality == "MR":
        block = draft.block(data, 0x0019, "SIEMENS MR HEADER")
        block.keep(0x0B, "DS", f"{rng.randint(200, 900) / 10}")
        block.keep(0x0C, "IS", rng.choice(("0", "50", "400", "800", "1000")))
        block.keep(0x0D, "CS", "DIRECTIONAL")
        block.keep(0x0E, "FD", [0.5, -0.25, 0.75])
        block.keep(0x15, "FD", [-120.5, -110.25, 5.0 * number])
        block.keep(0x16, "DS", f"{rng.randint(0, 200) / 10}")
        block.keep(0x17, "DS", "1.0")
        block.keep(0x18, "IS", f"{rng.randint(2000, 9000)}")
        block.keep(0x27, "FD", [1.5, 0.25, 0.5, 2.5, 0.125, 3.0])
        block.keep(0x28, "FD", 17.625)
        coil = draft.block(data, 0x0051, "SIEMENS MR HEADER")
        coil.keep(0x0B, "SH", "256p*256")
        coil.keep(0x0F, "LO", "HE1-4;NE1,2")
    if series.modality == "CT":
        block = draft.block(data, 0x0019, "SIEMENS CT VA0  COAD")
        block.keep(0x10, "IS", "595")
        block.keep(0x20, "IS", "736")
        block.keep(0x22, "DS", "1.0946")
        block.keep(0x24, "DS", "0.5")
        block.keep(0xB0, "DS", "11.5")
    if series.modality == "PT":
        block = draft.block(data, 0x0071, "SIEMENS MED PT")
        block.uid(0x21, "UI", make_uid(series.uid, "registration"))
        block.date(0x22, "DT", f"{exam.date}{series.time}.000000")
    csa = draft.block(data, 0x0029, "SIEMENS CSA HEADER")
    csa.gone(0x10, "OB", Gap("SV10\4\3\2\1tPatientName "), Phi(exam.patient.caret.text, Row.NAME), Gap(" tRefPhys "))
    csa.gone(0x20, "OB", Gap("### ASCCONV BEGIN ### tPatID = "), exam.patient.number)
    medcom = draft.block(data, 0x0029, "SIEMENS MEDCOM HEADER")
    medcom.gone(0x20, "OB", Gap("CASE "), Phi(exam.accession, Row.OTHER_ID))
    old = draft.block(data, 0x0013, "SIEMENS CM VA0  CMS")
    old.gone(0x20, "PN", exam.patient.caret)
    old.gone(0x22, "LO", exam.patient.number)
    old.date(0x10, "DA", exam.date)


def _ge(draft: Draft, series: Series, number: int, rng: Random) -> None:
    data, exam = draft.dataset, series.exam
    if series.modality == "CT":
        block = draft.block(data, 0x0019, "GEMS_ACQU_01")
        block.keep(0x03, "DS", "373.75")
        block.keep(0x04, "DS", "1.0166")
        block.keep(0x23, "DS", rng.choice(("39.375", "55.0", "27.5")))
        block.keep(0x24, "DS", f"{rng.randint(10, 99) / 10}")
        block.keep(0x27, "DS", rng.choice(("500.0", "600.0")))
        block.keep(0x2E, "DS", "30.5")
        block.keep(0x5E, "SL", 912)
        block.keep(0x61, "SL", 984)
        parm = draft.block(data, 0x0043, "GEMS_PARM_01")
        parm.keep(0x27, "SH", "0.984:1")
        parm.keep(0x11, "US", 984)
        helios = draft.block(data, 0x0045, "GEMS_HELIOS_01")
        helios.keep(0x02, "FL", 0.625)
        helios.keep(0x07, "FL", 1.5)
    if series.modality == "MR":
        block = draft.block(data, 0x0019, "GEMS_ACQU_01")
        block.keep(0x84, "DS", "0.2")
        block.keep(0x93, "DS", "638731512")
        block.keep(0x9C, "LO", "epi2")
        block.keep(0x9E, "LO", "EPI2")
        block.date(0x9D, "DT", f"{exam.date}101010")
        parm = draft.block(data, 0x0043, "GEMS_PARM_01")
        parm.keep(0x39, "IS", ["1000", "8", "0", "0"])
        parm.keep(0x6F, "DS", ["2", "0.0", "0.0", "0"])
        parm.keep(0x81, "LO", "8HRBRAIN")
    if series.modality == "PT":
        pet = draft.block(data, 0x0009, "GEMS_PETD_01")
        pet.uid(0x0A, "UI", make_uid(series.uid, "scan"))
        pet.date(0x0D, "DT", f"{exam.date}{series.time}.00")
        pet.keep(0x36, "LO", "FDG -- fluorodeoxyglucose")
        pet.keep(0x38, "FL", 440.5)
        pet.keep(0x3E, "SH", "18F")
        pet.keep(0x3F, "FL", 6588.0)
        pet.keep(0x1E, "SL", 1)
        pet.date(0x3B, "DT", f"{exam.date}{exam.time}.00")
    draft.block(data, 0x0025, "GEMS_SERS_01").keep(0x07, "SL", 5)
    image = draft.block(data, 0x0027, "GEMS_IMAG_01")
    image.keep(0x41, "FL", -5.0 * number)
    image.keep(0x60, "FL", 256.0)
    image.keep(0x61, "FL", 256.0)
    identity = draft.block(data, 0x0009, "GEMS_IDEN_01")
    identity.keep(0x01, "LO", "GE_GENESIS_FF")
    identity.gone(0x02, "SH", Phi(exam.site.short, Row.PLACE))
    identity.uid(0xE3, "UI", make_uid(series.machine.serial, "equipment"))
    genie = draft.block(data, 0x0011, "GEMS_GENIE_1")
    genie.gone(0x10, "LO", exam.patient.caret)


def _philips(draft: Draft, series: Series, number: int, rng: Random) -> None:
    data, exam = draft.dataset, series.exam
    if series.modality == "MR":
        block = draft.block(data, 0x2001, "Philips Imaging DD 001")
        block.keep(0x01, "FL", 0.0)
        block.keep(0x03, "FL", rng.choice((0.0, 50.0, 800.0, 1000.0)))
        block.keep(0x04, "CS", "P")
        block.keep(0x06, "CS", "N")
        block.keep(0x08, "IS", "1")
        block.keep(0x0A, "IS", f"{number}")
        block.keep(0x0B, "CS", "TRANSVERSAL")
        block.keep(0x10, "CS", "NO")
        block.keep(0x23, "DS", "90.0")
        block.keep(0x24, "CS", "N")
        scale = draft.block(data, 0x2005, "Philips MR Imaging DD 001")
        scale.keep(0x0D, "FL", 0.0)
        scale.keep(0x0E, "FL", 0.0625)
        scale.keep(0x00, "FL", 1.5)
        scale.keep(0x01, "FL", -2.25)
        scale.keep(0x30, "FL", 4500.0)
    if series.modality == "PT":
        block = draft.block(data, 0x7053, "Philips PET Private Group")
        block.keep(0x00, "DS", "0.000728")
        block.keep(0x09, "DS", "1.1436")
    if series.modality == "CT":
        block = draft.block(data, 0x01F1, "ELSCINT1")
        block.keep(0x01, "CS", "HELICAL")
        block.keep(0x07, "DS", "43.6")
        block.keep(0x27, "DS", "0.75")
        phantom = draft.block(data, 0x00E1, "ELSCINT1")
        phantom.keep(0x50, "DS", "6.4")
    third = draft.block(data, 0x2001, "Philips Imaging DD 129")
    third.gone(0x20, "LO", Gap("Operator "), exam.operator.prose)
    third.gone(0x21, "LO", exam.patient.number)
    comment = draft.block(data, 0x2005, "Philips MR Imaging DD 098")
    comment.gone(0x01, "ST", Gap("pat "), exam.patient.full, Gap(" tel "), exam.patient.telephone)


def _hologic(draft: Draft, series: Series, _number: int, rng: Random) -> None:
    block = draft.block(draft.dataset, 0x0019, "LORAD Selenia")
    block.keep(0x06, "LO", "18x24 cm")
    block.keep(0x07, "SH", "C")
    block.keep(0x26, "LO", "Small paddle")
    block.keep(0x41, "DS", f"{rng.randint(900, 2400)}")
    codec = draft.block(draft.dataset, 0x7E01, "HOLOGIC, Inc.")
    codec.keep(0x01, "LO", "1.0.0")
    codec.keep(0x02, "SH", "3DVIEW")
    asked = draft.block(draft.dataset, 0x0011, "Hologic")
    asked.gone(0x00, "LO", series.exam.patient.caret)


def _fuji(draft: Draft, series: Series, _number: int, _rng: Random) -> None:
    block = draft.block(draft.dataset, 0x0009, "FDMS 1.0")
    block.keep(0x10, "CS", "XG1")
    block.keep(0xF0, "CS", "NO")
    exposure = draft.block(draft.dataset, 0x0019, "FDMS 1.0")
    exposure.gone(0x60, "SH", Phi(series.exam.operator.family, Row.NAME), listed=True)
    exposure.gone(0x90, "SH", series.exam.patient.number, listed=True)


def _local_systems(draft: Draft, series: Series, rng: Random) -> None:
    """Blocks that no table knows: a RIS, a PACS, a router."""
    exam, data = series.exam, draft.dataset
    ris = draft.block(data, 0x0033, rng.choice(("RIS LINK 4.2", "WORKFLOW EXT", "MEDIROUTE 01")))
    ris.gone(0x01, "LO", exam.patient.comma)
    ris.gone(0x02, "SH", exam.patient.number)
    ris.gone(0x03, "LT", Gap("Ward phone "), Phi(exam.site.phone, Row.PHONE), Gap(", SSN "), exam.patient.social)
    ris.date(0x04, "DA", exam.date)
    ris.date(0x05, "DT", f"{exam.date}{exam.time}.120000+0100")
    ris.uid(0x06, "UI", make_uid(series.uid, "job"))
    ris.gone(0x07, "UN", Phi(f"route={exam.site.short}/{exam.accession}", Row.OTHER_ID))
    child = Dataset()
    inner = draft.block(child, 0x0033, "RIS LINK INNER")
    inner.gone(0x10, "PN", Phi(exam.referring.caret, Row.NAME))
    inner.gone(0x11, "ST", Gap("Home: "), exam.patient.home)
    inner.date(0x12, "DA", exam.date)
    ris.items(0x08, child)
    unknown = draft.block(data, 0x0035, "VENDOR RAW 7")
    unknown.gone(0x20, "LO", f"ZQ{rng.randrange(10**8, 10**9)}")
