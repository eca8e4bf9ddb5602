"""The cells of all yearly reports of a version, counted in one pass over its records.

The cells are one Parquet file, sorted so that those of a report lie together:

    cells      which cells they are (`CellTable`)
    lei        the institution of a disclosure report; blank in aggregate reports
    msa_md     five digits as a number
    place      a census tract as a number, or the number of a group, counted from 1
    part       the number of a second group (sex, or race and ethnicity within income); else 0
    action     action taken; 0 where records count in no cell, and only their tract is listed
    columns    the columns A to G that the records are in, a bit for each; 0 without columns
    count, amount   how many records, and their amounts in whole dollars

Names are in the metadata of the file: like the cells, they never change afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from databrowser.publication.lazy_imports import duckdb, pa, pq
from databrowser.publication.scratch_database import Progress, connect_scratch, quote
from databrowser.reports.definitions import (
    COLUMNS,
    COUNTED_ACTIONS,
    ETHNICITIES,
    FEW_UNITS,
    INCOME_TENTHS,
    INCOMES,
    MANY_UNITS,
    MEDIAN_AGE_YEARS,
    MEDIAN_AGES,
    RACES,
    SEXES,
    Group,
    LoanColumn,
)

_ROW_GROUP = 65_536  # rows: a report reads one or two of these groups
_NAMES = "names"
_NO_GROUP = 0
_GROUPS_AT_ONCE = 8  # row groups of the records, a million records
_MEMORY_MB = 768  # of the scratch database; the records of a piece take the rest
_COUNTED = 0.7  # the progress once all records are counted, by the time it takes
# Of the typed records.
_COLUMNS = [
    *("lei", "derived_msa_md", "census_tract", "action_taken", "loan_type", "loan_purpose"),
    *("construction_method", "occupancy_type", "total_units", "loan_amount", "derived_race"),
    *("derived_ethnicity", "derived_sex", "income", "ffiec_msa_md_median_family_income"),
    *("tract_median_age_of_housing_units", "tract_population"),
]
# Thousands of dollars, beyond which an income is in the highest or lowest group all the same.
_MOST_INCOME = 1_000_000_000


class CellTable(IntEnum):
    """Which cells rows are, and what `place` and `part` are in them."""

    TRACTS = 1  # tract
    RACES = 2  # race, sex
    ETHNICITIES = 3  # ethnicity, sex
    INCOMES_BY_RACE = 4  # income, race
    INCOMES_BY_ETHNICITY = 5  # income, ethnicity
    MEDIAN_AGES = 6  # median age
    INSTITUTIONS = 7  # none: a row for each institution of an MSA/MD


@dataclass(frozen=True)
class MsaMdNames:
    """An MSA/MD. name: blank if it is not known. states: the letters of those that it lies in."""

    id: str
    name: str
    states: tuple[str, ...] = ()

    @property
    def only_state(self) -> str:
        """The letters of its state; blank if it lies in several."""
        return self.states[0] if len(self.states) == 1 else ""


@dataclass(frozen=True)
class CellNames:
    """The names in the reports of a version.

    institutions: by LEI, of all that the version has, also where they have no report. counties:
    names of the county and its state, by five digits. states: by their letters.
    """

    institutions: Mapping[str, str] = field(default_factory=dict)
    msa_mds: Mapping[str, MsaMdNames] = field(default_factory=dict)
    counties: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    states: Mapping[str, str] = field(default_factory=dict)


def count_cells(
    loans: Path,
    target: Path,
    folder: Path,
    *,
    year: int,
    progress: Progress = lambda share: None,
) -> None:
    """Write the cells of all reports of a year, without names.

    loans: the typed records of a version, sorted by place. folder: for what does not fit in memory.
    """
    with connect_scratch(folder, folder / "cells.duckdb") as database:
        database.execute(f"SET memory_limit = '{_MEMORY_MB}MB'")
        # Numbers for LEIs, in their order: a tenth of the memory that texts take.
        database.execute(
            "CREATE TYPE institution AS ENUM "
            f"(SELECT DISTINCT lei FROM read_parquet({quote(loans)}) ORDER BY lei)"
        )
        with pq.ParquetFile(loans) as file:
            for start in range(0, file.num_row_groups, _GROUPS_AT_ONCE):
                stop = min(start + _GROUPS_AT_ONCE, file.num_row_groups)
                _count_piece(database, file.read_row_groups(range(start, stop), _COLUMNS), year)
                progress(_COUNTED * stop / file.num_row_groups)
        _write_sorted(database, target)


def add_names(cells: Path, target: Path, names: CellNames) -> None:
    """Write cells with the names in them."""
    text = json.dumps(asdict(names), separators=(",", ":"))
    pl.scan_parquet(cells).sink_parquet(
        target,
        compression="zstd",
        row_group_size=_ROW_GROUP,
        metadata={_NAMES: text},
        maintain_order=True,
    )


@lru_cache(maxsize=32)
def read_names(cells: Path) -> CellNames:
    """Return the names of a file of cells, which never changes."""
    read: dict[str, Any] = json.loads(pl.read_parquet_metadata(cells)[_NAMES])
    return CellNames(
        read["institutions"],
        {
            code: MsaMdNames(each["id"], each["name"], tuple(each["states"]))
            for code, each in read["msa_mds"].items()
        },
        {code: (county, state) for code, (county, state) in read["counties"].items()},
        read["states"],
    )


def read_cells(cells: Path, table: CellTable, msa_md: str, lei: str = "") -> pl.DataFrame:
    """Return the cells of a report. Shape: place, part, action, columns, count, amount."""
    rows = pl.scan_parquet(cells).filter(
        pl.col("cells") == int(table), pl.col("lei") == lei, pl.col("msa_md") == int(msa_md)
    )
    return rows.drop("cells", "lei", "msa_md").collect()


def has_records(cells: Path, msa_md: str, lei: str) -> bool:
    """Return whether an institution has records in an MSA/MD."""
    rows = pl.scan_parquet(cells).filter(
        pl.col("cells") == int(CellTable.INSTITUTIONS),
        pl.col("lei") == lei,
        pl.col("msa_md") == int(msa_md),
    )
    return bool(rows.select(pl.len()).collect().item())


def read_msa_mds(cells: Path, lei: str = "") -> list[str]:
    """Return the MSA/MDs that have aggregate reports, or disclosure reports of an institution."""
    rows = pl.scan_parquet(cells).filter(
        pl.col("cells") == int(CellTable.TRACTS), pl.col("lei") == lei
    )
    codes = rows.select(pl.col("msa_md").unique().sort()).collect().to_series()
    return [f"{code:05}" for code in codes]


def read_counties(cells: Path) -> dict[str, set[str]]:
    """Return the counties with listed tracts, by MSA/MD."""
    rows = pl.scan_parquet(cells).filter(
        pl.col("cells") == int(CellTable.TRACTS), pl.col("lei") == ""
    )
    county = pl.col("place") // 1_000_000
    pairs = rows.select("msa_md", county).unique().collect()
    found: dict[str, set[str]] = {}
    for msa_md, number in pairs.iter_rows():
        found.setdefault(f"{msa_md:05}", set()).add(f"{number:05}")
    return found


def read_institutions(cells: Path, msa_md: str = "") -> list[str]:
    """Return the institutions with records in an MSA/MD, or in any that has reports, by LEI."""
    rows = pl.scan_parquet(cells).filter(pl.col("cells") == int(CellTable.INSTITUTIONS))
    if msa_md:
        rows = rows.filter(pl.col("msa_md") == int(msa_md))
    return rows.select(pl.col("lei").unique().sort()).collect().to_series().to_list()


# The keys of each table beside the MSA/MD, by the names of `_RECORDS`.
_KEYS: dict[tuple[CellTable, bool], tuple[str, ...]] = {
    (CellTable.TRACTS, False): ("tract", "tract_action", "columns"),
    (CellTable.TRACTS, True): ("institution", "tract", "tract_action", "columns"),
    (CellTable.RACES, False): ("race", "sex", "action"),
    (CellTable.ETHNICITIES, False): ("ethnicity", "sex", "action"),
    (CellTable.INCOMES_BY_RACE, False): ("income", "race", "action"),
    (CellTable.INCOMES_BY_ETHNICITY, False): ("income", "ethnicity", "action"),
    (CellTable.MEDIAN_AGES, False): ("median_age", "tract_action", "columns"),
    (CellTable.INSTITUTIONS, True): ("institution",),
}
_PLACES = {
    CellTable.TRACTS: "tract",
    CellTable.RACES: "race",
    CellTable.ETHNICITIES: "ethnicity",
    CellTable.INCOMES_BY_RACE: "income",
    CellTable.INCOMES_BY_ETHNICITY: "income",
    CellTable.MEDIAN_AGES: "median_age",
    CellTable.INSTITUTIONS: "0",
}
_PARTS = {
    CellTable.RACES: "sex",
    CellTable.ETHNICITIES: "sex",
    CellTable.INCOMES_BY_RACE: "race",
    CellTable.INCOMES_BY_ETHNICITY: "ethnicity",
}
_GROUPED = (
    *("institution", "msa_md", "tract", "race", "ethnicity", "sex", "income", "median_age"),
    *("action", "tract_action", "columns"),
)


def _count_piece(database: duckdb.DuckDBPyConnection, piece: pa.Table, year: int) -> None:
    """Count some records. Those of a tract are beside each other, so that few cells are left."""
    sets = ", ".join(f"(msa_md, {', '.join(keys)})" for keys in _KEYS.values())
    database.register("piece", piece)
    database.execute(
        f"""
        CREATE TABLE IF NOT EXISTS counted AS {_select_cells(sets, year)} LIMIT 0;
        INSERT INTO counted {_select_cells(sets, year)}
        """
    )
    database.unregister("piece")


def _select_cells(sets: str, year: int) -> str:
    """Return the SQL of the cells of the records in `piece`."""
    return f"""
        WITH records AS ({_select_records("piece", year)}),
        grouped AS (
            SELECT {", ".join(_GROUPED)}, GROUPING({", ".join(_GROUPED)}) AS grouping,
                COUNT(*) AS number, SUM(loan_amount) AS dollars
            FROM records GROUP BY GROUPING SETS ({sets})
        )
        SELECT ({_by_table({key: str(int(key[0])) for key in _KEYS})})::TINYINT AS cells,
            institution,
            msa_md,
            ({_by_table({key: _PLACES[key[0]] for key in _KEYS})})::BIGINT AS place,
            ({_by_table({key: _PARTS.get(key[0], "0") for key in _KEYS})})::TINYINT AS part,
            COALESCE(action, tract_action, 0)::TINYINT AS action,
            COALESCE(columns, 0)::TINYINT AS columns,
            number::UINTEGER AS count,
            COALESCE(dollars, 0)::BIGINT AS amount
        FROM grouped
        WHERE COALESCE(race, 1) > 0 AND COALESCE(ethnicity, 1) > 0 AND COALESCE(sex, 1) > 0
            AND COALESCE(income, 1) > 0 AND COALESCE(action, 1) > 0
            AND (median_age IS NULL OR tract_action > 0)
        """


def _write_sorted(database: duckdb.DuckDBPyConnection, target: Path) -> None:
    """Write the cells of all pieces, those of a report beside each other.

    A tract of an institution that was in two pieces has its cells twice: who reads them adds up.
    """
    of_one = f"cells = {int(CellTable.TRACTS)} AND institution IS NOT NULL"
    keys = "cells, institution, msa_md, place, part, action, columns"
    database.execute(
        f"""
        COPY (
            SELECT cells, COALESCE(institution::VARCHAR, '') AS lei, * EXCLUDE (cells, institution)
            FROM (
                SELECT * FROM counted WHERE {of_one}
                UNION ALL
                SELECT {keys}, SUM(count)::UINTEGER AS count, SUM(amount)::BIGINT AS amount
                FROM counted WHERE NOT ({of_one}) GROUP BY {keys}
            )
            ORDER BY {keys.replace("institution", "institution NULLS FIRST")}, count, amount
        ) TO {quote(target)} (FORMAT parquet, COMPRESSION zstd)
        """
    )


def _by_table(values: Mapping[tuple[CellTable, bool], str]) -> str:
    """Return SQL with a value for each of the grouping sets."""
    cases = " ".join(
        f"WHEN {_grouping_bits(_KEYS[table])} THEN {value}" for table, value in values.items()
    )
    return f"CASE grouping {cases} END"


def _grouping_bits(keys: Iterable[str]) -> int:
    """Return what GROUPING is for a set: a bit for each column that is not in it."""
    return int("".join("0" if name in {"msa_md", *keys} else "1" for name in _GROUPED), 2)


def _select_records(records: str, year: int) -> str:
    """Return the SQL of the records that count, with numbers for groups."""
    bits = " | ".join(
        f"(CASE WHEN {_condition(column)} THEN {1 << bit} ELSE 0 END)"
        for bit, column in enumerate(COLUMNS)
    )
    counted = ", ".join(map(str, COUNTED_ACTIONS))
    return f"""
        SELECT *, CASE WHEN columns = 0 THEN 0 ELSE action END AS tract_action FROM (
            SELECT lei::institution AS institution,
                TRY_CAST(derived_msa_md AS INTEGER) AS msa_md,
                TRY_CAST(census_tract AS BIGINT) AS tract,
                CASE WHEN action_taken IN ({counted}) THEN action_taken ELSE 0 END AS action,
                {bits} AS columns,
                {_number("derived_race", RACES)} AS race,
                {_number("derived_ethnicity", ETHNICITIES)} AS ethnicity,
                {_number("derived_sex", SEXES)} AS sex,
                {_income()} AS income,
                {_median_age(year)} AS median_age,
                TRY_CAST(loan_amount AS BIGINT) AS loan_amount
            FROM {records}
        ) WHERE msa_md > 0 AND tract > 0
        """


def _condition(column: LoanColumn) -> str:
    """Return the SQL of whether a record is in a column."""
    units = ", ".join(quote(value) for value in (FEW_UNITS if column.few_units else MANY_UNITS))
    codes = {
        "loan_purpose": column.purposes,
        "loan_type": column.types,
        "occupancy_type": column.occupancies,
        "construction_method": column.methods,
    }
    return " AND ".join(
        [
            f"total_units IN ({units})",
            *(f"{name} IN ({', '.join(map(str, of))})" for name, of in codes.items() if of),
        ]
    )


def _number(name: str, groups: tuple[Group, ...]) -> str:
    cases = " ".join(
        f"WHEN {quote(group.name)} THEN {number}" for number, group in enumerate(groups, 1)
    )
    return f"CASE {name} {cases} ELSE {_NO_GROUP} END"


def _income() -> str:
    """Return the SQL of the number of the income group, in whole numbers.

    An income is in thousands of dollars, the median in dollars. Records without one of them are in
    no group.
    """
    income = f"least(greatest(income, -{_MOST_INCOME}), {_MOST_INCOME})"
    median = "ffiec_msa_md_median_family_income"
    cases = " ".join(
        f"WHEN 10000 * {income} < {tenths} * {median} THEN {number}"
        for number, tenths in enumerate(INCOME_TENTHS, 1)
    )
    return (
        f"CASE WHEN income IS NULL OR COALESCE({median}, 0) <= 0 THEN {_NO_GROUP} {cases} "
        f"ELSE {len(INCOMES)} END"
    )


def _median_age(year: int) -> str:
    """Return the SQL of the number of the group of the year in which half of the homes were built.

    A tract that is not in the census of the year has neither people nor an age.
    """
    age = "tract_median_age_of_housing_units"
    unknown = len(MEDIAN_AGES)
    cases = " ".join(
        f"WHEN {year} - {age} >= {first} THEN {number}"
        for number, first in enumerate(MEDIAN_AGE_YEARS, 1)
    )
    return (
        f"CASE WHEN COALESCE({age}, -1) < 0 OR ({age} = 0 AND COALESCE(tract_population, 0) = 0) "
        f"THEN {unknown} {cases} ELSE {unknown - 1} END"
    )
