"""Words for findings: what a curator reads instead of codes and bare numbers."""

from __future__ import annotations

import math
import re
from enum import StrEnum
from typing import TYPE_CHECKING

from deidra.app.decide.redaction import Fill
from deidra.app.domain.model import NO_REMARK, Action, Asset, DecisionKind, Finding, ReasonCode, Remark, Verdict
from deidra.app.domain.taxonomy import TYPES, EntityType
from deidra.ui.translation import decimal, later, number, tr, trn

if TYPE_CHECKING:
    from deidra.app.review.second import SecondState
    from deidra.app.workflow import RunSummary

VARIANCE_TIP = later(
    "Uncertainty is the variance of the agents' scores: 0 means that they agree, "
    "and the larger it is, the less any single one should be trusted."
)
RISK_TIP = later("Risk is 0 to 100: how much would be disclosed if this one item stayed in a released file.")


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
    BoxState.UNDECIDED: later("waits for a decision"),
    BoxState.AUTO: later("applied by the policy"),
    BoxState.REDACT: later("accepted, will be redacted"),
    BoxState.REPLACE: later("will be replaced"),
    BoxState.BLANK: later("will be blanked"),
    BoxState.KEEP: later("kept as it is"),
    BoxState.IGNORED: later("not private, says the policy"),
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
    "deidra-det": later("first text detector"),
    "ppocr-det": later("second text detector"),
    "ppocr-rec": later("first reader"),
    "tesseract": later("second reader"),
    "deidra-tag": later("reading of the sentence"),
    "gazetteer": later("lists of names"),
    "known-identifier": later("value of a header"),
    "label": later("label beside it"),
    "faces": later("face detector"),
}
"""What a curator reads instead of the names of models; other agents are named in words already."""

ACTION_WORDS = {
    Action.REDACT: later("cover the pixels"),
    Action.REMOVE: later("remove the value"),
    Action.EMPTY: later("empty the value"),
    Action.DUMMY: later("write a dummy value"),
    Action.SHIFT: later("shift the date"),
    Action.REMAP: later("map to a new identifier"),
    Action.CLEAN: later("clean the text"),
    Action.REPLACE: later("replace with a surrogate"),
    Action.KEEP: later("keep as it is"),
}

DECISION_WORDS = {
    DecisionKind.ACCEPT: later("accepted"),
    DecisionKind.REPLACE: later("replaced"),
    DecisionKind.BLANK: later("blanked"),
    DecisionKind.KEEP: later("kept"),
}

FILL_WORDS = {
    Fill.BLACK: later("black"),
    Fill.WHITE: later("white"),
    Fill.BACKGROUND: later("the colour around the box"),
    Fill.CORNER: later("the colour of the box's corner"),
    Fill.INPAINT: later("drawn on from around"),
    Fill.BLUR: later("a blur that tells how dark the text was"),
}
REASON_WORDS = {
    ReasonCode.NONE: later("no reason given"),
    ReasonCode.NOT_PRIVATE: later("not private"),
    ReasonCode.MISREAD: later("read or found wrongly"),
    ReasonCode.NEEDED: later("needed for the study"),
    ReasonCode.AGREED: later("agreed with whoever asked"),
    ReasonCode.CAUTION: later("covered to be on the safe side"),
    ReasonCode.OTHER: later("another reason, see the note"),
}


def history_words(finding: Finding) -> str:
    """What a curator decided on a finding, in a sentence."""
    if finding.decision is None:
        return tr("Not decided yet.")
    return f"{said_words(tr('Curator'), finding.decision, finding.decision_text)}."


def said_words(who: str, kind: DecisionKind | None, text: str | None = None, remark: Remark = NO_REMARK) -> str:
    """For example ``Ann: replaced with “Poe” (not private; see page 2)``."""
    what = tr(DECISION_WORDS[kind]) if kind else tr("taken back")
    if text:
        what = tr("{decision} with “{text}”", decision=what, text=text)
    words = f"{who}: {what}"
    more = [tr(REASON_WORDS[remark.code])] if remark.code is not ReasonCode.NONE else []
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
    return f"{shown} …" if len(words) > 4 else shown or tr("(no text)")


def type_label(kind: EntityType | None) -> str:
    """The type in words, for example ``birth date``."""
    return tr(TYPES[kind].label) if kind else tr("no type")


