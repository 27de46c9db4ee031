"""Reasons, evidence and forms in the window's language: what the rest of Deidra says in English with values in it.

A reason is a list of remarks, divided by semicolons. Each is looked up as it is, else it is held against
:data:`_TEMPLATES`; one that is like none of them stays English.
"""

from __future__ import annotations

from deidra.ui.faults import fault_words
from deidra.ui.phrases import said_anew
from deidra.ui.translation import decimal, later, tr

_FIXED = (
    later("the patient's date shift"),
    later("only the year stays"),
    later("times of day are not kept"),
    later("patient pseudonym"),
    later("keyed UID"),
    later("keyed token"),
    later("a UID of the standard"),
    later("no value"),
    later("not in the profile's table"),
    later("not an attribute of the standard"),
    later("private attribute that is not known to be safe"),
    later("private attribute known to be safe"),
    later("private text cut out"),
    later("private by its attribute"),
    later("rule of the policy"),
    later("a person's name outside the profile's table"),
    later("a date outside the profile's table"),
    later("an address outside the profile's table"),
    later("a date that cannot be parsed"),
    later("ages over 89 are one group"),
    later("an age that cannot be read"),
    later("items are handled one by one"),
    later("its items become dummies"),
    later("a value that does not look like its type"),
    later("identifies although the table does not name it"),
    later("bytes that nobody reads"),
    later("read"),
    later("reads as such where it stands"),
    later("nothing private in it"),
    later("text that the readers could not read or read differently"),
    later("text that could not be read"),
    later("only one of two detectors sees text here"),
    later("the detector is in doubt"),
    later("the readers differ"),
    later("over two lines"),
    later("all its words are common"),
    later("given name and surname"),
    later("given name and surname, unusually written"),
    later("may be a name"),
    later("words of no list, written as a name"),
    later("a word of no list"),
    later("name before sex and age"),
    later("places"),
    later("may be a place"),
    later("may be a misread date"),
    later("a long number without a unit"),
    later("a number alone on its line"),
    later("written in the file"),
    later("written in the file, unlike what is seen"),
    later("text located here"),
    later("text located here, in a box around more than this line"),
    later("handwriting or a signature"),
    later("handwriting or a signature located here"),
    later("a barcode"),
    later("a barcode located here"),
    later("a face"),
    later("it cannot be told whether it is of a home or an office"),
    later("it ends the address above"),
    later("the first date behind a word of birth"),
    later("within an image of tissue"),
    later("outside of all image areas"),
    later("an identical copy was released"),
    later("another file has the same SOP Instance UID"),
    later("findings wait for a curator"),
    later("the run is not finished with it"),
    later("The PDF is encrypted."),
    later("The PDF is encrypted, and no password that was given opens it."),
    # Agents that are named in words already.
    later("device rule"),
    later("ultrasound regions"),
    later("rules"),
    later("profile"),
)
"""Remarks without values, which the catalogue has to know."""

_TEMPLATES = (
    later("PS3.15 {edition} Table E.3.4-1 action {code}"),
    later("PS3.15 {edition} action {code}"),
    later("the value of {keyword}"),
    later("like the value of {keyword}"),
    later("the date in {keyword}"),
    later("the number in {keyword}"),
    later("a name in {keyword}"),
    later("like a name in {keyword}"),
    later("initials of a name in {keyword}"),
    later("a word of {keyword}"),
    later("a word of {keyword} that stands apart"),
    later("words of {keyword}"),
    later("the beginning of a word of {keyword}"),
    later("read with confidence {score}"),
    later("doubt {score} of the observed range"),
    later("beside the label {label}: {meaning}"),
    later("beside the label of {meaning}"),
    later("only {agent} suspects text here, with probability {score}"),
    later("only {agent} suspects text here, and nobody can read it"),
    later("only the second reader: {remark}"),
    later("device rule: {name}"),
    later("{name}: identifying text is printed here"),
    later("{name}: is covered on images of this machine"),
    later("re-scan: {type} found in {place}"),
)
"""Remarks with values; the first that fits counts. ``meaning`` and ``remark`` are looked up in turn."""


def reason_words(text: str) -> str:
    """A reason, or what an agent says, in the language in use; English where the catalogue lacks it."""
    whole = fault_words(text)
    return whole if whole != text else "; ".join(map(_remark, text.split("; ")))


def _remark(text: str) -> str:
    return said_anew(text, _TEMPLATES, _shown)


def _shown(name: str, value: str) -> str:
    if name in ("meaning", "remark"):
        return tr(value)
    # Scores are written with two digits behind the point.
    return decimal(float(value), 2) if name == "score" else value


_RUNS = (
    later("{number} digit"),
    later("{number} digits"),
    later("{number} capital letter"),
    later("{number} capital letters"),
    later("{number} small letter"),
    later("{number} small letters"),
    later("{number} letter"),
    later("{number} letters"),
    later("{number} letter or digit"),
    later("{number} letters or digits"),
    later("{number} to {most} digits"),
    later("{number} to {most} capital letters"),
    later("{number} to {most} small letters"),
    later("{number} to {most} letters"),
    later("{number} to {most} letters or digits"),
    later("a blank"),
    later("blanks or dashes between them"),
)
"""What the runs of a form are called."""


def form_words(text: str) -> str:
    """What codes of a definition look like, run by run, for example ``1 letter, 8 digits``."""
    return ", ".join(said_anew(run, _RUNS, lambda _name, value: value) for run in text.split(", "))
