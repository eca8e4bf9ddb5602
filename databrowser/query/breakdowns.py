"""Breakdowns of a query: totals by the values of each data filter, by state and by county.

They are the counts beside the filters of the page, and the shades of its maps. Each filter is
counted with the other filters applied but not itself, which shows what another value would add.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from databrowser.dimensions.catalogue import BY_PARAMETER, COUNTY, FILTERS, LEI, MSAMD, STATE
from databrowser.dimensions.dimension import Dimension, SqlStatement, is_one_of
from databrowser.publication.serving import shared_engine
from databrowser.query import totals
from databrowser.query.questions import Question
from databrowser.query.totals import Live, Total, conditions, data_sets_of, figures_of, table_of

Spread = dict[str, Total]  # by published value
_BROKEN_DOWN = (*FILTERS, STATE)
_UNKNOWN = 0  # the code of a value that the filter does not have


@dataclass(frozen=True, slots=True)
class CountyRows:
    """A county in an MSA/MD, or outside any, with the number of its records."""

    msamd: str
    county: str
    rows: int


@dataclass(frozen=True, slots=True)
class InstitutionRows:
    """An institution with the number of its records."""

    lei: str
    name: str
    rows: int = 0


def compute_spreads(question: Question, live: Live) -> dict[str, Spread]:
    """Return the totals by value of each data filter and of the states, by parameter.

    Raises: QueriesBusy, QueryTooSlow.
    """
    answer = totals.cached_answer("spreads", question, live, lambda: _spreads(question, live))
    return {
        parameter: {value: Total(*total) for value, total in spread.items()}
        for parameter, spread in answer.content.items()
    }


def _spreads(question: Question, live: Live) -> dict[str, dict[str, tuple[int, float]]]:
    data_sets = data_sets_of(question, live)
    sums: dict[tuple[str, int], list[float]] = defaultdict(lambda: [0, 0.0])
    with shared_engine().reading(data_sets) as names:
        # One query for the same part of all years costs less than one for each.
        parts: dict[tuple[Dimension, ...], list[SqlStatement]] = defaultdict(list)
        for name in names.values():
            for part, dimensions in _parts(question, name):
                parts[tuple(dimensions)].append(_statement(part, dimensions, name))
        for of_part, statements in parts.items():
            sql = " UNION ALL ".join(statement.sql for statement in statements)
            values = [value for statement in statements for value in statement.values]
            for mask, code, count, amount in shared_engine().rows(sql, values):
                dimension = of_part[_place(mask, len(of_part))]
                total = sums[dimension.parameter, code]
                total[0] += int(count)
                total[1] += float(amount)
    totals: dict[str, dict[str, tuple[int, float]]] = {
        dimension.parameter: {} for dimension in _BROKEN_DOWN
    }
    for (parameter, code), (count, amount) in sums.items():
        if code != _UNKNOWN:
            value = BY_PARAMETER[parameter].values[code - 1]
            totals[parameter][value] = (int(count), amount)
    return totals


def _parts(question: Question, name: str) -> Iterable[tuple[Question, list[Dimension]]]:
    """Yield the queries to scan of a data set, each with the dimensions to break down.

    Those that the same table answers share a query. A dimension with chosen values gets a query of
    its own, without them.
    """
    filters = {dimension for dimension, _ in question.chosen}
    free: dict[str, list[Dimension]] = defaultdict(list)
    for dimension in _BROKEN_DOWN:
        if dimension not in filters:
            free[table_of([dimension, *filters], name)].append(dimension)
    yield from ((question, dimensions) for dimensions in free.values())
    for dimension in _BROKEN_DOWN:
        if dimension in filters:
            yield _without(question, dimension), [dimension]


def _without(question: Question, dimension: Dimension) -> Question:
    return replace(
        question,
        places=tuple(selection for selection in question.places if selection[0] is not dimension),
        filters=tuple(selection for selection in question.filters if selection[0] is not dimension),
    )


def _statement(question: Question, dimensions: Sequence[Dimension], name: str) -> SqlStatement:
    """Return the statement for totals by each of the dimensions, in one scan of a data set."""
    table = table_of([*dimensions, *(dimension for dimension, _ in question.chosen)], name)
    figures = ", ".join(figures_of(table))
    columns = ", ".join(dimension.column for dimension in dimensions)
    sets = ", ".join(f"({dimension.column})" for dimension in dimensions)
    clause = conditions(question.chosen, name)
    return SqlStatement(
        f"SELECT grouping({columns}), coalesce({columns}), {figures} "
        f"FROM {name}.{table}{clause.sql} "
        f"GROUP BY GROUPING SETS ({sets})",
        clause.values,
    )


def _place(mask: int, number: int) -> int:
    """Return the column that a row is grouped by: the one whose bit is not set."""
    return number - (~mask & ((1 << number) - 1)).bit_length()


def counties_with_rows(live: Live) -> list[CountyRows]:
    """Return every county with records in some years, in each of its MSA/MDs.

    Raises: QueriesBusy, QueryTooSlow.
    """
    question = Question(tuple(data_set.year for data_set in live))
    answer = totals.cached_answer("places", question, live, lambda: _places(live))
    return [CountyRows(*place) for place in answer.content]


def _places(live: Live) -> list[tuple[str, str, int]]:
    columns = f"{MSAMD.column}, {COUNTY.column}"
    with shared_engine().reading(live) as names:
        if not names:
            return []
        selects = [
            f"SELECT {columns}, sum(rows) AS n FROM {name}.filers GROUP BY {columns}"
            for name in names.values()
        ]
        sql = (
            f"SELECT {columns}, sum(n) FROM ({' UNION ALL '.join(selects)}) "
            f"GROUP BY {columns} ORDER BY 3 DESC, 2, 1"
        )
        return [
            (f"{msamd:05d}", f"{county:05d}", int(rows))
            for msamd, county, rows in shared_engine().rows(sql, ())
        ]


def list_msa_mds(lei: str, year: int, live: Live) -> list[str]:
    """Return the MSA/MDs of the published records of an institution in a year, by their digits.

    Raises: QueriesBusy, QueryTooSlow.
    """
    question = Question((year,), places=((LEI, (lei,)),))
    msa_mds: list[str] = []
    with shared_engine().reading(data_sets_of(question, live)) as names:
        for name in names.values():
            clause = conditions(question.places, name)
            sql = f"SELECT DISTINCT {MSAMD.column} FROM {name}.filers{clause.sql} ORDER BY 1"
            msa_mds += [
                f"{code:05d}" for (code,) in shared_engine().rows(sql, clause.values) if code
            ]
    return msa_mds


def institutions_with_rows(
    live: Live, *, words: str = "", leis: Sequence[str] = (), most: int = 10
) -> list[InstitutionRows]:
    """Return institutions with records in some years, those with most records first.

    words: in the name, or the beginning of the LEI. leis: only these.
    Raises: QueriesBusy, QueryTooSlow.
    """
    if leis:
        condition = is_one_of("lei", leis)
    else:
        matches = "(contains(lower(name), lower(?)) OR starts_with(lei, upper(?)))"
        condition = SqlStatement(matches, (words, words))
    with shared_engine().reading(live) as names:
        if not names:
            return []
        selects = [
            f"SELECT lei, name, n FROM {name}.institutions JOIN (SELECT lei AS id, sum(rows) AS n "
            f"FROM {name}.filers GROUP BY lei) USING (id) WHERE {condition.sql}"
            for name in names.values()
        ]
        sql = (
            f"SELECT {LEI.column}, max(name), sum(n) FROM ({' UNION ALL '.join(selects)}) "
            f"GROUP BY {LEI.column} ORDER BY 3 DESC, 1 LIMIT {most:d}"
        )
        rows = shared_engine().rows(sql, condition.values * len(selects))
    return [InstitutionRows(lei, name, int(count)) for lei, name, count in rows]
