"""Names of patients, relatives and staff as headers, films, forms and letters write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.people import Phi
from deidra.app.synth.scenes.words import latin
from deidra.app.synth.texts.draw import Draw, Name
from deidra.app.synth.texts.parts import Part

Maker = Callable[[Draw], Sequence[Part]]

_TITLES = frozenset((
    "DR", "MD", "RN", "PA", "DO", "MR", "MS", "NP", "RT", "CT", "US", "XR", "NM", "PT", "AP", "SC", "MRI", "MRA", "PET",
    "CTA", "MIP", "MPR", "DSA", "ICU", "PTA", "SAG", "COR", "LAT", "FSE", "TSE", "ROI", "FOV",
))  # fmt: skip
"""Initials that mean something else."""
_PLAIN_WEIGHTS = (8, 6, 10, 8, 6, 5, 5, 4, 3, 3)
_PATIENT, _STAFF = EntityType.PATIENT, EntityType.STAFF


def prose(draw: Draw, name: Name) -> str:
    """``name`` as sentences have it, given name first in most."""
    if name.foreign and draw.chance(0.7):
        return name.foreign
    middle = f" {name.middle[0]}." if name.middle else ""
    turn = draw.rng.random()
    if turn < 0.5:
        text = f"{name.given}{middle} {name.family}"
    elif turn < 0.62:
        text = f"{name.given} {name.family}"
    elif turn < 0.7:
        text = " ".join(filter(None, (name.given, name.middle, name.family)))
    elif turn < 0.82:
        text = f"{name.family}, {name.given}{middle}"
    elif turn < 0.9:
        text = f"{name.given[0]}. {name.family}"
    elif turn < 0.93:
        text = f"{name.given[0]}.{name.middle[:1] or name.family[0]}. {name.family}"
    else:
        text = f"{name.family.upper()} {name.given}"
    if name.suffix and turn < 0.7:
        text += f"{draw.one((', ', ' '))}{name.suffix}"
    return text


def plain_order(draw: Draw, name: Name) -> str:
    """``name`` with the given name first, at times with an initial."""
    middle = f" {name.middle[0]}." if name.middle and draw.chance(0.6) else ""
    return f"{name.given}{middle} {name.family}"


def dicom(draw: Draw, name: Name, prefixes: Sequence[str], kind: EntityType) -> list[Part]:
    """A PN value; prefix and suffix components other than those of the name itself stand outside."""
    family, given, middle = name.family, name.given, name.middle
    if draw.chance(0.6):
        family, given, middle = latin(family) or family, latin(given) or given, latin(middle)
    text, end = f"{family}^{given}", ""
    if draw.chance(0.58):
        forms = (
            f"{family}, {given}{f' {middle[0]}' if middle else ''}", f"{family},{given}", f"{family} {given}",
            f"{given} {family}", f"{family}_{given}", f"{given[0]} {family}", f"{family}^{given[0]}",
            f"{family}{given[0]}", f"{family}.{given}", family,
        )  # fmt: skip
        text = draw.rng.choices(forms, _PLAIN_WEIGHTS)[0]
    elif name.foreign and draw.chance(0.6):
        text = f"{text}={name.foreign.replace(' ', '^')}"
    else:
        if middle:
            text += f"^{middle if draw.chance(0.5) else middle[0]}{f'^^{name.suffix}' if name.suffix else ''}"
        if prefixes and not name.suffix and draw.chance(0.2):
            end = f"{'^' * (2 - bool(middle))}{draw.one(prefixes)}"
        elif draw.chance(0.08):
            end = "^" * draw.rng.randint(1, 3)
    cased = cases(draw)
    return [Phi(cased(text), kind), cased(end)]


def cases(draw: Draw) -> Callable[[str], str]:
    """How a machine writes: capitals, as it was, or small letters."""
    turn = draw.rng.random()
    return str.upper if turn < 0.55 else str.lower if turn < 0.67 else str


def initials(draw: Draw, name: Name) -> str:
    """The initials with which somebody signs."""
    letters = (name.given[0], name.middle[:1], name.family[0])
    text = "".join(filter(None, letters)).upper()
    if text in _TITLES:
        text += next(letter for letter in f"{name.family[1:].upper()}Q" if text + letter not in _TITLES)
    turn = draw.rng.random()
    return text if turn < 0.7 else text.lower() if turn < 0.85 else ".".join(text) + "."


def _relative(draw: Draw) -> Name:
    return draw.name(draw.patient.family if draw.chance(0.6) else "")


def _one(kind: EntityType, write: Callable[[Draw], str]) -> Maker:
    return lambda draw: [Phi(write(draw), kind)]


def _nickname(draw: Draw) -> str:
    name = draw.patient
    return f'{name.given} "{name.given[: draw.rng.randint(3, 4)]}" {name.family}'


def _prefix(draw: Draw) -> str:
    """A title that fits the patient."""
    return draw.one(("Mrs.", "Ms.", "Ms", "Mrs", "Miss") if draw.patient.female else ("Mr.", "Mr", "Mr."))


def _comma(name: Name) -> str:
    return f"{name.family}, {name.given}"


def _glued(draw: Draw) -> str:
    family = draw.bare_family()
    return latin(family).replace(" ", "").replace("-", "").upper() or family


SLOTS: dict[str, Maker] = {
    "pt": _one(_PATIENT, lambda d: prose(d, d.patient)),
    "ptfull": _one(_PATIENT, lambda d: plain_order(d, d.patient)),
    "ptlast": _one(_PATIENT, lambda d: d.patient.family),
    "ptgiven": _one(_PATIENT, lambda d: d.patient.given),
    "ptcomma": _one(_PATIENT, lambda d: _comma(d.patient)),
    "ptrev": _one(_PATIENT, lambda d: f"{d.patient.family} {d.patient.given}"),
    "ptfilm": _one(_PATIENT, lambda d: _comma(d.patient).upper()),
    "ptcaret": _one(_PATIENT, lambda d: f"{d.patient.family}^{d.patient.given}".upper()),
    "ptnick": _one(_PATIENT, _nickname),
    "ptglued": _one(_PATIENT, _glued),
    "ptbare": _one(_PATIENT, lambda d: d.bare_family()),
    "ptini": _one(_PATIENT, lambda d: f"{d.patient.given[0]}.{d.patient.family[0]}."),
    "pn": lambda d: dicom(d, d.patient, ("MR", "MRS", "Mr.", "Ms.", "MS", "Frau", "Herr"), _PATIENT),
    "other": _one(_PATIENT, lambda d: plain_order(d, d.name())),
    "maiden": _one(_PATIENT, lambda d: d.family()),
    "rel": _one(_PATIENT, lambda d: plain_order(d, _relative(d))),
    "relcomma": _one(_PATIENT, lambda d: _comma(_relative(d))),
    "relgiven": _one(_PATIENT, lambda d: d.name().given),
    "st": _one(_STAFF, lambda d: prose(d, d.name())),
    "stfull": _one(_STAFF, lambda d: plain_order(d, d.name())),
    "stlast": _one(_STAFF, lambda d: d.family()),
    "stgiven": _one(_STAFF, lambda d: d.name().given),
    "stbare": _one(_STAFF, lambda d: d.bare_family()),
    "stini": _one(_STAFF, lambda d: initials(d, d.name())),
    "stcaret": _one(_STAFF, lambda d: "{0.family}^{0.given}".format(d.name()).upper()),
    "stglued": _one(_STAFF, _glued),
    "spn": lambda d: dicom(d, d.name(), ("DR", "Dr.", "MD", "M.D.", "Prof.", "DR.", "RT"), _STAFF),
    "mr": lambda d: [_prefix(d)],
    "dr": lambda d: [d.value("doctor_titles")],
    "deg": lambda d: [d.value("degrees")],
    "relation": lambda d: [d.value("relations")],
    "pro": lambda d: ["she" if d.patient.female else "he"],
    "Pro": lambda d: ["She" if d.patient.female else "He"],
    "pos": lambda d: ["her" if d.patient.female else "his"],
    "Pos": lambda d: ["Her" if d.patient.female else "His"],
}
