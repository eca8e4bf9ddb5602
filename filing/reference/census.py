"""The census file of a year: its tracts, counties and MSA/MDs, with their figures and names.

Source: derived from the FFIEC census flat file of the year, 15 columns separated by |, or a flat
file of 2018 to 2021, whose layout is that of the 2010 census; the names of MSA/MDs from column 15,
or from OMB, delineations of metropolitan statistical areas and metropolitan divisions, one list a
year.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from filing.lar.official_kinds import OfficialKind
from filing.reference.listing import (
    BadLine,
    BadLines,
    ListColumn,
    format_list_header,
    read_list,
)
from filing.reference.official_files import LONGEST_FIRST_LINE, recognize_file

NO_MSA_MD = 99999  # the MSA/MD of tracts outside of any
BLANK_MSA_MD = f"lines with a blank MSA/MD (read as {NO_MSA_MD}, outside of any MSA/MD)"
UNKNOWN_AGE = -1  # in place of a blank median age of housing units

# The fields of a flat file in the order of the 15 columns, counted from 1; it has no names.
_FLAT_FIELDS = (1, 2, 3, 4, 5, 14, 15, 21, 916, 900, 581, 13, 953, 7)
_FLAT_YEARS = range(2018, 2022)

_WHOLE = r"-?[0-9]{1,9}"
_DECIMAL = r"-?[0-9]{1,9}(\.[0-9]*)?"

OUTSIDE_MSA_MD = str(NO_MSA_MD)
OUTSIDE_NAME = "Outside of any MSA/MD"

MSA_MD_COLUMNS = (
    ListColumn("msa_md", "MSA/MD", r"[0-9]{5}", "five digits, such as 31080"),
    ListColumn("msa_md_name", "name", ".+", "a name"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Census:
    """The census data that edits use: 11-digit tracts, 5-digit counties, and the small counties.

    A county is small if its population in the last decennial census was 30,000 or less.
    """

    tracts: pl.Series
    counties: pl.Series
    small_counties: pl.Series


def read_census(data: bytes, *, year: int) -> pl.DataFrame:
    """Return the lines of a year's census file, with the keys that loans use.

    Shape:  one row per line: census_tract has 11 digits (state, county, tract), county has 5,
            msa_md is 99999 outside of any.
    Units:  incomes in dollars, shares in percent, median age in years (-1: unknown).
    Raises: BadLines; also for lines of another collection year.
    """
    return resolve_msa_mds(read_census_lines(data, year=year))


def read_census_lines(data: bytes, *, year: int) -> pl.DataFrame:
    """Return the same as `read_census`, but with msa_md 0 where it is blank in the file.

    Raises: BadLines; also for lines of another collection year.
    """
    county = pl.col("state") + pl.col("county")
    columns = list_census_columns(year)
    is_flat = recognize_file(data[:LONGEST_FIRST_LINE]) is OfficialKind.FLAT_CENSUS
    return (
        (_read_flat_file(data, columns, year) if is_flat else read_list(data, columns))
        .with_columns(
            census_tract=county + pl.col("census_tract"),
            county=county,
            small_county=pl.col("small_county") == "S",
        )
        .drop("state")
    )


def _read_flat_file(data: bytes, columns: Sequence[ListColumn], year: int) -> pl.DataFrame:
    """Return the lines of a flat file, which has commas and no header."""
    if year not in _FLAT_YEARS:
        fault = f"the file is {OfficialKind.FLAT_CENSUS}, whose layout of {year} is not known"
        raise BadLines([BadLine(1, fault, "a file with the 15 columns of the census")])
    places = sorted(number - 1 for number in _FLAT_FIELDS)
    try:
        table = pl.read_csv(
            data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"),
            has_header=False,
            infer_schema=False,
            columns=places,
        )
    except pl.exceptions.PolarsError as error:
        fault = "the lines do not have the same columns"
        raise BadLines([BadLine(1, fault, f"{OfficialKind.FLAT_CENSUS}")]) from error
    cut = table.select(pl.nth([places.index(number - 1) for number in _FLAT_FIELDS]))
    text = cut.with_columns(name=pl.lit("")).write_csv(
        include_header=False, separator="|", quote_style="never"
    )
    try:
        return read_list((format_list_header(columns) + text).encode(), columns)
    except BadLines as error:
        # The header stands before the first line of the file.
        lines = [BadLine(bad.line - 1, bad.fault, bad.accepted) for bad in error.lines]
        raise BadLines(lines, total=error.total) from None


def resolve_msa_mds(lines: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of lines: a tract without an MSA/MD is outside of any.

    No MSA/MD has the number 0, so a 0 in the file means the same as a blank.
    """
    msa_md = pl.col("msa_md")
    return lines.with_columns(msa_md.replace(0, NO_MSA_MD))


