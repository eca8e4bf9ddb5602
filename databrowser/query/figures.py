"""Figures: a measure of the records of a question, by up to three groupings, with totals.

Every data set returns its sums, or the numbers of records by value for quartiles; both can be added
up over years and for totals. So medians are exact, also of several years together, and the engine
sorts nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl
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
from databrowser.query.figure_questions import FigureQuestion, PeerGroup, ShareBase
from databrowser.query.lenders import LenderGroups
from databrowser.query.measures import CLASS_BOUNDS, DEBT_TO_INCOME_CLASS, Measure, MeasureKind
from databrowser.query.suppression import Key, find_left_out
from databrowser.query.totals import (
    Live,
    cached_answer,
    data_sets_of,
    figures_of,
    table_of,
)

MOST_FIGURES = 10_000
_UNKNOWN = 0  # the code of a value that a dimension does not have
_VALUE, _RECORDS, _SUM = "value", "records", "sum"
_QUARTILES = {"lower": 0.25, _VALUE: 0.5, "upper": 0.75}
_NEW_COLUMNS = {*NUMBERS, DEBT_TO_INCOME.column, TRACT.column}


@dataclass(frozen=True, slots=True)
class Figure:
    """The value of a measure for a group. Units: those of the measure.

    value: None without records, or if it is left out. lower, upper: the quartiles around a median.
    records: what the value is of; None if it is left out. is_left_out: of too few records, or left
    out so that no other one can be computed.
    """

    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    records: int | None = 0
    is_left_out: bool = False


NO_FIGURE = Figure()
_LEFT_OUT = Figure(records=None, is_left_out=True)


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
    def has_left_out(self) -> bool:
        """Whether any figure is left out."""
        return any(figure.is_left_out for figure in self.figures.values())


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
    keys = [grouping.parameter for grouping in figure_question.by]
    with shared_engine().reading(data_sets) as names:
        groups = lenders.find_lenders(figure_question, names)
        statements = [
            _statement(figure_question, data_set, names[data_set.year], groups)
            for data_set in _require_columns(figure_question, data_sets, names)
        ]
        if not statements:
            return {"rows": [], "peers": 0}
        frame = _read_sums(figure_question, statements)
    rows = []
    for kept in _subsets(keys):
        for *values, numbers in _summed(frame, kept, figure_question.measure).iter_rows():
            by_name = dict(zip(kept, values, strict=True))
            rows.append((tuple(by_name.get(name) for name in keys), tuple(numbers.values())))
            if len(rows) > MOST_FIGURES:
                raise errors.too_many_figures(MOST_FIGURES)
    return {"rows": rows, "peers": groups.number_of_peers}


def _subsets(keys: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """Yield the groupings of each kind of total. Small tables have totals of their own only."""
    tables = keys[2:]
    for number in range(len(keys[:2]) + 1):
        for kept in combinations(keys[:2], number):
            yield (*kept, *tables)
    if tables:
        yield ()


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


def _read_sums(figure_question: FigureQuestion, statements: Sequence[SqlStatement]) -> pl.DataFrame:
    """Return the sums of all data sets by the values of the groupings, as texts."""
    frame = shared_engine().frame(
        " UNION ALL ".join(statement.sql for statement in statements),
        [value for statement in statements for value in statement.values],
    )
    texts = [
        _texts(pl.col(grouping.parameter), grouping).alias(grouping.parameter)
        for grouping in figure_question.by
    ]
    measured = [pl.col(_RECORDS).cast(pl.Int64), pl.col(_SUM).cast(pl.Float64)]
    if figure_question.measure.name == DEBT_TO_INCOME_CLASS:
        bounds = dict(enumerate(CLASS_BOUNDS, 1))
        measured.append(pl.col(_VALUE).replace_strict(bounds, return_dtype=pl.Float64))
    return frame.with_columns(*texts, *measured)


def _texts(codes: pl.Expr, grouping: Grouping) -> pl.Expr:
    """Return the values of a grouping for their codes."""
    if grouping.values:
        values = dict(enumerate(grouping.values, 1))
        return codes.replace_strict(values, default=NOT_AVAILABLE, return_dtype=pl.String)
    texts = codes.cast(pl.String)
    if grouping.digits:
        return (
            pl.when(codes != _UNKNOWN)
            .then(texts.str.zfill(grouping.digits))
            .otherwise(pl.lit(NOT_AVAILABLE))
        )
    return texts


def _statement(
    figure_question: FigureQuestion, data_set: LiveYear, name: str, groups: LenderGroups
) -> SqlStatement:
    """Return the statement for the sums of a data set, or for its records by value."""
    measure, by = figure_question.measure, figure_question.by
    is_by_value = measure.kind is MeasureKind.QUARTILES
    table = _table(figure_question, name)
    records, amounts = figures_of(table)
    sums = f"{records} AS {_RECORDS}, {amounts} AS {_SUM}"
    if measure.kind is MeasureKind.RATE:
        counted, of = (_action_codes(codes) for codes in (measure.actions, measure.of_actions))
        sums = (
            f"coalesce({records} FILTER (WHERE {ACTION.column} IN ({of})), 0) AS {_RECORDS}, "
            f"coalesce({records} FILTER (WHERE {ACTION.column} IN ({counted})), 0) AS {_SUM}"
        )
    lender = groups.join(name) if BY_LENDER in by else SqlStatement("")
    columns = [
        f"{_group_expression(grouping, data_set.year, groups)} AS {grouping.parameter}"
        for grouping in by
    ]
    where = groups.where(figure_question.question, name)
    if is_by_value:
        known = (
            f"{measure.column} > 0"
            if measure.name == DEBT_TO_INCOME_CLASS
            else (f"{measure.column} IS NOT NULL")
        )
        columns.append(f"{measure.column} AS {_VALUE}")
        where = SqlStatement(
            f"{where.sql} AND {known}" if where.sql else f" WHERE {known}", where.values
        )
        sums = f"count(*) AS {_RECORDS}, 0 AS {_SUM}"
    by_all = f" GROUP BY {', '.join(map(str, range(1, len(columns) + 1)))}" if columns else ""
    return SqlStatement(
        f"SELECT {', '.join([*columns, sums])} FROM {name}.{table} AS loans{lender.sql}"
        f"{where.sql}{by_all}",
        (*lender.values, *where.values),
    )


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


def _summed(frame: pl.DataFrame, kept: Sequence[str], measure: Measure) -> pl.DataFrame:
    """Return the numbers of each group: records and sum, or records and quartiles."""
    if measure.kind is not MeasureKind.QUARTILES:
        sums = (
            frame.group_by(kept).agg(pl.col(_RECORDS, _SUM).sum())
            if kept
            else (frame.select(pl.col(_RECORDS, _SUM).sum()))
        )
        return sums.select(*kept, pl.struct(_RECORDS, _SUM).alias("numbers"))
    counts = frame.group_by(*kept, _VALUE).agg(pl.col(_RECORDS).sum()).sort(_VALUE)
    quartiles = [
        pl.col(_RECORDS).sum(),
        *(_quantile(share, measure).alias(name) for name, share in _QUARTILES.items()),
    ]
    found = counts.group_by(kept).agg(quartiles) if kept else counts.select(quartiles)
    return found.select(*kept, pl.struct(_RECORDS, *_QUARTILES).alias("numbers"))


def _quantile(share: float, measure: Measure) -> pl.Expr:
    """Return a quantile of values in ascending order, with the number of records of each.

    Between two records it is interpolated, but a class has no value between it and the next.
    """
    upto = pl.col(_RECORDS).cum_sum()
    position = (pl.col(_RECORDS).sum() - 1) * share
    below = pl.col(_VALUE).filter(upto > position.floor()).first()
    if measure.name == DEBT_TO_INCOME_CLASS:
        return below
    above = pl.col(_VALUE).filter(upto > position.ceil()).first()
    return below + (above - below) * (position - position.floor())


def _finish_figures(
    figure_question: FigureQuestion, rows: Mapping[Key, Sequence[Any]]
) -> dict[Key, Figure]:
    """Return the figure of each key; those of too few records are left out."""
    kind = figure_question.measure.kind
    if kind is MeasureKind.PER_THOUSAND:
        counted = denominators.count_per_place(figure_question, rows)
        return {
            key: Figure(_divide(1000 * records, counted[key]), records=records)
            for key, (records, _) in rows.items()
        }
    if kind is MeasureKind.QUARTILES:
        figures = {
            key: Figure(value, lower, upper, records)
            for key, (records, lower, value, upper) in rows.items()
        }
    else:
        figures = {
            key: Figure(_value(figure_question, key, rows), records=records)
            for key, (records, _) in rows.items()
        }
    if figure_question.measure.leaves_out_small_cells:
        return figures | dict.fromkeys(_left_out(figures), _LEFT_OUT)
    return figures


def _value(
    figure_question: FigureQuestion, key: Key, rows: Mapping[Key, Sequence[Any]]
) -> float | None:
    records, amount = rows[key]
    match figure_question.measure.kind:
        case MeasureKind.AMOUNT:
            return float(amount)
        case MeasureKind.RATE:
            return _divide(100 * amount, records)
        case MeasureKind.SHARE:
            whole, _ = rows[_whole_of(figure_question.base, key)]
            return _divide(100 * records, whole)
    return float(records)


def _divide(number: float, whole: int) -> float | None:
    return number / whole if whole else None


def _whole_of(base: ShareBase, key: Key) -> Key:
    """Return the key of the total that a share is of."""
    if len(key) < 2 or base is ShareBase.ALL:
        return (None,) * len(key)
    row, column, *table = key
    return (row, None, *table) if base is ShareBase.ROWS else (None, column, *table)


def _left_out(figures: Mapping[Key, Figure]) -> frozenset[Key]:
    """Return the keys to leave out. The totals of small tables add up to that of all."""
    records = {key: figure.records or 0 for key, figure in figures.items()}
    parts: dict[Key, dict[Key, Key]] = {}  # the keys of each table, by row and column
    for key in records:
        parts.setdefault(key[2:], {})[key[:2]] = key
        if len(key) > 2 and key[:2] == (None, None):
            parts.setdefault(("totals",), {})[key[2:]] = key
    left_out: frozenset[Key] = frozenset()
    while True:
        found = left_out
        for keys in parts.values():
            hidden = find_left_out(
                {short: records[key] for short, key in keys.items()},
                smallest=settings.BROWSER_SMALLEST_CELL,
                already={short for short, key in keys.items() if key in found},
            )
            found |= {keys[short] for short in hidden}
        if found == left_out:
            return left_out
        left_out = found


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
