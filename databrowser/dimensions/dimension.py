"""One way to choose rows: its values, how a bad one is answered, and its conditions in SQL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from databrowser.dimensions.statements import Statement, one_of


@dataclass(frozen=True, slots=True)
class Dimension:
    """One way to choose rows.

    parameter: of the query. key: of the same in answers. column: of the public rows. label: for
    people. error_type, error_key, wanted: how a bad value is answered. values: all there are, as
    they are published; none where `form` says what a value looks like. is_place: whether it says
    where, or whose, and so never makes groups.
    """

    parameter: str
    key: str
    column: str
    label: str
    error_type: str
    error_key: str
    wanted: str
    values: tuple[str, ...] = ()
    form: str = ""
    is_place: bool = False
    in_rollup: bool = True

    @property
    def message(self) -> str:
        """What a caller with a bad value is told."""
        return f"{self.wanted}{', '.join(self.values)}"

    def canonical(self, value: str) -> str | None:
        """Return a value as it is published, or nothing for one that cannot be."""
        if self.values:
            return self.spelled.get(value.casefold())
        value = value.upper()
        return value if re.fullmatch(self.form, value) else None

    @property
    def spelled(self) -> dict[str, str]:
        """The values by their lower case."""
        return _spelled(self.values)

    def condition(self, values: tuple[str, ...], data_set: str) -> Statement:
        """Return the condition in a serving file, where values are numbers. data_set: its name."""
        # A mark without its type would have the column cast, and nothing could be skipped.
        if self.values:
            places = [self.values.index(each) + 1 for each in values]
            return one_of(self.column, places, "?::UTINYINT")
        return one_of(self.column, [int(each) for each in values], "?::UINTEGER")

    def published_condition(self, values: tuple[str, ...]) -> Statement:
        """Return the condition in a Parquet file, where values stand as they are published."""
        return one_of(self.column, values)


@dataclass(frozen=True, slots=True)
class InstitutionDimension(Dimension):
    """Chooses rows by institution, which has a number of its own in each serving file."""

    def condition(self, values: tuple[str, ...], data_set: str) -> Statement:
        """Return the condition in a serving file. data_set: its name."""
        named = one_of("lei", values)
        ids = f"SELECT id FROM {data_set}.institutions WHERE {named.sql}"
        return Statement(f"{self.column} IN ({ids})", named.values)


@cache
def _spelled(values: tuple[str, ...]) -> dict[str, str]:
    return {value.casefold(): value for value in values}
