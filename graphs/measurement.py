"""Computes all graphs from the facts of loans, in a few passes over them.

The first pass selects the rows that any graph counts into a narrow table; the second counts them,
and each of the others takes the medians of one measure. The conditions of the catalogues become
small numbers in that table: the loan type, the borrower group, the purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import NamedTuple

from databrowser.publication.lazy_imports import duckdb
from graphs.catalogue import GRAPHS, MEASURES, Graph, GraphMeasure
from graphs.quarters import ComputedLine, Measurement, Quarter
from graphs.rules import (
    ALL_FILERS,
    APPLICATIONS,
    BY_GROUP,
    BY_TYPE,
    COMMON,
    FEWEST,
    FILERS,
    PURPOSES,
    GraphLine,
)

MEMORY, THREADS = "1GB", 2
_MEDIANS = tuple(measure for measure in MEASURES if measure.kind == "median")
_ALL = -1  # for a cell that is not broken down by a column
# The figures of counts and rates, from the table of counts.
_COUNT = "sum(records)"
_DECIDED = "sum(records) FILTER (action_taken IN (1, 2, 3))"
_DENIED = "sum(records) FILTER (action_taken = 3)"
_FIGURES = {
    "count": _COUNT,
    # Without decisions, nothing was denied.
    "rate": f"coalesce(100.0 * coalesce({_DENIED}, 0) / {_DECIDED}, 0)",
}


@dataclass(frozen=True)
class FactsFiles:
    """Parquet files of facts: of annual filings, and of quarterly ones, the newest signed last.

    A quarterly file may hold the earlier quarters of its year again (supplemental guide for
    quarterly filers for 2026, §1.1.1). Of an institution, the records of a quarter are those of the
    last file that has any of that quarter.
    """

    annual: Sequence[Path] = ()
    quarterly: Sequence[Path] = ()


class _Key(NamedTuple):
    """A cell: a quarter of some loans."""

    quarter: int
    purpose: int
    series: int
    group: int


class _Cell(NamedTuple):
    """The content of a cell: the number of its records, and their figure."""

    records: int
    value: float


_Cells = dict[_Key, _Cell]


def measure_all(
    files: FactsFiles,
    filers: Collection[str],
    *,
    workplace: Path,
    progress: Callable[[], None] = lambda: None,
) -> Measurement:
    """Return the lines of all graphs.

    filers: the LEIs of the quarterly filers. workplace: a folder for spilling to disk. progress:
    called after every pass.
    """
    if not files.annual and not files.quarterly:
        return Measurement({graph.endpoint: () for graph in GRAPHS}, 0)
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY,
        "threads": THREADS,
        "preserve_insertion_order": False,
        "temp_directory": str(workplace),
    }
    with duckdb.connect(config=settings) as base:
        rows = _narrow(base, files, filers)
        progress()
        _count(base)
        progress()
        cells = {}
        for measure in MEASURES:
            cells[measure] = _cells(base, measure)
            progress()
        quarters = {filers: _quarters(base, filers) for filers in FILERS}
    lines_by_graph = {
        graph: tuple(_lines(graph, cells[graph.measure], quarters)) for graph in GRAPHS
    }
    return Measurement({graph.endpoint: lines for graph, lines in lines_by_graph.items()}, rows)


def _narrow(base: duckdb.DuckDBPyConnection, files: FactsFiles, filers: Collection[str]) -> int:
    """Create the table of rows that any graph counts; return the number of rows read."""
    base.execute("CREATE TEMP TABLE filers (lei VARCHAR)")
    base.execute("INSERT INTO filers SELECT unnest(?)", [sorted(filers)])
    kinds = {"true": files.annual, "false": files.quarterly}
    paths_by_kind = {kind: [str(path) for path in paths] for kind, paths in kinds.items() if paths}
    base.execute(
        "CREATE TEMP TABLE sources AS SELECT unnest(?) AS path, unnest(?) AS place",
        [
            [str(path) for path in (*files.annual, *files.quarterly)],
            list(range(len(files.annual) + len(files.quarterly))),
        ],
    )
    filed = " UNION ALL ".join(
        f"SELECT *, {kind} AS is_annual FROM read_parquet(?, filename = 'path')"
        for kind in paths_by_kind
    )
    paths = list(paths_by_kind.values())
    values = ", ".join(
        f"CASE WHEN {measure.rows.sql} AND {measure.usable.sql} THEN {measure.value} END "
        f"AS {measure.value}"
        for measure in _MEDIANS
    )
    base.execute(
        f"""
        CREATE TEMP TABLE newest AS
        SELECT lei, activity_year, quarter, is_annual, max(place) AS place
        FROM ({filed}) JOIN sources USING (path)
        WHERE quarter IS NOT NULL GROUP BY ALL
        """,
        paths,
    )
    base.execute(
        f"""
        CREATE TABLE loans AS
        SELECT CAST(activity_year * 4 + quarter - 1 AS SMALLINT) AS quarter,
               is_annual,
               lei IN (SELECT lei FROM filers) AS is_filer,
               CAST(action_taken AS TINYINT) AS action_taken,
               {_number_of(purpose.rule.sql for purpose in PURPOSES[1:])} AS purpose,
               {_number_of(series.rule.sql for series in BY_TYPE)} AS series,
               {_number_of(series.rule.sql for series in BY_GROUP)} AS borrowers,
               {values}
        FROM ({filed}) JOIN sources USING (path)
             JOIN newest USING (lei, activity_year, quarter, is_annual, place)
        WHERE {COMMON.sql} AND {APPLICATIONS.sql}
        """,
        paths,
    )
    rows_read = base.execute(f"SELECT count(*) FROM ({filed})", paths)
    return int(rows_read.fetchall()[0][0])


def _number_of(conditions: Iterator[str]) -> str:
    """Return the SQL for the number of the first condition that holds, from 1; 0 for none."""
    cases = " ".join(
        f"WHEN {condition} THEN {n}" for n, condition in enumerate(conditions, start=1)
    )
    return f"CAST(CASE {cases} ELSE 0 END AS TINYINT)"


def _count(base: duckdb.DuckDBPyConnection) -> None:
    """Create the table of counts, for all measures that are not medians."""
    base.execute(
        """
        CREATE TABLE counts AS
        SELECT quarter, is_annual, is_filer, action_taken, purpose, series, borrowers,
               count(*) AS records
        FROM loans GROUP BY ALL
        """
    )


def _cells(base: duckdb.DuckDBPyConnection, measure: GraphMeasure) -> _Cells:
    """Return the figure of a measure in each cell."""
    if ALL_FILERS in measure.breakdowns:
        return _cells_of_filers(base, measure)
    if measure.kind == "median":
        table, where = "loans", f"{measure.value} IS NOT NULL"
        records, figure = "count(*)", f"quantile_cont({measure.value}, 0.5)"
    else:
        table, where = "counts", measure.rows.sql
        records, figure = _COUNT, _FIGURES[measure.kind]
    # By loan type; for some types also by borrower group. Each for all purposes and every purpose.
    sets = "(quarter, series), (quarter, series, purpose)"
    by_group = [breakdown for breakdown in measure.breakdowns if breakdown.base]
    cells = _grouped(base, f"{table} WHERE is_filer AND {where}", records, figure, sets)
    if by_group:
        bases = [BY_TYPE.index(breakdown.base) + 1 for breakdown in by_group if breakdown.base]
        rows = f"{table} WHERE is_filer AND {where} AND borrowers > 0 AND series IN {tuple(bases)}"
        sets = "(quarter, series, borrowers), (quarter, series, borrowers, purpose)"
        cells |= _grouped(base, rows, records, figure, sets)
    return cells


def _cells_of_filers(base: duckdb.DuckDBPyConnection, measure: GraphMeasure) -> _Cells:
    cells: _Cells = {}
    for number, filers in enumerate(FILERS, start=1):
        rows = (
            f"(SELECT * REPLACE ({number} AS series) FROM counts "
            f"WHERE {filers.rule.sql} AND {measure.rows.sql})"
        )
        sets = "(quarter, series), (quarter, series, purpose)"
        cells |= _grouped(base, rows, _COUNT, _FIGURES[measure.kind], sets)
    return cells


def _grouped(
    base: duckdb.DuckDBPyConnection, rows: str, records: str, figure: str, sets: str
) -> _Cells:
    keys = ", ".join(
        f"if(grouping({name}) = 0, {name}, {_ALL})" if name in sets else str(_ALL)
        for name in ("purpose", "series", "borrowers")
    )
    cells = base.execute(
        f"SELECT quarter, {keys}, {records}, {figure} FROM {rows} GROUP BY GROUPING SETS ({sets})"
    ).fetchall()
    return {_Key(*key): _Cell(int(number), float(value)) for *key, number, value in cells}


def _quarters(base: duckdb.DuckDBPyConnection, filers: GraphLine) -> list[int]:
    """Return the quarters with records of some filers."""
    quarters = base.execute(
        f"SELECT DISTINCT quarter FROM counts WHERE {filers.rule.sql} ORDER BY 1"
    )
    return [row[0] for row in quarters.fetchall()]


def _lines(
    graph: Graph, cells: _Cells, quarters: dict[GraphLine, list[int]]
) -> Iterator[ComputedLine]:
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
        yield ComputedLine(series.name, points, tuple(small))


def _place(graph: Graph, series: GraphLine) -> tuple[int, int]:
    """Return the numbers of the loan type and the borrower group of a series."""
    if series in FILERS:
        return FILERS.index(series) + 1, _ALL
    if graph.breakdown.base:
        return BY_TYPE.index(graph.breakdown.base) + 1, BY_GROUP.index(series) + 1
    return BY_TYPE.index(series) + 1, _ALL


def _rounded(value: float, decimals: int) -> float:
    """Return a number rounded for display, halves away from zero."""
    return float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))
