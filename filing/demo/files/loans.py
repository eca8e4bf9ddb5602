"""The facts of made-up loans on which all their columns depend: their kinds, and whole columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from filing.demo.files import mix
from filing.demo.files.pools import ValuePools

Array = NDArray[Any]

_USUAL_AMOUNT = 230_000  # dollars
SUBORDINATE_AT_MOST = 240_000


class LoanKind(IntEnum):
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
    LoanKind.HOME: _Traits({1: 66, 2: 19, 3: 11, 4: 4}, 45_000, 620_000, 1.0),
    LoanKind.MANUFACTURED: _Traits({1: 60, 2: 40}, 30_000, 190_000, 0.4),
    LoanKind.LINE: _Traits({1: 100}, 15_000, 240_000, 0.35),
    LoanKind.REVERSE: _Traits({1: 20, 2: 80}, 60_000, 600_000, 0.9),
    LoanKind.BUSINESS: _Traits({1: 100}, 60_000, 610_000, 1.2),
    LoanKind.MULTIFAMILY: _Traits({1: 100}, 400_000, 9_000_000, 9.0),
}
# The number of loans of each kind among 100 loans of a purpose.
_KINDS: dict[int, dict[int, int]] = {
    1: {LoanKind.HOME: 86, LoanKind.MANUFACTURED: 7, LoanKind.BUSINESS: 4, LoanKind.MULTIFAMILY: 3},
    2: {LoanKind.HOME: 45, LoanKind.LINE: 48, LoanKind.MANUFACTURED: 5, LoanKind.MULTIFAMILY: 2},
    31: {
        LoanKind.HOME: 82,
        LoanKind.LINE: 6,
        LoanKind.MANUFACTURED: 3,
        LoanKind.BUSINESS: 5,
        LoanKind.MULTIFAMILY: 4,
    },
    32: {
        LoanKind.HOME: 80,
        LoanKind.LINE: 8,
        LoanKind.REVERSE: 5,
        LoanKind.BUSINESS: 4,
        LoanKind.MULTIFAMILY: 3,
    },
    4: {LoanKind.HOME: 48, LoanKind.LINE: 46, LoanKind.REVERSE: 6},
    5: {LoanKind.HOME: 100},
}


def _by_percent(table: Mapping[int, Mapping[int, int]]) -> NDArray[np.int8]:
    """Return a table with a row for each key and 100 columns of equal chance."""
    rows = np.zeros((max(table) + 1, 100), dtype=np.int8)
    for key, weights in table.items():
        rows[key] = mix.repeat_by_weight(weights)
    return rows


KIND_OF_PURPOSE = _by_percent(_KINDS)
TYPE_OF_KIND = _by_percent({kind: traits.loan_types for kind, traits in _TRAITS.items()})
LEAST = np.array([_TRAITS[kind].least for kind in LoanKind])
MOST = np.array([_TRAITS[kind].most for kind in LoanKind])
SCALE = np.array([_TRAITS[kind].scale for kind in LoanKind])


class Draw:
    """Random values for a number of loans."""

    def __init__(self, rng: np.random.Generator, size: int) -> None:
        self._rng, self.size = rng, size

    def order(self) -> Array:
        """Return all indexes in random order."""
        return self._rng.permutation(self.size)

    def below(self, bound: int) -> Array:
        """Return random numbers from 0 up to the bound."""
        return self._rng.integers(0, bound, self.size, dtype=np.uint32)

    def chance(self, percent: float) -> Array:
        """Return true for about this percentage of the loans."""
        return self._rng.random(self.size, dtype=np.float32) < percent / 100

    def spread(self) -> Array:
        """Return factors around 1, distributed like amounts of money."""
        return np.exp(self._rng.standard_normal(self.size, dtype=np.float32) * 0.5)

    def place(self, places: range) -> Array:
        """Return indexes in a part of a pool."""
        return places.start + self.below(len(places))

    def code(self, *weights: tuple[int, int]) -> Array:
        """Return codes with frequencies by weight."""
        codes = np.array(mix.repeat_by_weight(dict(weights)))
        return codes[self.below(len(codes))]

    def value(self, pool: pl.Series, where: Array | None = None) -> pl.Series:
        """Return values of a pool; its first value for the loans without one."""
        index = self.below(len(pool) - 1) + 1
        return pool.gather(index if where is None else np.where(where, index, 0))


@dataclass(frozen=True, slots=True)
class LoanFacts:
    """The facts of the loans. Amounts are dollars; value_ratio is an index in its pool."""

    action: Array
    purpose: Array
    preapproval: Array
    kind: Array
    loan_type: Array
    lien: Array
    units: Array
    amount: Array
    value_ratio: Array
    property_value: Array
    is_entity: Array

    def acted(self, *actions: int) -> Array:
        return np.isin(self.action, actions)

    @property
    def is_preapproval(self) -> Array:
        """Whether the loan is a decided preapproval request without a property."""
        return self.acted(mix.PREAPPROVAL_DENIED, mix.PREAPPROVAL_APPROVED)

    def of_kind(self, *kinds: LoanKind) -> Array:
        return np.isin(self.kind, kinds)


def draw_loans(
    draw: Draw, pools: ValuePools, action: Array, purpose: Array, *, preapproval_percent: int
) -> LoanFacts:
    """Return loans with these actions and purposes."""
    may_request = (purpose == mix.PURCHASE) & np.isin(action, mix.PREAPPROVED)
    has_requested = may_request & ((action > mix.PURCHASED) | draw.chance(preapproval_percent))
    kind = np.where(has_requested, LoanKind.HOME, KIND_OF_PURPOSE[purpose, draw.below(100)])
    is_second = (kind == LoanKind.LINE) & draw.chance(85)
    is_second |= (kind == LoanKind.HOME) & np.isin(purpose, (2, 4)) & draw.chance(25)
    loan_type = np.where(is_second, 1, TYPE_OF_KIND[kind, draw.below(100)])
    amount = np.clip(_USUAL_AMOUNT * SCALE[kind] * draw.spread(), LEAST[kind], MOST[kind])
    amount = np.where(is_second, np.minimum(amount, SUBORDINATE_AT_MOST), amount)
    amount = amount.astype(np.int64) // 5 * 5
    few, many = draw.code((1, 94), (2, 3), (3, 2), (4, 1)), 5 + draw.below(200)
    # The value of the home that gives the ratio; more if there is another lien before.
    value_ratio = 1 + draw.below(len(pools.value_ratios) - 1)
    worth = np.ceil(amount / pools.value_ratio_numbers[value_ratio] / 10).astype(np.int64) * 1000
    # The applicant is often unknown for purchased loans. Loans to purchase or improve one to four
    # units need an income, and so a natural person (quality edit Q629).
    is_entity = (kind == LoanKind.MULTIFAMILY) | (
        (kind == LoanKind.BUSINESS) & np.isin(purpose, (31, 32)) & draw.chance(60)
    )
    is_entity |= (action == mix.PURCHASED) & draw.chance(50)
    return LoanFacts(
        action=action,
        purpose=purpose,
        preapproval=np.where(has_requested, 1, 2),
        kind=kind,
        loan_type=loan_type,
        lien=np.where(is_second, 2, 1),
        units=np.where(kind == LoanKind.MULTIFAMILY, many, few),
        amount=amount,
        value_ratio=value_ratio,
        property_value=worth * np.where(is_second, 2 + draw.below(3), 1),
        is_entity=is_entity,
    )
