"""Words for findings: what a curator reads instead of codes and bare numbers."""

from __future__ import annotations

import math
import re
from enum import StrEnum
from typing import TYPE_CHECKING

from deidra.app.decide.redaction import Fill
from deidra.app.domain.model import NO_REMARK, Action, Asset, DecisionKind, Finding, ReasonCode, Remark, Verdict
from deidra.app.domain.taxonomy import TYPES, EntityType

if TYPE_CHECKING:
    from deidra.app.review.second import SecondState
    from deidra.app.workflow import RunSummary

VARIANCE_TIP = (
    "Uncertainty is the variance of the agents' scores: 0 means that they agree, "
    "and the larger it is, the less any single one should be trusted."
)
RISK_TIP = "Risk is 0 to 100: how much would be disclosed if this one item stayed in a released file."


class BoxState(StrEnum):
    """What a finding looks like on the image and in the queue."""

    UNDECIDED = "undecided"
    AUTO = "auto"
    REDACT = "redact"
    REPLACE = "replace"
    BLANK = "blank"
    KEEP = "keep"
    IGNORED = "ignored"


STATE_WORDS = {
    BoxState.UNDECIDED: "waits for a decision",
    BoxState.AUTO: "applied by the policy",
    BoxState.REDACT: "accepted, will be redacted",
    BoxState.REPLACE: "will be replaced",
    BoxState.BLANK: "will be blanked",
    BoxState.KEEP: "kept as it is",
    BoxState.IGNORED: "not private, says the policy",
}

STATE_MARKS = {
    BoxState.UNDECIDED: "?",
    BoxState.AUTO: "✓",
    BoxState.REDACT: "A",
    BoxState.REPLACE: "R",
    BoxState.BLANK: "B",
    BoxState.KEEP: "K",
    BoxState.IGNORED: "–",
}

AGENT_WORDS = {
    "deidra-det": "first text detector",
    "ppocr-det": "second text detector",
    "ppocr-rec": "first reader",
    "tesseract": "second reader",
    "deidra-tag": "reading of the sentence",
    "gazetteer": "lists of names",
    "known-identifier": "value of a header",
    "label": "label beside it",
    "faces": "face detector",
}
"""What a curator reads instead of the names of models; other agents are named in words already."""

ACTION_WORDS = {
    Action.REDACT: "cover the pixels",
    Action.REMOVE: "remove the value",
    Action.EMPTY: "empty the value",
    Action.DUMMY: "write a dummy value",
    Action.SHIFT: "shift the date",
    Action.REMAP: "map to a new identifier",
    Action.CLEAN: "clean the text",
    Action.REPLACE: "replace with a surrogate",
    Action.KEEP: "keep as it is",
}

DECISION_WORDS = {
    DecisionKind.ACCEPT: "accepted",
    DecisionKind.REPLACE: "replaced",
    DecisionKind.BLANK: "blanked",
    DecisionKind.KEEP: "kept",
}

FILL_WORDS = {
    Fill.BLACK: "black",
    Fill.WHITE: "white",
    Fill.BACKGROUND: "the colour around the box",
    Fill.CORNER: "the colour of the box's corner",
    Fill.INPAINT: "drawn on from around",
    Fill.BLUR: "a blur that tells how dark the text was",
}
REASON_WORDS = {
    ReasonCode.NONE: "no reason given",
    ReasonCode.NOT_PRIVATE: "not private",
    ReasonCode.MISREAD: "read or found wrongly",
    ReasonCode.NEEDED: "needed for the study",
    ReasonCode.AGREED: "agreed with whoever asked",
    ReasonCode.CAUTION: "covered to be on the safe side",
    ReasonCode.OTHER: "another reason, see the note",
}


def history_words(finding: Finding) -> str:
    """What a curator decided on a finding, in a sentence."""
    if finding.decision is None:
        return "Not decided yet."
    words = f"Curator: {DECISION_WORDS[finding.decision]}"
    return f"{words} with “{finding.decision_text}”." if finding.decision_text else f"{words}."


def said_words(who: str, kind: DecisionKind | None, text: str | None = None, remark: Remark = NO_REMARK) -> str:
    """For example ``Ann: replaced with “Poe” (not private; see page 2)``."""
    words = f"{who}: {DECISION_WORDS[kind] if kind else 'taken back'}"
    if text:
        words += f" with “{text}”"
    more = [REASON_WORDS[remark.code]] if remark.code is not ReasonCode.NONE else []
    more += [remark.note] if remark.note else []
    return f"{words} ({'; '.join(more)})" if more else words


def state_of(finding: Finding) -> BoxState:
    """The one state that a finding is shown in: the decision first, then the verdict."""
    if finding.decision is DecisionKind.ACCEPT:
        if finding.action is Action.KEEP:
            return BoxState.KEEP
        return BoxState.REPLACE if finding.action is Action.REPLACE and finding.proposal else BoxState.REDACT
    if finding.decision is not None:
        return BoxState(finding.decision.value)
    if finding.verdict is Verdict.QUEUE:
        return BoxState.UNDECIDED
    return BoxState.AUTO if finding.verdict is Verdict.AUTO else BoxState.IGNORED


