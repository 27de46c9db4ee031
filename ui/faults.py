"""Messages of known errors in the window's language. Those without values are looked up as they are."""

from __future__ import annotations

from deidra.app.domain.errors import KnownError
from deidra.ui.phrases import said_anew
from deidra.ui.translation import later, tr

_TEMPLATES = (
    later("Deidra failed on this file ({kind}); please report it."),
    later("The DICOM file holds a malformed element ({kind})."),
    later("The pixels cannot be decoded ({kind})."),
    later("The file cannot be written ({kind})."),
    later("Pixels of {number} bits cannot be redacted."),
    later("The new value of {path} does not fit its type ({kind})."),
    later("Only {number} MB are free on the disk that holds the project."),
    later("The model {name} is missing."),
    later("The model {name} is not the file that Deidra was tested with."),
    later("The model {name} cannot be loaded ({kind})."),
    later("The project database reported an error ({kind})."),
    later("This project was written by a newer Deidra (schema {theirs}; this one knows {own})."),
    later("{names} is at work on this item."),
    later("There is no finding {id}."),
    later("There is no difference about {id}."),
    later("{number} findings in {files} files wait for a curator."),
    later("The policy asks for a second reader: {number} items are unread, {differences} differences are not settled."),
    later("Line {number} of the patient table is not valid: {fault}."),
    later("Line {number} of the patient table is no valid CSV."),
    later("Line {number} of the patient table has too many cells."),
    later("It must hold patient_id, and may hold {columns}."),
    later("There is no policy {name}."),
    later("The policy {name} is not valid TOML: {fault}"),
    later("The policy {name} cannot be read."),
    later("The policy {name} cannot be written."),
    later("detect.only: nothing is known of {phrase}."),
    later("There are two definitions of {name}."),
    later("Give a name of at most {number} characters."),
    later("Give texts of at most {number} characters as they are written."),
    later("{name}: example {number} is a counter-example as well."),
    later("{name}: example {number} does not have the pattern given."),
    later("{name}: neither the words nor an example say what it looks like."),
    later("{name}: the pattern is no regular expression."),
    later("The picture {name} cannot be written."),
)
"""Messages with values; the first that fits counts."""
_FAULTS = (
    later("days is no whole number"),
    later("days must not be zero, nor leave the calendar"),
    later("baseline is no date"),
)
"""What can be wrong with a line of the patient table; others stay English."""


def error_words(error: KnownError) -> tuple[str, str]:
    """What happened, and what to do about it; empty where there is no advice."""
    return fault_words(str(error)), fault_words(error.advice)


def fault_words(message: str) -> str:
    """A message of a known error; English where the catalogue lacks it."""
    return said_anew(message, _TEMPLATES, lambda name, value: tr(value) if name == "fault" else value)
