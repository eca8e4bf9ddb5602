"""Figures: a measure of the records of a question, by up to three groupings, with totals.

The engine computes all of them, and an answer with too many is refused before: no more rows than an
answer has leave it. Quartiles are exact, also of several years together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import floor, prod
from typing import Any

from django.conf import settings

from databrowser import errors
from databrowser.dimensions.catalogue import (
    ACTION,
    COUNTY,
    DEBT_TO_INCOME,
    LEI,
    NUMBERS,
    ROLLUPS,
    TRACT,
)
from databrowser.dimensions.dimension import Dimension, SqlStatement
from databrowser.dimensions.groupings import (
    BY_LENDER,
    BY_YEAR,
    NOT_AVAILABLE,
    Grouping,
)
from databrowser.publication.serving import LiveYear, shared_engine
from databrowser.query import denominators, lenders
from databrowser.query.figure_questions import FigureQuestion, Key, PeerGroup, ShareBase
from databrowser.query.lenders import LenderGroups
from databrowser.query.measures import CLASS_BOUNDS, DEBT_TO_INCOME_CLASS, Measure, MeasureKind
from databrowser.query.totals import (
    Live,
    cached_answer,
    data_sets_of,
    table_of,
)

MOST_FIGURES = 10_000
_UNKNOWN = 0  # the code of a value that a dimension does not have
_VALUE, _RECORDS, _SUM = "value", "records", "sum"
_QUARTILES = (0.25, 0.5, 0.75)
_NEW_COLUMNS = {*NUMBERS, DEBT_TO_INCOME.column, TRACT.column}


@dataclass(frozen=True, slots=True)
class Figure:
    """The value of a measure for a group. Units: those of the measure.

    value: None without records. lower, upper: the quartiles around a median. records: of the group,
    those that the measure counts. base: what the value is of, which is another number of a share.
    is_of_few: its base has fewer records than `BROWSER_SMALLEST_CELL`.
    """

    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    records: int = 0
    base: int = 0
    is_of_few: bool = False


NO_FIGURE = Figure()


@dataclass(frozen=True, slots=True)
class FigureTable:
    """The figures of a question.

    axes: the values of each grouping, in the order they are shown in. figures: by a value of each
    grouping, None for all of them; those of three groupings have no totals over the third. peers:
    the number of lenders that one is compared with.
    """

    groupings: tuple[Grouping, ...]
    axes: tuple[tuple[str, ...], ...]
    figures: Mapping[Key, Figure]
    peers: int = 0

    @property
    def groups(self) -> dict[Key, Figure]:
        """The figures of all groups with records, in order, without totals."""
        return {key: self.figures[key] for key in self._sorted_keys if None not in key}

    @property
    def totals(self) -> dict[Key, Figure]:
        """The figures of all totals, in order."""
        return {key: self.figures[key] for key in self._sorted_keys if None in key or not key}

    @property
    def _sorted_keys(self) -> list[Key]:
        ranks = [{value: rank for rank, value in enumerate((*axis, None))} for axis in self.axes]
        return sorted(
            self.figures,
            key=lambda key: [rank[value] for rank, value in zip(ranks, key, strict=True)],
        )

    @property
    def total(self) -> Figure:
        """The figure of all records."""
        return self.figures.get((None,) * len(self.groupings), NO_FIGURE)

    @property
    def has_few(self) -> bool:
        """Whether any figure is of few records."""
        return any(figure.is_of_few for figure in self.figures.values())


def compute_figures(figure_question: FigureQuestion, live: Live) -> FigureTable:
    """Return the figures of a question, from the cache where the same data were queried before.

    Raises: QueryRefused, QueriesBusy, QueryTooSlow.
    """
    by, measure = figure_question.by, figure_question.measure
    peers = figure_question.peers
    names = " ".join(grouping.parameter for grouping in by)
    answer = cached_answer(
        f"figures {measure.name} by {names} {peers or ''}",
        figure_question.question,
        live,
        lambda: _sums(figure_question, live),
    )
    rows = {tuple(key): numbers for key, numbers in answer.content["rows"]}
    figures = _finish_figures(figure_question, rows)
    axes = tuple(_axis(figure_question, place, rows) for place in range(len(by)))
    return FigureTable(by, axes, figures, answer.content["peers"])


def _sums(figure_question: FigureQuestion, live: Live) -> dict[str, Any]:
    """Return what a table is made of, for the cache: numbers by key, and the number of peers."""
    data_sets = data_sets_of(figure_question.question, live)
    with shared_engine().reading(data_sets) as names:
        groups = lenders.find_lenders(figure_question, names)
        statements = [
            _statement(figure_question, data_set, names[data_set.year], groups)
            for data_set in _require_columns(figure_question, data_sets, names)
        ]
        if not statements:
            return {"rows": [], "peers": 0}
        records = SqlStatement(
            " UNION ALL ".join(statement.sql for statement in statements),
            tuple(value for statement in statements for value in statement.values),
        )
        if _may_be_too_many(figure_question):
            _fetch(_groups_statement(figure_question, records))
        rows = _fetch(_figures_statement(figure_question, records))
    return {"rows": _name_groups(figure_question, rows), "peers": groups.number_of_peers}


def _fetch(statement: SqlStatement) -> list[tuple[Any, ...]]:
    """Return the rows of a statement. Raises: QueryRefused, if they are more than an answer has."""
    rows = shared_engine().rows(f"{statement.sql} LIMIT {MOST_FIGURES + 1:d}", statement.values)
    if len(rows) > MOST_FIGURES:
        raise errors.too_many_figures(MOST_FIGURES)
    return rows


def _may_be_too_many(figure_question: FigureQuestion) -> bool:
    """Tell whether the groups have to be listed before anything is computed of them.

    Not where the values of the groupings cannot make too many: it is one more scan of the records.
    """
    return prod(_count_values(figure_question, each) for each in figure_question.by) > MOST_FIGURES


def _count_values(figure_question: FigureQuestion, grouping: Grouping) -> int:
    """Return the most values that a grouping can have, with the one for all others."""
    if grouping is BY_YEAR:
        return len(figure_question.years)
    if chosen := figure_question.chosen_values(grouping.dimension):
        return len(chosen) + 1
    if grouping is BY_LENDER:
        return lenders.MOST_LENDERS + 1
    return len(grouping.values) + 1 if grouping.values else MOST_FIGURES + 1


def _require_columns(
    figure_question: FigureQuestion, data_sets: Live, names: Mapping[int, str]
) -> Live:
    """Return the data sets, if all have the columns. Raises: QueryRefused."""
    needed = {figure_question.measure.column} | {
        grouping.dimension.column for grouping in figure_question.by if grouping.dimension
    }
    if needed & _NEW_COLUMNS:
        older = [
            data_set.name
            for data_set in data_sets
            if not shared_engine().has_column(names[data_set.year], "loans", TRACT.column)
        ]
        if older:
            raise errors.not_in_version(older)
    return data_sets


def _statement(
    figure_question: FigureQuestion, data_set: LiveYear, name: str, groups: LenderGroups
) -> SqlStatement:
    """Return the statement for the records of a data set, or the rows of a rollup.

    Columns: the codes of the groups, the value that quartiles are of, how many records it is, and
    what is added up.
    """
    measure, by = figure_question.measure, figure_question.by
    table = _table(figure_question, name)
    records, amount = ("rows", "amount") if table in ROLLUPS else ("1", "loan_amount")
    value = measure.column if measure.kind is MeasureKind.QUARTILES else "NULL"
    if measure.kind is MeasureKind.RATE:
        counted, of = (_action_codes(codes) for codes in (measure.actions, measure.of_actions))
        amount = f"CASE WHEN {ACTION.column} IN ({counted}) THEN {records} ELSE 0 END"
        records = f"CASE WHEN {ACTION.column} IN ({of}) THEN {records} ELSE 0 END"
    lender = groups.join(name) if BY_LENDER in by else SqlStatement("")
    columns = [
        f"{_group_expression(grouping, data_set.year, groups)} AS {grouping.parameter}"
        for grouping in by
    ]
    columns += [f"{value} AS {_VALUE}", f"{records} AS {_RECORDS}", f"{amount} AS {_SUM}"]
    where = groups.where(figure_question.question, name)
    if measure.kind is MeasureKind.QUARTILES:
        known = f"{value} > 0" if measure.name == DEBT_TO_INCOME_CLASS else f"{value} IS NOT NULL"
        joined = f"{where.sql} AND {known}" if where.sql else f" WHERE {known}"
        where = SqlStatement(joined, where.values)
    return SqlStatement(
        f"SELECT {', '.join(columns)} FROM {name}.{table} AS loans{lender.sql}{where.sql}",
        (*lender.values, *where.values),
    )


def _groups_statement(figure_question: FigureQuestion, records: SqlStatement) -> SqlStatement:
    """Return the statement for the groups of records, which stops where they are too many."""
    names = ", ".join(grouping.parameter for grouping in figure_question.by)
    return SqlStatement(f"SELECT DISTINCT {names} FROM ({records.sql})", records.values)


def _figures_statement(figure_question: FigureQuestion, records: SqlStatement) -> SqlStatement:
    """Return the statement for the numbers of each group and total, whose codes are null.

    They are records and sum; or records and, for each quartile, the values of the records below and
    above it. Those are counted by value: so the engine sorts values, and no records.
    """
    keys = [grouping.parameter for grouping in figure_question.by]
    columns = "".join(f"{key}, " for key in keys)
    is_of_values = figure_question.measure.kind is MeasureKind.QUARTILES
    by_value = (_VALUE,) if is_of_values else ()
    sets = ", ".join(f"({', '.join((*kept, *by_value))})" for kept in _subsets(keys))
    sums = (
        f"sum({_RECORDS})::BIGINT AS {_RECORDS}, sum({_SUM})::DOUBLE AS {_SUM}"
        if not is_of_values
        else f"{_VALUE}, sum({_RECORDS})::BIGINT AS {_RECORDS}"
    )
    grouped = (
        f"WITH parts AS MATERIALIZED (SELECT {columns}{sums} FROM ({records.sql}) GROUP BY ALL), "
        f"sums AS (SELECT {columns}{sums} FROM parts GROUP BY GROUPING SETS ({sets}))"
    )
    if not is_of_values:
        sql = f"{grouped} SELECT {columns}coalesce({_RECORDS}, 0), coalesce({_SUM}, 0) FROM sums"
        return SqlStatement(sql, records.values)
    within = f"PARTITION BY {', '.join(keys)} " if keys else ""
    ends = ", ".join(
        f"min({_VALUE}) FILTER (upto > {end}((whole - 1) * {share}))"
        for share in _QUARTILES
        for end in ("floor", "ceil")
    )
    sql = (
        f"{grouped}, ranked AS (SELECT *, sum({_RECORDS}) OVER ({within}) AS whole, "
        f"sum({_RECORDS}) OVER ({within}ORDER BY {_VALUE}) AS upto FROM sums WHERE {_RECORDS} > 0) "
        f"SELECT {columns}whole::BIGINT, {ends} FROM ranked GROUP BY ALL"
    )
    return SqlStatement(sql, records.values)


def _subsets(keys: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """Yield the groupings of each kind of total. Small tables have totals of their own only."""
    tables = keys[2:]
    for number in range(len(keys[:2]) + 1):
        for kept in combinations(keys[:2], number):
            yield (*kept, *tables)
    if tables:
        yield ()


def _name_groups(
    figure_question: FigureQuestion, rows: Iterable[Sequence[Any]]
) -> list[tuple[Key, tuple[Any, ...]]]:
    """Return the key and the numbers of each row: records and sum, or records and quartiles."""
    by, measure = figure_question.by, figure_question.measure
    named = []
    for row in rows:
        codes, numbers = row[: len(by)], row[len(by) :]
        key = tuple(
            None if code is None else _text(code, grouping)
            for code, grouping in zip(codes, by, strict=True)
        )
        if measure.kind is MeasureKind.QUARTILES:
            records, *ends = numbers
            pairs = zip(_QUARTILES, ends[::2], ends[1::2], strict=True)
            numbers = (records, *(_quartile(measure, records, *pair) for pair in pairs))
        named.append((key, tuple(numbers)))
    return named or [((None,) * len(by), (0, None, None, None))]


def _text(code: Any, grouping: Grouping) -> str:
    """Return the value of a grouping for its code."""
    if grouping.values:
        return grouping.values[code - 1] if code != _UNKNOWN else NOT_AVAILABLE
    if grouping.digits:
        return f"{code:0{grouping.digits}d}" if code != _UNKNOWN else NOT_AVAILABLE
    return str(code)


def _quartile(measure: Measure, records: int, share: float, below: float, above: float) -> float:
    """Return a quartile from the values of the records below and above it.

    Between two records it is interpolated, but a class has no value between it and the next.
    """
    if measure.name == DEBT_TO_INCOME_CLASS:
        return CLASS_BOUNDS[int(below) - 1]
    position = (records - 1) * share
    return below + (above - below) * (position - floor(position))


def _table(figure_question: FigureQuestion, name: str) -> str:
    """Return the table of a data set that answers a question with the fewest rows to read."""
    filters = {dimension for dimension, _ in figure_question.question.chosen}
    needed = {grouping.dimension for grouping in figure_question.by if grouping.dimension}
    needed |= filters
    if figure_question.measure.kind is MeasureKind.RATE:
        needed.add(ACTION)
    if figure_question.peers is PeerGroup.COUNTIES:
        needed.add(COUNTY)
    if figure_question.measure.kind is not MeasureKind.QUARTILES:
        table = table_of(needed, name)
        if table in ROLLUPS:
            return table
    # Sorted by lender, records of a few are read in one piece; those of a county are in the other.
    is_of_lenders = LEI in filters and figure_question.peers is not PeerGroup.COUNTIES
    return "loans_by_lei" if is_of_lenders else "loans"


def _group_expression(grouping: Grouping, year: int, groups: LenderGroups) -> str:
    if grouping is BY_YEAR:
        return f"{year:d}"
    if grouping is BY_LENDER:
        return f"coalesce(lender, '{groups.others}')"
    dimension: Dimension | None = grouping.dimension
    assert dimension, "Years alone have no dimension."
    return f"loans.{dimension.column}"


def _action_codes(values: Iterable[str]) -> str:
    """Return the codes of actions taken in a serving file."""
    return ", ".join(str(ACTION.values.index(value) + 1) for value in values)


def _finish_figures(
    figure_question: FigureQuestion, rows: Mapping[Key, Sequence[Any]]
) -> dict[Key, Figure]:
    """Return the figure of each key."""
    measure = figure_question.measure
    is_relative = measure.kind is MeasureKind.PER_THOUSAND
    places = denominators.count_per_place(figure_question, rows) if is_relative else {}
    figures = {}
    for key, (records, *numbers) in rows.items():
        base, lower, upper = records, None, None
        match measure.kind:
            case MeasureKind.AMOUNT:
                value: float | None = float(numbers[0])
            case MeasureKind.RATE:
                value = _divide(100 * numbers[0], base)
            case MeasureKind.SHARE:
                base, _ = rows[_whole_of(figure_question.base, key)]
                value = _divide(100 * records, base)
            case MeasureKind.QUARTILES:
                lower, value, upper = numbers
            case MeasureKind.PER_THOUSAND:
                value = _divide(1000 * records, places[key])
            case _:
                value = float(records)
        is_of_few = measure.marks_few_records and 0 < base < settings.BROWSER_SMALLEST_CELL
        figures[key] = Figure(value, lower, upper, records, base, is_of_few)
    return figures


def _divide(number: float, whole: int) -> float | None:
    return number / whole if whole else None


def _whole_of(base: ShareBase, key: Key) -> Key:
    """Return the key of the total that a share is of."""
    if len(key) < 2 or base is ShareBase.ALL:
        return (None,) * len(key)
    row, column, *table = key
    return (row, None, *table) if base is ShareBase.ROWS else (None, column, *table)


def _axis(
    figure_question: FigureQuestion, place: int, rows: Mapping[Key, Sequence[Any]]
) -> tuple[str, ...]:
    """Return the values of a grouping in the order they are shown in."""
    grouping = figure_question.by[place]
    if chosen := figure_question.chosen_values(grouping.dimension):
        return (*chosen, lenders.PEERS) if figure_question.peers and not place else chosen
    records: dict[str, int] = {}
    for key, numbers in rows.items():
        if (value := key[place]) is not None and None not in (*key[:place], *key[place + 1 :]):
            records[value] = records.get(value, 0) + numbers[0]
    if grouping.values and not grouping.is_place:
        ranks = {value: rank for rank, value in enumerate((*grouping.values, NOT_AVAILABLE))}
        return tuple(sorted(records, key=lambda value: ranks[value]))
    if grouping is BY_YEAR:
        return tuple(sorted(records))
    last = (NOT_AVAILABLE, lenders.REST)
    return tuple(sorted(records, key=lambda value: (value in last, -records[value], value)))