def list_counties(rows: pl.DataFrame) -> pl.DataFrame:
    """Return one row per county: its last line in the file."""
    return rows.unique("county", keep="last", maintain_order=True)


def build_census(rows: pl.DataFrame) -> Census:
    """Return the census data that edits use. One small line makes a county small."""
    return Census(
        tracts=rows["census_tract"].unique(maintain_order=True),
        counties=list_counties(rows)["county"],
        small_counties=rows.filter("small_county")["county"].unique(maintain_order=True),
    )


def count_census(lines: pl.DataFrame) -> dict[str, int]:
    """Return the counts of a census file, for reports. Shape: as `read_census_lines`."""
    census, blank = build_census(lines), lines.filter(pl.col("msa_md") == 0).height
    return {
        "tracts": len(census.tracts),
        "counties": len(census.counties),
        "small counties": len(census.small_counties),
        **({BLANK_MSA_MD: blank} if blank else {}),
    }


def list_census_columns(year: int) -> tuple[ListColumn, ...]:
    """Return the columns of a year's census file, in their order."""
    return (
        ListColumn("collection_year", "collection year", str(year), str(year), pl.Int32),
        _whole("msa_md", "MSA/MD"),
        ListColumn("state", "state", r"[0-9]{2}", "two digits, such as 06", digits=2),
        ListColumn("county", "county", r"[0-9]{3}", "three digits, such as 037", digits=3),
        ListColumn(
            "census_tract", "census tract", r"[0-9]{6}", "six digits without a dot", digits=6
        ),
        _whole("ffiec_msa_md_median_family_income", "FFIEC median family income"),
        _whole("tract_population", "population"),
        _decimal("tract_minority_population_percent", "minority population percent"),
        _whole("tract_owner_occupied_units", "owner-occupied units"),
        _whole("tract_one_to_four_family_homes", "1-to-4-family units"),
        _whole("tract_median_family_income", "tract median family income"),
        _decimal("tract_to_msa_income_percentage", "tract-to-MSA income percent"),
        _whole("tract_median_age_of_housing_units", "median age", blank=UNKNOWN_AGE),
        ListColumn("small_county", "small county", ".*", "S or T", blank=""),
        ListColumn("msa_md_name", "MSA/MD name", ".*", "text", blank=""),
    )


def _whole(name: str, label: str, *, blank: int = 0) -> ListColumn:
    return ListColumn(name, label, _WHOLE, "a whole number", pl.Int32, str(blank))


def _decimal(name: str, label: str) -> ListColumn:
    return ListColumn(name, label, _DECIMAL, "a number", pl.Float64, "0")


def read_msa_md_names(data: bytes) -> pl.DataFrame:
    """Return the lines of a list of names, with | or with a comma after the code.

    Shape:  msa_md has five digits, msa_md_name is never blank.
    Raises: BadLines; also for an MSA/MD that is listed twice.
    """
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    if b"|" not in lines[0]:
        data = b"\n".join(map(_with_pipe, lines))
    return read_list(data, MSA_MD_COLUMNS, unique=("msa_md",), between="| or a comma")


def _with_pipe(line: bytes) -> bytes:
    """Return a line with a pipe between the code and the name, in place of the first comma.

    The name has commas of its own; either may be in quotes.
    """
    code, comma, name = line.partition(b",")
    code = code.strip(b' \t"')
    if not comma or b'"' in code:
        return line
    name = name.strip(b" \t").removeprefix(b'"').removesuffix(b'"')
    return code + b"|" + name


def count_msa_md_names(rows: pl.DataFrame) -> dict[str, int]:
    """Return the counts of a list of names, for reports."""
    return {"MSA/MDs": rows.height}


def find_names_by_code(rows: pl.DataFrame) -> dict[str, str]:
    """Return the names by their five digits: those of a list, or of the lines of a census.

    The code for outside of any MSA/MD has no name there.
    """
    code, name = pl.col("msa_md").cast(pl.String).str.zfill(5), pl.col("msa_md_name")
    names = rows.select(code, name).filter(name != "", ~code.is_in([OUTSIDE_MSA_MD, "00000"]))
    return dict(names.unique("msa_md", keep="last").iter_rows())
