"""The graph of personal data: which kind, once exposed, led to which other in reported cases of identity theft.

Section 3.1 and appendices C and D of the paper on fine-grained privacy protection (FiG-Priv). An edge leads from what
was known to what was disclosed by it.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.errors import KnownError

Vector = NDArray[np.float64]
DAMPING = 0.85
"""The paper leaves it open; the value of the original PageRank."""
TOLERANCE = 1e-6
"""Section 3.1."""
_MOST_ROUNDS = 10_000
_COLUMNS = ("inputs", "outputs", "lossAmount")


class Weight(StrEnum):
    """What weighs an edge."""

    FREQUENCY = "frequency"
    """How many cases show it."""
    LOSS = "loss"
    """What was lost in them, in money."""


class Direction(StrEnum):
    """Which way influence flows."""

    DISCLOSED = "disclosed"
    """Along the edges, as algorithm 1 is printed: what many kinds lead to is risky."""
    DISCLOSING = "disclosing"
    """Against them: what leads to much else is risky."""


def read_cases(path: Path) -> nx.DiGraph[str]:
    """The graph of the cases in a CSV file.

    Args:
        path: columns ``inputs`` and ``outputs``, kinds with commas between them, and ``lossAmount``.

    Returns:
        Edges with ``frequency`` and ``loss``; nodes with the ``loss`` of the cases that name them.

    Raises:
        KnownError: the file cannot be read or lacks a column.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            if missing := [column for column in _COLUMNS if column not in (rows.fieldnames or [])]:
                raise KnownError(f"The table of cases lacks the column {missing[0]}.", "Add it.")
            for row in rows:
                _add_case(graph, _kinds(row["inputs"]), _kinds(row["outputs"]), float(row["lossAmount"] or 0))
    except (OSError, ValueError, csv.Error) as error:
        raise KnownError("The table of cases cannot be read.", "Check the file and its loss amounts.") from error
    return graph


def _kinds(cell: str | None) -> list[str]:
    return list(dict.fromkeys(word.strip().lower() for word in (cell or "").split(",") if word.strip()))


def _add_case(graph: nx.DiGraph[str], known: list[str], disclosed: list[str], loss: float) -> None:
    for kind in dict.fromkeys([*known, *disclosed]):
        graph.add_node(kind, loss=graph.nodes[kind]["loss"] + loss if kind in graph else loss)
    for u in known:
        for v in disclosed:
            if u != v:
                before = graph.get_edge_data(u, v, {"frequency": 0, "loss": 0.0})
                graph.add_edge(u, v, frequency=before["frequency"] + 1, loss=before["loss"] + loss)


def pagerank(
    graph: nx.DiGraph[str], weight: Weight = Weight.FREQUENCY, direction: Direction = Direction.DISCLOSED
) -> dict[str, float]:
    """PageRank of each kind (algorithm 1), the random jumps in proportion to the losses.

    The paper starts from the losses; where a walk starts is forgotten as it converges, so its jumps prefer them
    here. The results add up to 1.
    """
    names = list(graph)
    if not names:
        return {}
    matrix = nx.to_numpy_array(graph, names, weight=weight.value)
    if direction is Direction.DISCLOSING:
        matrix = matrix.T
    losses = np.array([graph.nodes[name].get("loss", 0.0) for name in names], np.float64)
    start = losses / losses.sum() if losses.sum() > 0 else np.full(len(names), 1 / len(names))
    out = matrix.sum(1)
    steps = np.divide(matrix, out[:, None], out=np.zeros_like(matrix), where=out[:, None] > 0)
    # From where no edge leads the walk jumps.
    steps[out == 0] = start
    rank = start
    for _ in range(_MOST_ROUNDS):
        following = DAMPING * rank @ steps + (1 - DAMPING) * start
        moved = float(np.abs(following - rank).max())
        rank = following
        if moved <= TOLERANCE * 1e-3:
            break
    return dict(zip(names, map(float, rank), strict=True))


@dataclass(frozen=True, slots=True)
class EHits:
    """Hub and authority of each kind; both add up to 1."""

    hub: Mapping[str, float]
    authority: Mapping[str, float]

    @property
    def risk(self) -> dict[str, float]:
        """Hub and authority together, which the paper takes for the risk."""
        return {name: hub + self.authority[name] for name, hub in self.hub.items()}


def ehits(graph: nx.DiGraph[str], weight: Weight = Weight.FREQUENCY) -> EHits:
    """Edge-weighting hyperlink-induced topic search (algorithm 2; Hoa and Ha, ASONAM 2017)."""
    names = list(graph)
    if not graph.number_of_edges():
        even = dict.fromkeys(names, 1 / max(1, len(names)))
        return EHits(even, even)
    matrix = nx.to_numpy_array(graph, names, weight=weight.value)
    most_in = max(degree for _, degree in graph.in_degree())
    most_out = max(degree for _, degree in graph.out_degree())
    hub = authority = np.full(len(names), 1 / len(names))
    for _ in range(_MOST_ROUNDS):
        next_hub = _normalised(matrix @ authority / most_out)
        next_authority = _normalised(matrix.T @ next_hub / most_in)
        moved = max(float(np.abs(next_hub - hub).max()), float(np.abs(next_authority - authority).max()))
        hub, authority = next_hub, next_authority
        if moved <= TOLERANCE * 1e-3:
            break
    return EHits(*(dict(zip(names, map(float, values), strict=True)) for values in (hub, authority)))


def _normalised(values: Vector) -> Vector:
    total = values.sum()
    return values / total if total > 0 else np.full(len(values), 1 / len(values))
