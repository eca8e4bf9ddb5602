"""The facts of made-up loans on which all their columns depend, as whole columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from filing.demo.files import mix
from filing.demo.files.kinds import (
    KIND_OF_PURPOSE,
    LEAST,
    MOST,
    SCALE,
    SUBORDINATE_AT_MOST,
    TYPE_OF_KIND,
    Kind,
)
from filing.demo.files.pools import Pools
from filing.demo.weights import repeated

Array = NDArray[Any]

_USUAL_AMOUNT = 230_000  # dollars


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
        codes = np.array(repeated(dict(weights)))
        return codes[self.below(len(codes))]

    def value(self, pool: pl.Series, where: Array | None = None) -> pl.Series:
        """Return values of a pool; its first value for the loans without one."""
        index = self.below(len(pool) - 1) + 1
        return pool.gather(index if where is None else np.where(where, index, 0))


@dataclass(frozen=True, slots=True)
class Loans:
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

    def of_kind(self, *kinds: Kind) -> Array:
        return np.isin(self.kind, kinds)


def draw_loans(
    draw: Draw, pools: Pools, action: Array, purpose: Array, *, preapproval_percent: int
) -> Loans:
    """Return loans with these actions and purposes."""
    may_request = (purpose == mix.PURCHASE) & np.isin(action, mix.PREAPPROVED)
    has_requested = may_request & ((action > mix.PURCHASED) | draw.chance(preapproval_percent))
    kind = np.where(has_requested, Kind.HOME, KIND_OF_PURPOSE[purpose, draw.below(100)])
    is_second = (kind == Kind.LINE) & draw.chance(85)
    is_second |= (kind == Kind.HOME) & np.isin(purpose, (2, 4)) & draw.chance(25)
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
    is_entity = (kind == Kind.MULTIFAMILY) | (
        (kind == Kind.BUSINESS) & np.isin(purpose, (31, 32)) & draw.chance(60)
    )
    is_entity |= (action == mix.PURCHASED) & draw.chance(50)
    return Loans(
        action=action,
        purpose=purpose,
        preapproval=np.where(has_requested, 1, 2),
        kind=kind,
        loan_type=loan_type,
        lien=np.where(is_second, 2, 1),
        units=np.where(kind == Kind.MULTIFAMILY, many, few),
        amount=amount,
        value_ratio=value_ratio,
        property_value=worth * np.where(is_second, 2 + draw.below(3), 1),
        is_entity=is_entity,
    )
