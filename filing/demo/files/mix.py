"""The mix of values in made-up files: weighted draws, and proportions of actions and purposes.

A file of any size passes the macro edits, because every first part of the sequence of actions has
nearly the proportions of the whole. Macro edits to trigger change the proportions.

Source: macro edits Q634 to Q640, Filing Instructions Guide for HMDA data.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from random import Random
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int8]

ORIGINATED, APPROVED, PURCHASED, PREAPPROVAL_DENIED, PREAPPROVAL_APPROVED = 1, 2, 6, 7, 8
PURCHASE, NOT_APPLICABLE = 1, 5
# Actions on which a preapproval may have been requested.
PREAPPROVED = (ORIGINATED, APPROVED, PREAPPROVAL_DENIED, PREAPPROVAL_APPROVED)

_ACTIONS = {1: 55, 2: 4, 3: 14, 4: 10, 5: 4, 6: 10, 7: 1, 8: 2}
_PURPOSES = {1: 45, 31: 18, 32: 22, 2: 8, 4: 7}
_CYCLE = 1000  # rows after which the sequence repeats

# The action and its share, in percent, that triggers a macro edit.
_SHARES = {"Q635": (2, 20), "Q636": (4, 35), "Q637": (5, 20), "Q638": (1, 10)}
_LIMITS = {"Q635": 15, "Q636": 30, "Q637": 15, "Q638": 20}
_MOST = 45  # percent for one action at most, which leaves room for others
_ALL_FIXED = 90  # percent for all actions with a fixed share at most
_ROWS_FOR_A_SHARE = 12  # in fewer rows the share of one action may trigger another edit
MACRO_CODES = frozenset({*_SHARES, "Q634", "Q639", "Q640"})
T = TypeVar("T")


def draw_actions_and_purposes(
    rows: int, codes: Collection[str] = (), *, beside: int = 0
) -> tuple[Codes, Codes]:
    """Return the action taken and the loan purpose of each loan; the pairs can be reordered.

    codes: macro edits of MACRO_CODES to trigger. beside: the number of other loans in the file,
    whose actions cannot be chosen; the shares count them, too.
    Raises: ValueError if there are too few rows to trigger the edits, with the number needed.
    """
    drawn = _drawn(rows, codes, beside)
    if drawn is None:
        least = _least_rows(codes, beside)
        reasons = [f"{beside} that fail {'other ' if codes else ''}edits"] * bool(beside)
        reasons += [f"{least} for {', '.join(sorted(codes))}"] * bool(least)
        raise ValueError(
            f"{least + beside} rows are needed, but only {rows + beside} are given: "
            f"{' and '.join(reasons)}."
        )
    return drawn


def repeat_by_weight(weights: Mapping[T, int]) -> list[T]:
    """Return each value as often as its weight says, for draws with equal chances."""
    return [value for value, weight in weights.items() for _ in range(weight)]


def draw_weighted(random: Random, weights: Mapping[T, int], size: int) -> list[T]:
    """Return this number of random values."""
    return random.choices(list(weights), weights=list(weights.values()), k=size)


def _drawn(rows: int, codes: Collection[str], beside: int) -> tuple[Codes, Codes] | None:
    """Return actions and purposes; None if there are too few rows for the macro edits."""
    shares = _actions(codes, whole=(rows + beside) / max(rows, 1))
    if rows < 0 or shares is None:
        return None
    cycle = _sequence(shares, _CYCLE)
    actions = np.resize(cycle, rows)
    purposes = np.resize(_purposes_of(cycle, codes), rows)
    return (actions, purposes) if _is_enough(actions, purposes, codes, beside) else None


def _least_rows(codes: Collection[str], beside: int) -> int:
    """Return about the least number of rows that suffices for the macro edits."""
    few, enough = -1, 0
    while _drawn(enough, codes, beside) is None:
        few, enough = enough, 2 * enough or 1
    while enough - few > 1:
        middle = (few + enough) // 2
        if _drawn(middle, codes, beside) is None:
            few = middle
        else:
            enough = middle
    return enough


def _actions(codes: Collection[str], *, whole: float) -> dict[int, float] | None:
    """Return the weight of each action; None if the fixed shares leave too little for others."""
    fixed: dict[int, float] = {
        action: share if code == "Q638" else min(share * whole, _MOST)
        for code, (action, share) in _SHARES.items()
        if code in codes
    }
    if sum(fixed.values()) > _ALL_FIXED:
        return None
    dropped = {
        "Q634": {PREAPPROVAL_DENIED, PREAPPROVAL_APPROVED},
        "Q639": {PREAPPROVAL_DENIED},
    }
    without = set().union(*(actions for code, actions in dropped.items() if code in codes))
    others = {
        action: weight
        for action, weight in _ACTIONS.items()
        if action not in fixed and action not in without
    }
    scale = (100 - sum(fixed.values())) / sum(others.values())
    return {action: weight * scale for action, weight in others.items()} | fixed


def _purposes(action: int, codes: Collection[str]) -> Mapping[int, float]:
    if action in (PREAPPROVAL_DENIED, PREAPPROVAL_APPROVED):
        return {PURCHASE: 1}
    if "Q634" in codes and action != ORIGINATED:
        return {purpose: weight for purpose, weight in _PURPOSES.items() if purpose != PURCHASE}
    if "Q639" in codes and action in PREAPPROVED:
        return {PURCHASE: 1}
    return {**_PURPOSES, NOT_APPLICABLE: 3} if action == PURCHASED else _PURPOSES


def _purposes_of(actions: Codes, codes: Collection[str]) -> Codes:
    purposes = np.zeros_like(actions)
    for action in np.unique(actions):
        has_action = actions == action
        purposes[has_action] = _sequence(_purposes(int(action), codes), int(has_action.sum()))
    return purposes


def _sequence(weights: Mapping[int, float], length: int) -> Codes:
    """Return codes whose every first part has about the proportions of the weights."""
    codes = np.array(list(weights))
    shares = np.array(list(weights.values())) / sum(weights.values())
    missing, sequence = np.zeros(len(codes)), np.empty(length, dtype=np.int8)
    for position in range(length):
        missing += shares
        most = int(missing.argmax())
        missing[most] -= 1
        sequence[position] = codes[most]
    return sequence


def _is_enough(actions: Codes, purposes: Codes, codes: Collection[str], beside: int) -> bool:
    for code in {*codes} & {*_SHARES}:
        if len(actions) < _ROWS_FOR_A_SHARE or not _fires(code, actions, beside):
            return False
    purchases = (purposes == PURCHASE) & np.isin(actions, PREAPPROVED)
    if "Q634" in codes and np.sum(purchases & (actions == ORIGINATED)) <= 25:
        return False
    return "Q639" not in codes or bool(np.sum(purchases) > 1000)


def _fires(code: str, actions: Codes, beside: int) -> bool:
    """Tell whether the edit fires even if the other loans are all against it."""
    of = int(np.sum(actions == _SHARES[code][0]))
    if code == "Q638":
        among = int(np.sum(actions <= PURCHASED)) + beside
        return 100 * (of + beside) < _LIMITS[code] * among
    return 100 * of > _LIMITS[code] * (len(actions) + beside)
