"""The kinds of made-up loans, and how many loans of each there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from filing.demo.weights import repeated


class Kind(IntEnum):
    """The kind of a loan, on which many of its columns depend."""

    HOME = 0  # closed-end, site-built, one to four units
    MANUFACTURED = 1
    LINE = 2  # open-end
    REVERSE = 3
    BUSINESS = 4  # one to four units that are rented out
    MULTIFAMILY = 5


@dataclass(frozen=True, slots=True)
class _Traits:
    """The loan types of 100 loans of a kind, and the bounds of their amounts in dollars.

    The bounds pass all edits about the size of a loan (quality edits Q607, Q624 to Q628). scale:
    the amounts relative to those of a home.
    """

    loan_types: Mapping[int, int]
    least: int
    most: int
    scale: float


_TRAITS = {
    Kind.HOME: _Traits({1: 66, 2: 19, 3: 11, 4: 4}, 45_000, 620_000, 1.0),
    Kind.MANUFACTURED: _Traits({1: 60, 2: 40}, 30_000, 190_000, 0.4),
    Kind.LINE: _Traits({1: 100}, 15_000, 240_000, 0.35),
    Kind.REVERSE: _Traits({1: 20, 2: 80}, 60_000, 600_000, 0.9),
    Kind.BUSINESS: _Traits({1: 100}, 60_000, 610_000, 1.2),
    Kind.MULTIFAMILY: _Traits({1: 100}, 400_000, 9_000_000, 9.0),
}
# The number of loans of each kind among 100 loans of a purpose.
_KINDS: dict[int, dict[int, int]] = {
    1: {Kind.HOME: 86, Kind.MANUFACTURED: 7, Kind.BUSINESS: 4, Kind.MULTIFAMILY: 3},
    2: {Kind.HOME: 45, Kind.LINE: 48, Kind.MANUFACTURED: 5, Kind.MULTIFAMILY: 2},
    31: {Kind.HOME: 82, Kind.LINE: 6, Kind.MANUFACTURED: 3, Kind.BUSINESS: 5, Kind.MULTIFAMILY: 4},
    32: {Kind.HOME: 80, Kind.LINE: 8, Kind.REVERSE: 5, Kind.BUSINESS: 4, Kind.MULTIFAMILY: 3},
    4: {Kind.HOME: 48, Kind.LINE: 46, Kind.REVERSE: 6},
    5: {Kind.HOME: 100},
}
SUBORDINATE_AT_MOST = 240_000


def _by_percent(table: Mapping[int, Mapping[int, int]]) -> NDArray[np.int8]:
    """Return a table with a row for each key and 100 columns of equal chance."""
    rows = np.zeros((max(table) + 1, 100), dtype=np.int8)
    for key, weights in table.items():
        rows[key] = repeated(weights)
    return rows


KIND_OF_PURPOSE = _by_percent(_KINDS)
TYPE_OF_KIND = _by_percent({kind: traits.loan_types for kind, traits in _TRAITS.items()})
LEAST = np.array([_TRAITS[kind].least for kind in Kind])
MOST = np.array([_TRAITS[kind].most for kind in Kind])
SCALE = np.array([_TRAITS[kind].scale for kind in Kind])
