"""The one query builder of the data browser: counts and sums, filers, and rows.

A question becomes statements over the serving files or the Parquet files of the years it asks for.
Values are parameters; names of columns come from the table of dimensions. Who asks takes the
snapshot of what is public once, and every part of the answer is made from it.
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
    """How many rows there are, and the dollars of their loan amounts in all."""

    count: int = 0
    sum: float = 0.0


@dataclass(frozen=True, slots=True)
class Filer:
    """An institution, and how many rows it has in a year and place."""

    lei: str
    name: str
    year: int
    count: int


def asked_years(question: Question, live: Live) -> Live:
    """Return the data sets a question is about, by year."""
    return [each for each in live if each.year in question.years]


def version_of(question: Question, live: Live) -> str:
    """Return what changes whenever the data behind an answer do."""
    return "-".join(f"{each.name}.{each.sha256[:12]}" for each in asked_years(question, live))


def computed(question: Question, live: Live) -> dict[tuple[str, ...], Total]:
    """Return counts and sums by group, from the data sets themselves.

    Raises: Busy, TooSlow.
    """
    wanted = asked_years(question, live)
    if not wanted:
        return {}
    with engine().reading(wanted, live=live) as names:
        statement = totals_statement(question, list(names.values()))
        rows = engine().rows(statement.sql, statement.values)
    spelled = [each.values for each, _ in question.filters]
    return {
        tuple(values[code - 1] for values, code in zip(spelled, codes, strict=True)): Total(
            int(count), float(amount)
        )
        for *codes, count, amount in rows
        if count
    }


def totals_statement(question: Question, names: Sequence[str]) -> Statement:
    """Return the statement for counts and sums by the data filters. names: of the data sets.

    The rollup answers where it has all that is filtered by.
    """
    table = table_of(each for each, _ in question.chosen)
    counted = (
        ("sum(rows)", "sum(amount)") if table == "rollup" else ("count(*)", "sum(loan_amount)")
    )
    columns = [each.column for each, _ in question.filters]
    by = f" GROUP BY {', '.join(columns)}" if columns else ""
    first = ", ".join([*columns, f"{counted[0]} AS n", f"{counted[1]} AS s"])
    chosen = [conditions(question.chosen, name) for name in names]
    parts = [
        f"SELECT {first} FROM {name}.{table}{each.sql}{by}"
        for name, each in zip(names, chosen, strict=True)
    ]
    whole = ", ".join([*columns, "coalesce(sum(n), 0)", "coalesce(sum(s), 0)"])
    return Statement(
        f"SELECT {whole} FROM ({' UNION ALL '.join(parts)}){by}",
        tuple(value for each in chosen for value in each.values),
    )


def table_of(dimensions: Iterable[Dimension]) -> str:
    """Return which table of a serving file has some dimensions, with the fewest rows to read."""
    needed = list(dimensions)
    if all(each.in_rollup for each in needed):
        return "rollup"
    return "loans_by_lei" if LEI in needed else "loans"


def filers(question: Question, live: Live) -> list[Filer]:
    """Return the institutions with rows in some places, by name, LEI and year.

    Raises: Busy, TooSlow.
    """
    wanted = asked_years(question, live)
    if not wanted:
        return []
    parts: list[str] = []
    values: list[Any] = []
    with engine().reading(wanted, live=live) as names:
        for year, name in names.items():
            placed = conditions(question.places, name)
            parts.append(
                f"SELECT institutions.lei, name, {year:d} AS year, n FROM (SELECT lei AS id, "
                f"sum(rows) AS n FROM {name}.filers{placed.sql} GROUP BY lei) "
                f"JOIN {name}.institutions USING (id)"
            )
            values += placed.values
        rows = engine().rows(f"{' UNION ALL '.join(parts)} ORDER BY 2, 1, 3", values)
    return [Filer(lei, name, year, int(count)) for lei, name, year, count in rows]


def conditions(chosen: Chosen, name: str) -> Statement:
    """Return the condition for a serving file, in which values are numbers."""
    return where([each.condition(values, name) for each, values in chosen])


def rows_statement(question: Question, data_set: LiveYear) -> Statement:
    """Return the statement for the rows of one year, in the order of its file."""
    columns = ", ".join(each.name for each in PUBLIC)
    chosen = _where_of_rows(question)
    return Statement(
        f"SELECT {columns} FROM read_parquet(?){chosen.sql}",
        (str(data_set.parquet), *chosen.values),
    )


def lines_statement(question: Question, data_set: LiveYear, *, separator: str) -> Statement:
    """Return the statement for the same rows as lines of text, each with its end.

    The engine writes them on all its threads, in less than half the time that it takes outside.
    """
    cells = ", ".join(f"coalesce({each.name}::VARCHAR, '')" for each in PUBLIC)
    chosen = _where_of_rows(question)
    return Statement(
        f"SELECT concat_ws(?, {cells}) || chr(10) FROM read_parquet(?){chosen.sql}",
        (separator, str(data_set.parquet), *chosen.values),
    )


def _where_of_rows(question: Question) -> Statement:
    """Return the condition for a Parquet file, in which values stand as they are published."""
    return where([each.published_condition(values) for each, values in question.chosen])
