"""The tables of reports: the rows and columns of their CSV files, from which JSON is written too.

All values of a group, all dispositions and all columns are in a table, also where nothing counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from databrowser.reports import cells
from databrowser.reports.cells import CellNames, CellTable
from databrowser.reports.definitions import (
    BY_ETHNICITY,
    BY_INCOME,
    BY_MEDIAN_AGE,
    BY_RACE,
    BY_TRACT,
    COLUMNS,
    ETHNICITIES,
    INCOMES,
    INSTITUTIONS,
    MEDIAN_AGES,
    PURCHASES,
    RACES,
    SEXES,
    TOTAL,
    Disposition,
    Group,
    ReportDefinition,
)

RACE, ETHNICITY = "Race", "Ethnicity"
UNKNOWN_PLACE = "NA"
LETTERS = tuple(column.letter.lower() for column in COLUMNS)
_MEASURES = ("count", "amount")
LETTER_COLUMNS = tuple(f"{letter}_{measure}" for letter in LETTERS for measure in _MEASURES)
TRACT_COLUMNS = ("tract", "county", "state", "census_tract")


def list_outcome_columns(report: ReportDefinition) -> list[str]:
    """Return the columns of the dispositions of reports 3, 4 and 5."""
    return [f"{each.key}_{measure}" for each in report.dispositions for measure in _MEASURES]


def make_table(report: ReportDefinition, file: Path, msa_md: str, lei: str = "") -> pl.DataFrame:
    """Return the table of a report, in the columns of its CSV file. file: of the cells."""
    names = cells.read_names(file)
    if report in (BY_TRACT, PURCHASES):
        rows = cells.read_cells(file, CellTable.TRACTS, msa_md, lei)
        return _by_tract(report, rows, names)
    if report is INSTITUTIONS:
        return _institutions(cells.read_institutions(file, msa_md), names)
    if report is BY_MEDIAN_AGE:
        return _by_median_age(cells.read_cells(file, CellTable.MEDIAN_AGES, msa_md))
    if report is BY_RACE:
        rows = cells.read_cells(file, CellTable.RACES, msa_md)
        return _by_sex(report, rows, "race", RACES)
    if report is BY_ETHNICITY:
        rows = cells.read_cells(file, CellTable.ETHNICITIES, msa_md)
        return _by_sex(report, rows, "ethnicity", ETHNICITIES)
    return _by_income(
        {
            RACE: cells.read_cells(file, CellTable.INCOMES_BY_RACE, msa_md),
            ETHNICITY: cells.read_cells(file, CellTable.INCOMES_BY_ETHNICITY, msa_md),
        }
    )


def _by_tract(report: ReportDefinition, rows: pl.DataFrame, names: CellNames) -> pl.DataFrame:
    counts = _count_letters(rows, report.dispositions)
    filled = _fill(_list_tracts(rows["place"], names), counts, report.dispositions)
    columns = ["disposition"] if report is BY_TRACT else []
    return filled.select(*TRACT_COLUMNS, *columns, *LETTER_COLUMNS)


def _by_median_age(rows: pl.DataFrame) -> pl.DataFrame:
    dispositions = BY_MEDIAN_AGE.dispositions
    ages = _list_groups("median_age", MEDIAN_AGES)
    filled = _fill(ages, _count_letters(rows, dispositions), dispositions)
    return filled.select("median_age", "disposition", *LETTER_COLUMNS)


def _by_sex(
    report: ReportDefinition, rows: pl.DataFrame, name: str, groups: Sequence[Group]
) -> pl.DataFrame:
    total = rows.with_columns(part=pl.lit(len(SEXES) + 1, pl.Int8))
    counts = _count_outcomes(report, pl.concat([rows, total]))
    sexes = pl.DataFrame({"sex": [*(sex.name for sex in SEXES), TOTAL]})
    grid = _list_groups(name, groups).join(
        sexes.with_row_index("part", 1).with_columns(pl.col("part").cast(pl.Int8)), how="cross"
    )
    return _joined(grid, counts).select(name, "sex", *list_outcome_columns(report))


def _by_income(rows: dict[str, pl.DataFrame]) -> pl.DataFrame:
    grids = []
    for characteristic, groups in ((RACE, RACES), (ETHNICITY, ETHNICITIES)):
        parts = _list_groups("group", groups).rename({"place": "part"})
        grid = _list_groups("income", INCOMES).join(
            parts.with_columns(pl.col("part").cast(pl.Int8)), how="cross"
        )
        filled = _joined(grid, _count_outcomes(BY_INCOME, rows[characteristic]))
        grids.append(filled.with_columns(characteristic=pl.lit(characteristic)))
    # Of each income group first the races, then the ethnicities.
    ordered = pl.concat(grids).sort("place", maintain_order=True)
    return ordered.select("income", "characteristic", "group", *list_outcome_columns(BY_INCOME))


def _institutions(leis: Iterable[str], names: CellNames) -> pl.DataFrame:
    shown = sorted({names.institutions.get(lei, lei).upper() for lei in leis})
    return pl.DataFrame({"institution": shown}, schema={"institution": pl.String})


def _count_letters(rows: pl.DataFrame, dispositions: Sequence[Disposition]) -> pl.DataFrame:
    """Return, of each place and disposition, counts and amounts in the columns A to G."""
    sums = [
        pl.col(measure).cast(pl.Int64).filter(pl.col("columns") & (1 << bit) != 0).sum()
        .alias(f"{letter}_{measure}")
        for bit, letter in enumerate(LETTERS)
        for measure in _MEASURES
    ]  # fmt: skip
    return pl.concat(
        rows.filter(pl.col("action").is_in(each.actions))
        .group_by("place")
        .agg(sums)
        .with_columns(number=pl.lit(number, pl.UInt32))
        for number, each in enumerate(dispositions)
    )


def _count_outcomes(report: ReportDefinition, rows: pl.DataFrame) -> pl.DataFrame:
    """Return, of each place and part, counts and amounts of each disposition."""
    return rows.group_by("place", "part").agg(
        pl.col(measure).cast(pl.Int64).filter(pl.col("action").is_in(each.actions)).sum()
        .alias(f"{each.key}_{measure}")
        for each in report.dispositions
        for measure in _MEASURES
    )  # fmt: skip


def _fill(
    places: pl.DataFrame, counts: pl.DataFrame, dispositions: Sequence[Disposition]
) -> pl.DataFrame:
    """Return a row for each place and disposition, in their order."""
    rows = pl.DataFrame({"disposition": [each.name for each in dispositions]})
    return _joined(places.join(rows.with_row_index("number"), how="cross"), counts)


def _joined(grid: pl.DataFrame, counts: pl.DataFrame) -> pl.DataFrame:
    keys = [name for name in counts.columns if name in grid.columns]
    joined = grid.join(counts, on=keys, how="left", maintain_order="left")
    return joined.with_columns(pl.col(name).fill_null(0) for name in counts.columns)


def _list_groups(name: str, groups: Sequence[Group]) -> pl.DataFrame:
    listed = pl.DataFrame({name: [group.name for group in groups]})
    return listed.with_row_index("place", 1).with_columns(pl.col("place").cast(pl.Int64))


def _list_tracts(tracts: pl.Series, names: CellNames) -> pl.DataFrame:
    """Return tracts with their names, ordered by these in capital letters."""
    digits = tracts.unique().cast(pl.String).str.zfill(11)
    listed = pl.DataFrame({"place": digits.cast(pl.Int64), "census_tract": digits})
    counties = pl.DataFrame(
        [(code, *pair) for code, pair in names.counties.items()],
        schema={"code": pl.String, "county": pl.String, "state": pl.String},
        orient="row",
    )
    named = listed.with_columns(code=pl.col("census_tract").str.head(5)).join(
        counties, on="code", how="left"
    )
    place = pl.col("county", "state").fill_null(UNKNOWN_PLACE)
    return (
        named.with_columns(place)
        .with_columns(
            tract=pl.concat_str(
                "county", "state", pl.col("census_tract").str.tail(6), separator="/"
            )
        )
        .sort(pl.col("tract").str.to_uppercase(), "census_tract")
    )
