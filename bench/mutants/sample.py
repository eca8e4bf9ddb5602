"""The changes that are made: as many of each area as it is due, the same ones in every run."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from bench.mutants.changes import Change, changes
from bench.mutants.targets import AREAS, Area, modules

SEED = "2018"
WHOLE = 1_000
# How often a kind of change is made beside others: the more, the more a rule may hide it.
_WEIGHTS = {
    "condition": 4,
    "number": 4,
    "codes": 3,
    "comparison": 3,
    "logic": 3,
    "column": 3,
    "arithmetic": 2,
    "call": 2,
    "negation": 2,
    "pattern": 2,
    "period": 2,
    "arguments": 2,
}


def sample(
    root: Path, areas: Sequence[Area] = AREAS, *, count: int = WHOLE, seed: str = SEED
) -> dict[Change, Area]:
    """Return so many changes, area by area and module by module, each with its area.

    A change is chosen by a hash of what it is, so a rule added elsewhere changes few of the others.
    """
    by_area: dict[str, list[Change]] = defaultdict(list)
    for path, area in modules(root, areas):
        by_area[area.name] += changes(root, path)
    return {
        change: area
        for area in areas
        for change in chosen(
            root, by_area[area.name], count=round(area.count * count / WHOLE), seed=seed
        )
    }


def chosen(root: Path, some: Sequence[Change], *, count: int, seed: str) -> list[Change]:
    """Return so many of some changes: of each kind by its weight, by their hashes."""
    by_operator: dict[str, list[Change]] = defaultdict(list)
    for change in sorted(some, key=lambda change: _hash(change, seed)):
        by_operator[change.operator].append(change)
    ranked = sorted(
        ((rank + 1) / _WEIGHTS.get(operator, 1), operator, rank)
        for operator, its in by_operator.items()
        for rank in range(len(its))
    )
    found: list[Change] = []
    for _, operator, rank in ranked:
        if len(found) == count:
            break
        change = by_operator[operator][rank]
        if change.is_one((root / change.path).read_text()):
            found.append(change)
    return sorted(found, key=lambda change: (change.path, change.start, change.text))


def _hash(change: Change, seed: str) -> str:
    return hashlib.sha256("\0".join((seed, *change.key)).encode()).hexdigest()
