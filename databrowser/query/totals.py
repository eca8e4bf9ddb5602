"""The query builder of the data browser: counts and sums, filers, and records.

Answers are cached until the data behind them change.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.cache import cache

from databrowser.dimensions.catalogue import LEI, ROLLUPS
from databrowser.dimensions.dimension import Dimension, SqlStatement, where_clause
from databrowser.publication.columns import PUBLIC
from databrowser.publication.serving import LiveYear, shared_engine
from databrowser.query.questions import Chosen, Question

Live = Sequence[LiveYear]
CACHE_SECONDS = 7 * 24 * 3600


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


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals by the values of the data filters, in their order, without empty groups.

    from_cache: nothing was computed for this request.
    """

    groups: dict[tuple[str, ...], Total]
    from_cache: bool


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """The cached content of an answer. from_cache: nothing was computed for this request."""

    content: Any
    from_cache: bool


def data_sets_of(question: Question, live: Live) -> Live:
    """Return the data sets of the years of a question."""
    return [data_set for data_set in live if data_set.year in question.years]


def version_of(question: Question, live: Live) -> str:
    """Return a text that changes whenever the data behind an answer change."""
    return "-".join(
        f"{data_set.name}.{data_set.sha256[:12]}" for data_set in data_sets_of(question, live)
    )


def make_answer_etag(question: Question, live: Live) -> str:
    """Return the ETag of an answer, which changes with the data or the service."""
    return f'W/"{settings.VERSION}-{version_of(question, live) or "nothing"}"'


def compute_totals(question: Question, live: Live) -> dict[tuple[str, ...], Total]:
    """Return counts and sums by group, computed from the data sets.

    Raises: QueriesBusy, QueryTooSlow.
    """
    data_sets = data_sets_of(question, live)
    if not data_sets:
        return {}
    with shared_engine().reading(data_sets) as names:
        statement = totals_statement(question, list(names.values()))
        rows = shared_engine().rows(statement.sql, statement.values)
    spelled = [dimension.values for dimension, _ in question.filters]
    return {
        tuple(values[code - 1] for values, code in zip(spelled, codes, strict=True)): Total(
            int(count), float(amount)
        )
        for *codes, count, amount in rows
        if count
    }


def totals_statement(
    question: Question, names: Sequence[str], *, has_groups: bool = True
) -> SqlStatement:
    """Return the statement for counts and sums by data filter, or of all records without groups.

    It reads a rollup that has all the dimensions of the question, if there is one. names: those of
    the data sets.
    """
    columns = [dimension.column for dimension, _ in question.filters] if has_groups else []
    by = f" GROUP BY {', '.join(columns)}" if columns else ""
    clauses = [conditions(question.chosen, name) for name in names]
    selects = []
    for name, clause in zip(names, clauses, strict=True):
        table = table_of((dimension for dimension, _ in question.chosen), name)
        count, amount = figures_of(table)
        first = ", ".join([*columns, f"{count} AS n", f"{amount} AS s"])
        selects.append(f"SELECT {first} FROM {name}.{table}{clause.sql}{by}")
    columns_and_sums = ", ".join([*columns, "coalesce(sum(n), 0)", "coalesce(sum(s), 0)"])
    return SqlStatement(
        f"SELECT {columns_and_sums} FROM ({' UNION ALL '.join(selects)}){by}",
        tuple(value for clause in clauses for value in clause.values),
    )


def table_of(dimensions: Iterable[Dimension], name: str) -> str:
    """Return the table of a data set that has the dimensions and the fewest rows to read."""
    needed = frozenset(dimensions)
    for table, columns in ROLLUPS.items():
        if needed.issubset(columns) and shared_engine().has_table(name, table):
            return table
    return "loans_by_lei" if LEI in needed else "loans"


def figures_of(table: str) -> tuple[str, str]:
    """Return the SQL of the count and of the loan amounts in a table of a serving file."""
    return ("sum(rows)", "sum(amount)") if table in ROLLUPS else ("count(*)", "sum(loan_amount)")


