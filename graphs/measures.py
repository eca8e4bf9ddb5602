"""All graphs from the facts of loans, in a handful of passes over them.

The first pass keeps, as a narrow table, the rows that any graph counts; the next one counts them,
and each of the others takes the medians of one measure. What `catalogue` says in SQL becomes small
numbers in that table: which type of loan, which group of borrowers, which purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import NamedTuple

from databrowser.publication.lazy_imports import duckdb
from graphs.catalogue import GRAPHS, Graph
from graphs.lines import Line, Measured
from graphs.measure_catalogue import MEASURES, Measure
from graphs.quarters import Quarter
from graphs.rules import (
    ALL_FILERS,
    APPLICATIONS,
    BY_GROUP,
    BY_TYPE,
    COMMON,
    FEWEST,
    FILERS,
    PURPOSES,
    Series,
)

MEMORY, THREADS = "1GB", 2
_MEDIANS = tuple(each for each in MEASURES if each.kind == "median")
_ALL = -1  # of a cell that is not told apart by something
# The figures of what is no median, from the counts.
_COUNT = "sum(records)"
_DECIDED = "sum(records) FILTER (action_taken IN (1, 2, 3))"
_DENIED = "sum(records) FILTER (action_taken = 3)"
_FIGURES = {
    "count": _COUNT,
    # Where nothing was decided on nothing was denied.
    "rate": f"coalesce(100.0 * coalesce({_DENIED}, 0) / {_DECIDED}, 0)",
}


@dataclass(frozen=True)
class Files:
    """Parquet files of facts: of annual filings, and of quarterly ones."""

    annual: Sequence[Path] = ()
    quarterly: Sequence[Path] = ()


class _Key(NamedTuple):
    """A cell: a quarter of some loans."""

    quarter: int
    purpose: int
    series: int
    group: int


class _Cell(NamedTuple):
    """What was found in a cell: how many records, and the figure of them."""

    records: int
    value: float


_Cells = dict[_Key, _Cell]


def measure(
    files: Files,
    filers: Collection[str],
    *,
    workplace: Path,
    told: Callable[[], None] = lambda: None,
) -> Measured:
    """Return all graphs.

    filers: the LEIs of the quarterly filers. workplace: a folder for what does not fit into memory.
    told: called after every pass.
    """
    if not files.annual and not files.quarterly:
        return Measured({graph.endpoint: () for graph in GRAPHS}, 0)
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY,
        "threads": THREADS,
        "preserve_insertion_order": False,
        "temp_directory": str(workplace),
    }
    with duckdb.connect(config=settings) as base:
        rows = _narrow(base, files, filers)
        told()
        _count(base)
        told()
        cells = {}
        for each in MEASURES:
            cells[each] = _cells(base, each)
            told()
        quarters = {each: _quarters(base, each) for each in FILERS}
    found = {graph: tuple(_lines(graph, cells[graph.measure], quarters)) for graph in GRAPHS}
    return Measured({graph.endpoint: lines for graph, lines in found.items()}, rows)


def _narrow(base: duckdb.DuckDBPyConnection, files: Files, filers: Collection[str]) -> int:
    """Make the table of the rows that any graph counts; returns how many rows were read."""
    base.execute("CREATE TEMP TABLE filers (lei VARCHAR)")
    base.execute("INSERT INTO filers SELECT unnest(?)", [sorted(filers)])
    kinds = {"true": files.annual, "false": files.quarterly}
    parts = {kind: [str(path) for path in paths] for kind, paths in kinds.items() if paths}
    filed = " UNION ALL ".join(
        f"SELECT *, {kind} AS is_annual FROM read_parquet(?)" for kind in parts
    )
    values = ", ".join(
        f"CASE WHEN {each.rows.sql} AND {each.usable.sql} THEN {each.value} END AS {each.value}"
        for each in _MEDIANS
    )
    base.execute(
        f"""
        CREATE TABLE loans AS
        SELECT CAST(activity_year * 4 + quarter - 1 AS SMALLINT) AS quarter,
               is_annual,
               lei IN (SELECT lei FROM filers) AS is_filer,
               CAST(action_taken AS TINYINT) AS action_taken,
               {_number_of(each.rule.sql for each in PURPOSES[1:])} AS purpose,
               {_number_of(each.rule.sql for each in BY_TYPE)} AS series,
               {_number_of(each.rule.sql for each in BY_GROUP)} AS borrowers,
               {values}
        FROM ({filed})
        WHERE {COMMON.sql} AND {APPLICATIONS.sql} AND quarter IS NOT NULL
        """,
        list(parts.values()),
    )
    read = base.execute(f"SELECT count(*) FROM ({filed})", list(parts.values()))
    return int(read.fetchall()[0][0])


def _number_of(conditions: Iterator[str]) -> str:
    """Return an expression for which of the conditions holds, counted from 1, 0 for none."""
    cases = " ".join(f"WHEN {each} THEN {n}" for n, each in enumerate(conditions, start=1))
    return f"CAST(CASE {cases} ELSE 0 END AS TINYINT)"


def _count(base: duckdb.DuckDBPyConnection) -> None:
    """Make the table of counts, from which all that is no median comes."""
    base.execute(
        """
        CREATE TABLE counts AS
        SELECT quarter, is_annual, is_filer, action_taken, purpose, series, borrowers,
               count(*) AS records
        FROM loans GROUP BY ALL
        """
    )


def _cells(base: duckdb.DuckDBPyConnection, measured: Measure) -> _Cells:
    """Return what a measure comes to in each cell."""
    if ALL_FILERS in measured.breakdowns:
        return _cells_of_filers(base, measured)
    if measured.kind == "median":
        table, where = "loans", f"{measured.value} IS NOT NULL"
        records, figure = "count(*)", f"quantile_cont({measured.value}, 0.5)"
    else:
        table, where = "counts", measured.rows.sql
        records, figure = _COUNT, _FIGURES[measured.kind]
    # By type; and, of some types, by group. Each of all purposes and of every purpose.
    sets = "(quarter, series), (quarter, series, purpose)"
    by_group = [each for each in measured.breakdowns if each.base]
    found = _grouped(base, f"{table} WHERE is_filer AND {where}", records, figure, sets)
    if by_group:
        bases = [BY_TYPE.index(each.base) + 1 for each in by_group if each.base]
        some = f"{table} WHERE is_filer AND {where} AND borrowers > 0 AND series IN {tuple(bases)}"
        sets = "(quarter, series, borrowers), (quarter, series, borrowers, purpose)"
        found |= _grouped(base, some, records, figure, sets)
    return found


def _cells_of_filers(base: duckdb.DuckDBPyConnection, measured: Measure) -> _Cells:
    found: _Cells = {}
    for number, each in enumerate(FILERS, start=1):
        rows = (
            f"(SELECT * REPLACE ({number} AS series) FROM counts "
            f"WHERE {each.rule.sql} AND {measured.rows.sql})"
        )
        sets = "(quarter, series), (quarter, series, purpose)"
        found |= _grouped(base, rows, _COUNT, _FIGURES[measured.kind], sets)
    return found


def _grouped(
    base: duckdb.DuckDBPyConnection, rows: str, records: str, figure: str, sets: str
) -> _Cells:
    told_apart = ", ".join(
        f"if(grouping({name}) = 0, {name}, {_ALL})" if name in sets else str(_ALL)
        for name in ("purpose", "series", "borrowers")
    )
    found = base.execute(
        f"SELECT quarter, {told_apart}, {records}, {figure} FROM {rows} "
        f"GROUP BY GROUPING SETS ({sets})"
    ).fetchall()
    return {_Key(*key): _Cell(int(number), float(value)) for *key, number, value in found}


def _quarters(base: duckdb.DuckDBPyConnection, of: Series) -> list[int]:
    """Return the quarters of which there is anything of some filers."""
    found = base.execute(f"SELECT DISTINCT quarter FROM counts WHERE {of.rule.sql} ORDER BY 1")
    return [row[0] for row in found.fetchall()]


def _lines(graph: Graph, cells: _Cells, quarters: dict[Series, list[int]]) -> Iterator[Line]:
    purpose = PURPOSES.index(graph.purpose) or _ALL
    for series in graph.series:
        kind, group = _place(graph, series)
        points, small = {}, []
        for quarter in quarters.get(series, quarters[FILERS[0]]):
            cell = cells.get(_Key(quarter, purpose, kind, group), _Cell(0, 0.0))
            if cell.records < FEWEST:
                small.append(Quarter.of(quarter))
            else:
                points[Quarter.of(quarter)] = _rounded(cell.value, graph.measure.decimals)
        yield Line(series.name, points, tuple(small))


def _place(graph: Graph, series: Series) -> tuple[int, int]:
    """Return the numbers of the type and of the group of borrowers that a series is of."""
    if series in FILERS:
        return FILERS.index(series) + 1, _ALL
    if graph.breakdown.base:
        return BY_TYPE.index(graph.breakdown.base) + 1, BY_GROUP.index(series) + 1
    return BY_TYPE.index(series) + 1, _ALL


def _rounded(value: float, decimals: int) -> float:
    """Return a number as it is shown, halves away from zero."""
    return float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))
