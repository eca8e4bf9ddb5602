"""SQL with its parameter values; names of columns come only from our own tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Statement:
    """An SQL text and the values of its parameters."""

    sql: str
    values: tuple[Any, ...] = ()


def one_of(column: str, values: Sequence[Any], mark: str = "?") -> Statement:
    """Return the condition that a column has one of the values. mark: the SQL of one parameter."""
    return Statement(f"{column} IN ({', '.join([mark] * len(values))})", tuple(values))


def where(conditions: Sequence[Statement]) -> Statement:
    """Return the WHERE clause that joins all conditions; blank without conditions."""
    if not conditions:
        return Statement("")
    return Statement(
        f" WHERE {' AND '.join(condition.sql for condition in conditions)}",
        tuple(value for condition in conditions for value in condition.values),
    )