def list_filers(question: Question, live: Live) -> list[Filer]:
    """Return the institutions with records in some places, by name, LEI and year.

    Raises: QueriesBusy, QueryTooSlow.
    """
    data_sets = data_sets_of(question, live)
    if not data_sets:
        return []
    selects: list[str] = []
    values: list[Any] = []
    with shared_engine().reading(data_sets) as names:
        for year, name in names.items():
            condition = conditions(question.places, name)
            selects.append(
                f"SELECT institutions.lei, name, {year:d} AS year, n FROM (SELECT lei AS id, "
                f"sum(rows) AS n FROM {name}.filers{condition.sql} GROUP BY lei) "
                f"JOIN {name}.institutions USING (id)"
            )
            values += condition.values
        rows = shared_engine().rows(f"{' UNION ALL '.join(selects)} ORDER BY 2, 1, 3", values)
    return [Filer(lei, name, year, int(count)) for lei, name, year, count in rows]


def conditions(chosen: Chosen, name: str) -> SqlStatement:
    """Return the condition for a serving file, whose values are codes."""
    return where_clause([dimension.condition(values, name) for dimension, values in chosen])


def rows_statement(question: Question, data_set: LiveYear) -> SqlStatement:
    """Return the statement for the records of one year, in the order of its file."""
    columns = ", ".join(column.name for column in PUBLIC)
    clause = _where_of_rows(question)
    return SqlStatement(
        f"SELECT {columns} FROM read_parquet(?){clause.sql}",
        (str(data_set.parquet), *clause.values),
    )


def lines_statement(question: Question, data_set: LiveYear, *, separator: str) -> SqlStatement:
    """Return the statement for the same records as lines of text, each with its line feed.

    The engine writes them, in less than half the time that Python needs.
    """
    cells = ", ".join(f"coalesce({column.name}::VARCHAR, '')" for column in PUBLIC)
    clause = _where_of_rows(question)
    return SqlStatement(
        f"SELECT concat_ws(?, {cells}) || chr(10) FROM read_parquet(?){clause.sql}",
        (separator, str(data_set.parquet), *clause.values),
    )


def _where_of_rows(question: Question) -> SqlStatement:
    """Return the condition for a Parquet file, whose values are as published."""
    return where_clause(
        [dimension.published_condition(values) for dimension, values in question.chosen]
    )


def cached_totals(question: Question, live: Live) -> Totals:
    """Return counts and sums, from the cache if the same data were queried before.

    Raises: QueriesBusy, QueryTooSlow.
    """

    def figures() -> list[tuple[tuple[str, ...], int, float]]:
        groups = compute_totals(question, live)
        return [(group, total.count, total.sum) for group, total in groups.items()]

    answer = cached_answer("totals", question, live, figures)
    groups = {tuple(group): Total(*total) for group, *total in answer.content}
    return Totals(groups, answer.from_cache)


def cached_total(question: Question, live: Live) -> Total:
    """Return the total of all records of a question, however many groups its values would make.

    Raises: QueriesBusy, QueryTooSlow.
    """

    def total() -> tuple[int, float]:
        with shared_engine().reading(data_sets_of(question, live)) as names:
            if not names:
                return 0, 0.0
            statement = totals_statement(question, list(names.values()), has_groups=False)
            ((count, amount),) = shared_engine().rows(statement.sql, statement.values)
        return int(count), float(amount)

    return Total(*cached_answer("total", question, live, total).content)


def cached_answer(
    kind: str, question: Question, live: Live, figures: Callable[[], Any]
) -> CachedAnswer:
    """Return an answer from the cache, or else compute and cache it.

    kind: of answer. figures: returns lists, tuples, dictionaries, texts and numbers only.
    Raises: what `figures` raises.
    """
    key = _key(kind, question, live)
    content = cache.get(key)
    if content is not None:
        return CachedAnswer(content, from_cache=True)
    content = figures()
    cache.set(key, content, CACHE_SECONDS)
    return CachedAnswer(content, from_cache=False)


def _key(kind: str, question: Question, live: Live) -> str:
    values_by_parameter = [
        (dimension.parameter, sorted(values)) for dimension, values in question.chosen
    ]
    content = json.dumps([kind, version_of(question, live), values_by_parameter])
    return f"databrowser:{hashlib.sha256(content.encode()).hexdigest()}"