def place(finding: Finding, asset: Asset | None) -> str:
    """Where a finding is, for example ``US · frame 3`` or ``PDF · page 1``; counted from 1."""
    source = (asset.modality or asset.kind.value.upper()) if asset else ""
    if finding.tag is not None:
        where = finding.tag
    elif finding.page is not None:
        where = tr("page {number}", number=finding.page + 1)
    elif finding.frame is not None:
        where = tr("frame {number}", number=finding.frame + 1)
    else:
        where = tr("all frames")
    return f"{source} · {where}" if source else where


def measures(finding: Finding) -> str:
    """Risk and uncertainty with their names, for example ``risk 82 · uncertain 0.31``; a flag is told, too."""
    words = tr(
        "risk {risk} · uncertain {variance}", risk=decimal(finding.risk, 0), variance=decimal(finding.variance, 2)
    )
    return f"{words} · ⚑ {tr('flagged')}" if finding.remark.flagged else words


def score_text(score: float, variance: float) -> str:
    """A score with its standard deviation, for example ``0.91 ± 0.18``."""
    return f"{decimal(score, 2)} ± {decimal(math.sqrt(variance), 2)}" if variance > 0 else decimal(score, 2)


def proposal_text(finding: Finding) -> str:
    """The proposed action in words, with the surrogate where there is one."""
    words = tr(ACTION_WORDS[finding.action])
    if not finding.proposal:
        return words
    if finding.action in (Action.REDACT, Action.REMOVE, Action.EMPTY, Action.KEEP):
        return tr("{action}. A replacement would be: {text}", action=words, text=finding.proposal)
    return f"{words}: {finding.proposal}"


def duration_text(seconds: float) -> str:
    """Seconds as people say them: ``40 s``, ``3 min``, ``2 h 10 min``."""
    if seconds < 60:
        return f"{max(1, math.ceil(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def waiting_words(waiting: int) -> str:
    """For example ``1,204 items wait for a decision``."""
    return trn("{count} item waits for a decision", "{count} items wait for a decision", waiting)


def files(count: int) -> str:
    """For example ``1,204 files``."""
    return trn("{count} file", "{count} files", count)


def project_lines(summary: RunSummary) -> list[str]:
    """The state of a project in sentences; what to do next where it is empty."""
    if not summary.assets:
        return [tr("There are no files yet. Drop a folder here, or press Ctrl+Shift+I.")]
    lines = [
        tr(
            "{files}, {ready} of them ready for release",
            files=files(summary.assets),
            ready=number(summary.released_automatically),
        ),
        f"{trn('{count} finding', '{count} findings', summary.findings)}; {waiting_words(summary.queued)}",
    ]
    held = len(summary.quarantined)
    return [*lines, trn("{count} file held back", "{count} files held back", held)] if held else lines


def _second_words(state: SecondState) -> str:
    return tr(
        "A second curator has {unread} items to read, and {differences} differences are not settled. Press Ctrl+5.",
        unread=number(state.unread),
        differences=number(state.differences),
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
        (
            summary.assets > 0,
            tr("{files} in the project", files=files(summary.assets)),
            tr("There are no files. Press Ctrl+Shift+I."),
        ),
        (
            not summary.queued,
            tr("Every item is decided"),
            tr(
                "{items}. Press Ctrl+4 to go on, or say at the release what becomes of them.",
                items=waiting_words(summary.queued),
            ),
        ),
        (
            current,
            tr("Everything was decided under the policy in force"),
            tr("The policy or patients' dates have changed since. Press Ctrl+2, then Apply."),
        ),
        (
            second is None or second.is_done,
            tr("Nothing is left for a second reader"),
            "" if second is None else _second_words(second),
        ),
        (
            not held,
            tr("No file is held back"),
            tr("{files} held back, to be left out. Ctrl+1 tells why.", files=files(held)),
        ),
        (
            broken_row is None,
            tr("The audit log is intact"),
            tr(
                "The audit log was changed at row {row}. Ask whoever keeps the project before anything leaves.",
                row=broken_row,
            ),
        ),
    )
    return [f"✓ {well}" if passed else f"! {otherwise}" for passed, well, otherwise in checks]
