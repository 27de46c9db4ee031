"""A policy in words of the language in use, line by line as :func:`deidra.app.decide.explain.explained` says it."""

from __future__ import annotations

import re

from deidra.app.decide.explain import explained
from deidra.app.decide.policy import Policy
from deidra.ui.phrases import said_anew
from deidra.ui.translation import later, locale, tr

_LINES = (
    later("Headers: {edition} Annex E, Basic profile. UIDs, names and patient IDs become keyed pseudonyms."),
    later("  rule {number}: {rule}"),
    later("Dates: {dates}."),
    later(
        "Text in pixels and kept values: covered or cut out without asking when it is private with probability {alone} "
        "or more and the agents' variance is {variance} or less, or when it equals a header value; a curator is asked "
        "from {queue} on; the rest stays."
    ),
    later("Pixels are searched for text by {agents}."),
    later("  What no header value vouches for is covered without asking only where {conditions}."),
    later(
        "  Text that nobody can read and that {agent} alone sees is asked about from a probability of {least} on, what "
        "{other} alone sees is not; handwriting that the readers do not agree on and barcodes that cannot be decoded "
        "always are."
    ),
    later(
        "  Text that nobody can read and that {agent} alone sees is asked about from a probability of {least} on; "
        "handwriting that the readers do not agree on and barcodes that cannot be decoded always are."
    ),
    later(
        "  Barcodes are decoded: one that holds a header value, or what a rule is as sure of as above, is covered; any "
        "other is asked about, unless all that it holds is plainly harmless."
    ),
    later("  device rule {name}: {action} {number} box where {selectors}"),
    later("  device rule {name}: {action} {number} boxes where {selectors}"),
    later("Texts are read by rules, lists of names and Deidra's entity tagger."),
    later("Texts are read by rules, lists of names and Deidra's entity tagger, diagnoses included."),
    later("Not private here: {types}."),
    later(
        "Pages of documents: what stands beside a label is what the label says, where it is of that form; what stands "
        "beside the label of something private and cannot be read is asked about."
    ),
    later("  Not private there: {types}."),
    later("  States of health beside their labels are private there."),
    later("  Numbers and dates beside the label of something harmless stay there, whatever their form."),
    later("  Private there beside texts: {things}."),
    later(
        "Decoys: made-up values are put among the items that wait, {share} as many as are asked about, to see how many "
        "a curator notices. They are in no release."
    ),
    later(
        "Decided items are read by {readers} curators, without sight of each other's decisions: all that are {types}. "
        "A release waits for that, and until differences are settled."
    ),
    later(
        "Decided items are read by {readers} curators, without sight of each other's decisions: {share} of "
        "them{strata}, drawn by seed {number}. A release waits for that, and until differences are settled."
    ),
    later(
        "Decided items are read by {readers} curators, without sight of each other's decisions: {share} of them, "
        "drawn by seed {number}. A release waits for that, and until differences are settled."
    ),
    later("Private in texts is this alone: {sentence}."),
    later("Defined as private: {name}; surer near the words {words}."),
    later("Defined as private: {name}."),
    later("ZIP codes keep their first {number} digits, where 20,000 people or more share them."),
    later("Covered areas are filled with {fill}."),
    later("Documents are written as {kind}; pages of a PDF on which nothing is covered or hidden stay text."),
    later("Documents are written as {kind}."),
    later("  {option} ({code})"),
)
"""What lines look like; the first that fits counts."""

_PARTS = (
    later("moved into the past by {least} to {most} days, the same for all dates of a patient"),
    later("moved by {days} days, the same for all patients"),
    later("moved so that each patient's first study, or imported baseline, is on {day}"),
    later("only the year stays (1 January where a day is demanded)"),
    later("times of day stay"),
    later("times of day are removed"),
    later("dates inside texts are cut out"),
    later("dates inside long texts move as well, those inside short ones are cut out"),
    later("the detector of Deidra"),
    later("the detector of PP-OCR"),
    later("both detectors see text there"),
    later(
        "the detector of Deidra is right with a probability at which few enough boxes were wrong when it was measured"
    ),
    later("the variance of the detector of Deidra is below that of every wrong box when it was measured"),
    later("of no type"),
    later(" of each type"),
    later(" of each third of the risk"),
    later("faces"),
    later("about which a curator is asked"),
)
"""What fields of lines hold."""

_LISTS = {"agents": later(" and by "), "conditions": later(" and "), "dates": "; ", "things": ", ", "types": ", "}
"""Fields that hold several things, and what stands between these."""
_AS_WRITTEN = ("name", "rule", "selectors", "sentence", "words")
"""Fields that hold what the policy's author wrote."""


def policy_lines(policy: Policy) -> list[str]:
    """Sentences that say what a policy does, without its name and description, which come first elsewhere."""
    _title, *rest = explained(policy)
    return [said_anew(line, _LINES, _shown) for line in rest if line]


def _shown(name: str, value: str) -> str:
    if name in _AS_WRITTEN:
        return value
    if re.fullmatch(r"\d+\.\d+", value):
        return value.replace(".", locale().decimalPoint())
    between = _LISTS.get(name, "")
    parts = value.split(between) if between else [value]
    return tr(between).join(said_anew(part, _PARTS, lambda _name, inner: inner) for part in parts)