def surrogate_of(finding: Finding) -> str:
    """The text that is written in place of the original; empty where nothing is written."""
    if finding.decision is DecisionKind.REPLACE:
        return finding.decision_text or ""
    return (finding.proposal or "") if finding.decision is DecisionKind.ACCEPT else ""


def masked(text: str) -> str:
    """``John Smith`` as ``J*** S***``: enough to tell rows apart, not enough to identify anybody."""
    words = re.findall(r"[^\s^=\\]+", text)
    shown = " ".join(f"{word[0]}***" for word in words[:4])
    return f"{shown} …" if len(words) > 4 else shown or "(no text)"


def type_label(kind: EntityType | None) -> str:
    """The type in words, for example ``birth date``."""
    return TYPES[kind].label if kind else "no type"


def place(finding: Finding, asset: Asset | None) -> str:
    """Where a finding is, for example ``US · frame 3`` or ``PDF · page 1``; counted from 1."""
    source = (asset.modality or asset.kind.value.upper()) if asset else ""
    if finding.tag is not None:
        where = finding.tag
    elif finding.page is not None:
        where = f"page {finding.page + 1}"
    elif finding.frame is not None:
        where = f"frame {finding.frame + 1}"
    else:
        where = "all frames"
    return f"{source} · {where}" if source else where


def measures(finding: Finding) -> str:
    """Risk and uncertainty with their names, for example ``risk 82 · uncertain 0.31``; a flag is told, too."""
    words = f"risk {finding.risk:.0f} · uncertain {finding.variance:.2f}"
    return f"{words} · ⚑ flagged" if finding.remark.flagged else words


def score_text(score: float, variance: float) -> str:
    """A score with its standard deviation, for example ``0.91 ± 0.18``."""
    return f"{score:.2f} ± {math.sqrt(max(0.0, variance)):.2f}" if variance > 0 else f"{score:.2f}"


def proposal_text(finding: Finding) -> str:
    """The proposed action in words, with the surrogate where there is one."""
    words = ACTION_WORDS[finding.action]
    if not finding.proposal:
        return words
    if finding.action in (Action.REDACT, Action.REMOVE, Action.EMPTY, Action.KEEP):
        return f"{words}. A replacement would be: {finding.proposal}"
    return f"{words}: {finding.proposal}"


def duration_text(seconds: float) -> str:
    """Seconds as people say them: ``40 s``, ``3 min``, ``2 h 10 min``."""
    if seconds < 60:
        return f"{max(1, math.ceil(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def waiting_words(waiting: int) -> str:
    """For example ``1,204 items wait for a decision``."""
    return f"{waiting:,} {'item waits' if waiting == 1 else 'items wait'} for a decision"


def files(count: int) -> str:
    """For example ``1,204 files``."""
    return f"{count:,} {'file' if count == 1 else 'files'}"


def project_lines(summary: RunSummary) -> list[str]:
    """The state of a project in sentences; what to do next where it is empty."""
    if not summary.assets:
        return ["There are no files yet. Drop a folder here, or press Ctrl+Shift+I."]
    lines = [
        f"{files(summary.assets)}, {summary.released_automatically:,} of them ready for release",
        f"{summary.findings:,} findings; {waiting_words(summary.queued)}",
    ]
    return [*lines, f"{files(len(summary.quarantined))} held back"] if summary.quarantined else lines


def _second_words(state: SecondState) -> str:
    return (
        f"A second curator has {state.unread:,} items to read, and {state.differences:,} differences are not settled. "
        "Press Ctrl+5."
    )


def release_lines(
    summary: RunSummary, broken_row: int | None, current: bool = True, second: SecondState | None = None
) -> list[str]:
    """What is in the way of a release, a sentence a check: a tick where all is well, ``!`` where not.

    Args:
        summary: the state of the project.
        broken_row: the first row of the audit log that was changed, counted from 1; None when it is intact.
        current: whether everything was decided under the policy in force.
        second: what is left of the second reading; None where there is none.
    """
    held = len(summary.quarantined)
    checks = (
        (summary.assets > 0, f"{files(summary.assets)} in the project", "There are no files. Press Ctrl+Shift+I."),
        (
            not summary.queued,
            "Every item is decided",
            f"{waiting_words(summary.queued)}. Press Ctrl+4 to go on, or say at the release what becomes of them.",
        ),
        (
            current,
            "Everything was decided under the policy in force",
            "The policy or patients' dates have changed since. Press Ctrl+2, then Apply.",
        ),
        (
            second is None or second.is_done,
            "Nothing is left for a second reader",
            "" if second is None else _second_words(second),
        ),
        (not held, "No file is held back", f"{files(held)} held back, to be left out. Ctrl+1 tells why."),
        (
            broken_row is None,
            "The audit log is intact",
            f"The audit log was changed at row {broken_row}. Ask whoever keeps the project before anything leaves.",
        ),
    )
    return [f"✓ {well}" if passed else f"! {otherwise}" for passed, well, otherwise in checks]
