"""The query builder of the data browser: counts and sums, filers, and records.

A question becomes statements on the serving files or the Parquet files of its years. Values are
parameters; names of columns come from the catalogue of dimensions. A caller looks up the published
data sets once, and every part of the answer comes from that snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from databrowser.dimensions.catalogue import LEI
from databrowser.dimensions.dimension import Dimension
from databrowser.dimensions.statements import Statement, where
from databrowser.publication.columns import PUBLIC
from databrowser.publication.serving.data_sets import LiveYear
from databrowser.publication.serving.engine import engine
from databrowser.query.questions import Chosen, Question

Live = Sequence[LiveYear]


@dataclass(frozen=True, slots=True)
class Total:
    """The number of records, and the sum of their loan amounts in dollars."""

    count: int = 0
    sum: float = 0.0


@dataclass(frozen=True, slots=True)
class Filer:
    """An institution with the number of its records in a year and place."""

    lei: str
    name: str
    year: int
    count: int


def data_sets_of(question: Question, live: Live) -> Live:
    """Return the data sets of the years of a question."""
    return [data_set for data_set in live if data_set.year in question.years]


def version_of(question: Question, live: Live) -> str:
    """Return a text that changes whenever the data behind an answer change."""
    return "-".join(
        f"{data_set.name}.{data_set.sha256[:12]}" for data_set in data_sets_of(question, live)
    )


def compute_totals(question: Question, live: Live) -> dict[tuple[str, ...], Total]:
    """Return counts and sums by group, computed from the data sets.

    Raises: Busy, TooSlow.
    """
    data_sets = data_sets_of(question, live)
    if not data_sets:
        return {}
    with engine().reading(data_sets, live=live) as names:
        statement = totals_statement(question, list(names.values()))
        rows = engine().rows(statement.sql, statement.values)
    spelled = [dimension.values for dimension, _ in question.filters]
    return {
        tuple(values[code - 1] for values, code in zip(spelled, codes, strict=True)): Total(
            int(count), float(amount)
        )
        for *codes, count, amount in rows
        if count
    }


def totals_statement(question: Question, names: Sequence[str]) -> Statement:
    """Return the statement for counts and sums by data filter. names: those of the data sets.

    It reads the rollup if that has all the dimensions of the question.
    """
    table = table_of(dimension for dimension, _ in question.chosen)
    figures = (
        ("sum(rows)", "sum(amount)") if table == "rollup" else ("count(*)", "sum(loan_amount)")
    )
    columns = [dimension.column for dimension, _ in question.filters]
    by = f" GROUP BY {', '.join(columns)}" if columns else ""
    first = ", ".join([*columns, f"{figures[0]} AS n", f"{figures[1]} AS s"])
    chosen = [conditions(question.chosen, name) for name in names]
    selects = [
        f"SELECT {first} FROM {name}.{table}{condition.sql}{by}"
        for name, condition in zip(names, chosen, strict=True)
    ]
    columns_and_sums = ", ".join([*columns, "coalesce(sum(n), 0)", "coalesce(sum(s), 0)"])
    return Statement(
        f"SELECT {columns_and_sums} FROM ({' UNION ALL '.join(selects)}){by}",
        tuple(value for condition in chosen for value in condition.values),
    )


def table_of(dimensions: Iterable[Dimension]) -> str:
    """Return the table of a serving file that has the dimensions and the fewest rows to read."""
    needed = list(dimensions)
    if all(dimension.in_rollup for dimension in needed):
        return "rollup"
    return "loans_by_lei" if LEI in needed else "loans"


def filers(question: Question, live: Live) -> list[Filer]:
    """Return the institutions with records in some places, by name, LEI and year.

    Raises: Busy, TooSlow.
    """
    data_sets = data_sets_of(question, live)
    if not data_sets:
        return []
    selects: list[str] = []
    values: list[Any] = []
    with engine().reading(data_sets, live=live) as names:
        for year, name in names.items():
            condition = conditions(question.places, name)
            selects.append(
                f"SELECT institutions.lei, name, {year:d} AS year, n FROM (SELECT lei AS id, "
                f"sum(rows) AS n FROM {name}.filers{condition.sql} GROUP BY lei) "
                f"JOIN {name}.institutions USING (id)"
            )
            values += condition.values
        rows = engine().rows(f"{' UNION ALL '.join(selects)} ORDER BY 2, 1, 3", values)
    return [Filer(lei, name, year, int(count)) for lei, name, year, count in rows]


def conditions(chosen: Chosen, name: str) -> Statement:
    """Return the condition for a serving file, whose values are codes."""
    return where([dimension.condition(values, name) for dimension, values in chosen])


def rows_statement(question: Question, data_set: LiveYear) -> Statement:
    """Return the statement for the records of one year, in the order of its file."""
    columns = ", ".join(column.name for column in PUBLIC)
    chosen = _where_of_rows(question)
    return Statement(
        f"SELECT {columns} FROM read_parquet(?){chosen.sql}",
        (str(data_set.parquet), *chosen.values),
    )


def lines_statement(question: Question, data_set: LiveYear, *, separator: str) -> Statement:
    """Return the statement for the same records as lines of text, each with its line feed.

    The engine writes them, in less than half the time that Python needs.
    """
    cells = ", ".join(f"coalesce({column.name}::VARCHAR, '')" for column in PUBLIC)
    chosen = _where_of_rows(question)
    return Statement(
        f"SELECT concat_ws(?, {cells}) || chr(10) FROM read_parquet(?){chosen.sql}",
        (separator, str(data_set.parquet), *chosen.values),
    )


def _where_of_rows(question: Question) -> Statement:
    """Return the condition for a Parquet file, whose values are as published."""
    return where([dimension.published_condition(values) for dimension, values in question.chosen])
