"""One filter of the public records: its values, its refusals, and its conditions in SQL.

SQL has parameters for values; names of columns come only from our own tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Dimension:
    """One filter of the public records.

    parameter: its name in a query. key: its name in answers. column: of the public records. label:
    for people. error_type, error_key, accepts: the parts of the refusal of an invalid value.
    values: all of them, as published; none where `form`, a pattern, defines a value. meanings: of
    values that do not explain themselves. is_place: it chooses places or institutions and so never
    makes groups.
    """

    parameter: str
    key: str
    column: str
    label: str
    error_type: str
    error_key: str
    accepts: str
    values: tuple[str, ...] = ()
    meanings: Mapping[str, str] = field(default_factory=dict, compare=False)
    form: str = ""
    is_place: bool = False

    @property
    def message(self) -> str:
        """The message that refuses an invalid value."""
        return f"{self.accepts}{', '.join(self.values)}"

    def canonical(self, value: str) -> str | None:
        """Return a value as it is published, or None for an invalid one."""
        if self.values:
            return self.spelled.get(value.casefold())
        value = value.upper()
        return value if re.fullmatch(self.form, value) else None

    @property
    def spelled(self) -> dict[str, str]:
        """The values by their lower-case spelling."""
        return _spelled(self.values)

    def condition(self, values: tuple[str, ...], data_set: str) -> SqlStatement:
        """Return the condition for a serving file, whose values are codes. data_set: its name."""
        # An untyped parameter would cast the column, and no row group could be skipped.
        if self.values:
            codes = [self.values.index(value) + 1 for value in values]
            return is_one_of(self.column, codes, "?::UTINYINT")
        return is_one_of(self.column, [int(value) for value in values], "?::UINTEGER")

    def published_condition(self, values: tuple[str, ...]) -> SqlStatement:
        """Return the condition for a Parquet file, whose values are as published."""
        return is_one_of(self.column, values)


@dataclass(frozen=True, slots=True)
class InstitutionDimension(Dimension):
    """The filter by institution, which has a different number in each serving file."""

    def condition(self, values: tuple[str, ...], data_set: str) -> SqlStatement:
        """Return the condition for a serving file. data_set: its name."""
        condition = is_one_of("lei", values)
        ids = f"SELECT id FROM {data_set}.institutions WHERE {condition.sql}"
        return SqlStatement(f"{self.column} IN ({ids})", condition.values)


@cache
def _spelled(values: tuple[str, ...]) -> dict[str, str]:
    return {value.casefold(): value for value in values}


@dataclass(frozen=True, slots=True)
class SqlStatement:
    """An SQL text and the values of its parameters."""

    sql: str
    values: tuple[Any, ...] = ()


def is_one_of(column: str, values: Sequence[Any], mark: str = "?") -> SqlStatement:
    """Return the condition that a column has one of the values. mark: the SQL of one parameter."""
    return SqlStatement(f"{column} IN ({', '.join([mark] * len(values))})", tuple(values))


def where_clause(conditions: Sequence[SqlStatement]) -> SqlStatement:
    """Return the WHERE clause that joins all conditions; blank without conditions."""
    if not conditions:
        return SqlStatement("")
    return SqlStatement(
        f" WHERE {' AND '.join(condition.sql for condition in conditions)}",
        tuple(value for condition in conditions for value in condition.values),
    )
