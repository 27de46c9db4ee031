"""Texts in which nothing is private though much looks so: how many are flagged, and how many asked about."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from deidra.app.decide.texts import TextJudge
from deidra.app.domain.model import Verdict

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LookAlike:
    """One text, its group, and the attribute in which such texts stand; empty for texts on images."""

    text: str
    group: str
    tag: str = ""

    @property
    def held_out(self) -> bool:
        """True for the half that nobody looks at while the tagger is improved."""
        return hashlib.sha256(self.text.encode()).digest()[0] % 2 == 1


def look_alikes() -> list[LookAlike]:
    """The texts of ``data/lookalikes.toml``."""
    text = (resources.files(__package__) / "data" / "lookalikes.toml").read_text("utf-8")
    groups = tomllib.loads(text)["group"]
    return [LookAlike(string, group["name"], group.get("tag", "")) for group in groups for string in group["strings"]]


def measure_look_alikes(judge: TextJudge, texts: Iterable[LookAlike]) -> Figures:
    """Shares of texts with a span that the policy takes for private, or asks about.

    As plain text and in their attribute; on an image, where words of no list are asked about, as lines. Texts of the
    half that is not held out are listed where something was said of them.
    """
    all_ = list(texts)
    rows = [(one, _said(judge, one)) for one in all_]
    groups = sorted({one.group for one in all_})
    return {
        "halves": {
            name: _shares([said for one, said in rows if one.held_out is held])
            for name, held in (("open", False), ("held out", True))
        },
        "all": _shares([said for _, said in rows]),
        "groups": {
            f"{group}, {name}": _shares([said for one, said in rows if (one.group, one.held_out) == (group, held)])
            for group in groups
            for name, held in (("open", False), ("held out", True))
        },
        "open": [
            {"text": one.text, "group": one.group, **said} for one, said in rows if not one.held_out and _any(said)
        ],
    }


def _said(judge: TextJudge, one: LookAlike) -> dict[str, str]:
    ways = {"plain": judge.spans(one.text), "image": judge.spans(one.text, unknown_words=True)}
    ways["header"] = judge.spans(one.text, tag=one.tag) if one.tag else ()
    said = {}
    for way, spans in ways.items():
        verdicts = {span.verdict for span in spans}
        said[way] = next((v.value for v in (Verdict.AUTO, Verdict.QUEUE) if v in verdicts), "")
    return said


def _any(said: dict[str, str]) -> bool:
    return any(said.values())


def _shares(said: Sequence[dict[str, str]]) -> Figures:
    found: Figures = {"texts": len(said)}
    for way in ("plain", "header", "image"):
        for name, verdict in (("flagged", Verdict.AUTO), ("asked", Verdict.QUEUE)):
            count = sum(one[way] == verdict.value for one in said)
            found[f"{way}_{name}"] = round(count / len(said), 4) if said else None
    return found
