"""How far curators agree beyond chance: Cohen's and Fleiss' kappa, shares with their intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

_Z = 1.959964
"""Standard normal quantile of 97.5 %: two-sided intervals of 95 %."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


def wilson(hits: int, trials: int) -> Estimate | None:
    """A share with its score interval (Wilson 1927); None without trials."""
    if not trials:
        return None
    share, spread = hits / trials, _Z**2 / trials
    middle = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * math.sqrt(share * (1 - share) / trials + spread / (4 * trials))
    return Estimate(share, max(0.0, middle - half), min(1.0, middle + half))


def cohen(pairs: Sequence[tuple[Hashable, Hashable]]) -> Estimate | None:
    """Cohen's kappa of two readings of the same items.

    The interval is that for large samples of Fleiss, Cohen and Everitt (1969).

    Returns:
        None without pairs, and where chance alone explains all, since both readers said one and the same of every item.
    """
    total = len(pairs)
    if not total:
        return None
    cells = Counter(pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    kinds = set(first) | set(second)
    seen = sum(cells[kind, kind] for kind in kinds) / total
    chance = sum(first[kind] * second[kind] for kind in kinds) / total**2
    if math.isclose(chance, 1.0):
        return None
    kappa = (seen - chance) / (1 - chance)
    variance = -((seen * chance - 2 * chance + seen) ** 2)
    for (a, b), count in cells.items():
        if a == b:
            weight = (1 - chance) - (first[a] + second[a]) / total * (1 - seen)
        else:
            weight = (1 - seen) * (second[a] + first[b]) / total
        variance += count / total * weight**2
    # Rounding can leave a tiny value below zero where all agree.
    half = _Z * math.sqrt(max(0.0, variance) / total) / (1 - chance) ** 2
    return Estimate(kappa, max(-1.0, kappa - half), min(1.0, kappa + half))


def fleiss(items: Sequence[Sequence[Hashable]]) -> float | None:
    """Fleiss' kappa (1971) of items that have the same number of readings each, by any readers.

    Returns:
        None without items, and where all readings are the same.

    Raises:
        ValueError: an item has another number of readings than the first, or fewer than two.
    """
    if not items:
        return None
    readers = len(items[0])
    if readers < 2 or any(len(readings) != readers for readings in items):
        raise ValueError("every item needs the same number of readings, two at least")
    tables = [Counter(readings) for readings in items]
    agree = sum(
        sum(count * (count - 1) for count in table.values()) / (readers * (readers - 1)) for table in tables
    ) / len(items)
    whole = sum(tables, Counter[Hashable]())
    chance = sum((count / (readers * len(items))) ** 2 for count in whole.values())
    return None if math.isclose(chance, 1.0) else (agree - chance) / (1 - chance)
