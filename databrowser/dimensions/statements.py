"""SQL together with its values: values are parameters, names come from tables of ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL and its values."""

    sql: str
    values: tuple[Any, ...] = ()


def one_of(column: str, values: Sequence[Any], mark: str = "?") -> Statement:
    """Return the condition that a column has one of some values. mark: of one value, in SQL."""
    return Statement(f"{column} IN ({', '.join([mark] * len(values))})", tuple(values))


def where(conditions: Sequence[Statement]) -> Statement:
    """Return the clause that all conditions hold; blank where there are none."""
    if not conditions:
        return Statement("")
    return Statement(
        f" WHERE {' AND '.join(each.sql for each in conditions)}",
        tuple(value for each in conditions for value in each.values),
    )
