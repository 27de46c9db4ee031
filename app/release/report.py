"""Reports of a release for people: HTML and CSV. Counts and new identifiers only, no PHI."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment

from deidra.app.domain.model import DecisionKind, Finding, Verdict
from deidra.app.domain.taxonomy import TYPES, EntityType
from deidra.app.release.manifest import ReleasedFile

HTML = "report.html"
CSV = "report.csv"


class TypeCounts:
    """Counts findings by type: carried out alone, carried out by a curator, kept by a curator."""

    def __init__(self) -> None:
        self._auto: Counter[EntityType] = Counter()
        self._curated: Counter[EntityType] = Counter()
        self._kept: Counter[EntityType] = Counter()

    def add(self, findings: Iterable[Finding]) -> None:
        """Count the findings of one asset."""
        for finding in findings:
            if finding.type is None:
                continue
            if finding.decision is DecisionKind.KEEP:
                self._kept[finding.type] += 1
            elif finding.decision is not None or finding.verdict is Verdict.QUEUE:
                self._curated[finding.type] += 1
            else:
                self._auto[finding.type] += 1

    def rows(self) -> list[dict[str, object]]:
        """One row a type that occurs, riskiest first."""
        seen = sorted(self._auto.keys() | self._curated.keys() | self._kept.keys(), key=lambda t: -TYPES[t].risk)
        return [
            {
                "label": TYPES[kind].label,
                "hipaa": TYPES[kind].hipaa,
                "auto": self._auto[kind],
                "curated": self._curated[kind],
                "kept": self._kept[kind],
            }
            for kind in seen
        ]


def write_reports(
    folder: Path,
    files: Sequence[ReleasedFile],
    facts: Mapping[str, Any],
    types: TypeCounts,
    reasons: Mapping[str, int],
) -> list[str]:
    """Write both reports into the release folder; returns their names."""
    template = (resources.files(__package__) / "data" / "report.html.j2").read_text("utf-8")
    html = (
        Environment(autoescape=True)
        .from_string(template)
        .render(
            files=files,
            facts=facts,
            types=types.rows(),
            reasons=sorted(reasons.items(), key=lambda pair: -pair[1]),
            pixels=Counter(f.pixels for f in files).most_common(),
        )
    )
    (folder / HTML).write_text(html, "utf-8")
    with (folder / CSV).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        actions = sorted({name for f in files for name in f.actions})
        writer.writerow(["path", "sha256", "asset", "kind", "pixels", *actions])
        for f in files:
            writer.writerow([f.path, f.sha256, f.asset, f.kind, f.pixels, *(f.actions.get(a, 0) for a in actions)])
    return [HTML, CSV]
