"""The kinds of yearly reference files: the label, the reader, and the use of each.

Commands, pages, and the registry read the table `REFERENCE_KINDS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from filing.lar.official_kinds import OfficialKind
from filing.lar.years import YearStage, supported_years
from filing.reference import census, limits, listing
from filing.reference.listing import BadLine, BadLines, ListColumn
from filing.reference.official_files import LONGEST_FIRST_LINE, describe_other_kind

CENSUS = "census"
COUNTY_LIMITS = "county-limits"
MSA_MD_NAMES = "msa-md-names"
EXAMPLES = 20  # of each kind of difference

_A_YEAR = re.compile(r"(?<![0-9])20[0-9]{2}(?![0-9])")


@dataclass(frozen=True, slots=True)
class ReferenceKind:
    """A kind of file. key: the columns that identify a line in two files.

    read: the lines as they are stored. counts: of these lines. columns: those of a file of a year.
    official: as which kinds its files are recognized. resolved: the rows to use, made from the
    lines. missing: the effect of a missing file. in_edits: whether edits read it, so that another
    file may change their results. is_optional: whether a year may do without it. says_year: whether
    the first cell of each line is the year.
    """

    name: str
    label: str
    read: Callable[[bytes, int], pl.DataFrame]
    counts: Callable[[pl.DataFrame], dict[str, int]]
    key: tuple[str, ...]
    columns: Callable[[int], tuple[ListColumn, ...]]
    layout: str
    missing: str
    official: tuple[OfficialKind, ...] = ()
    resolved: Callable[[pl.DataFrame], pl.DataFrame] = lambda lines: lines
    in_edits: bool = False
    is_optional: bool = False
    says_year: bool = False


@dataclass(frozen=True, slots=True)
class ListDifference:
    """The difference between the lines of two files. Examples are keys of lines."""

    added: int
    removed: int
    changed: int
    examples: dict[str, list[str]]


REFERENCE_KINDS = {
    kind.name: kind
    for kind in (
        ReferenceKind(
            name=CENSUS,
            label="census",
            read=lambda data, year: census.read_census_lines(data, year=year),
            resolved=census.resolve_msa_mds,
            counts=census.count_census,
            key=("census_tract",),
            columns=census.list_census_columns,
            says_year=True,
            official=(OfficialKind.CENSUS, OfficialKind.FLAT_CENSUS),
            layout="a header line, then 15 columns separated by |, one line for each tract",
            missing="Edits that need census tracts and counties do not run; reports list them.",
            in_edits=True,
        ),
        ReferenceKind(
            name=COUNTY_LIMITS,
            label="county loan limits",
            read=lambda data, year: limits.read_loan_limits(data),
            counts=limits.count_loan_limits,
            key=("county",),
            columns=lambda year: limits.LIMIT_COLUMNS,
            official=(OfficialKind.COUNTY_LIMITS,),
            layout="a header line, then 9 columns separated by |, one line for each county",
            missing="No edit needs it; loans cannot be compared with the conforming loan limits.",
        ),
        ReferenceKind(
            name=MSA_MD_NAMES,
            label="MSA/MD names",
            read=lambda data, year: census.read_msa_md_names(data),
            counts=census.count_msa_md_names,
            key=("msa_md",),
            columns=lambda year: census.MSA_MD_COLUMNS,
            layout="a header line, then the code and the name separated by | or a comma, one line "
            "for each MSA/MD",
            missing="MSA/MDs have the names in the census file, or in the newest list.",
            is_optional=True,
        ),
    )
}


def read_reference_file(kind: ReferenceKind, data: bytes, *, year: int) -> pl.DataFrame:
    """Return the lines of a file of a kind, as they are stored.

    Raises: BadLines; with one line for a file of another kind, which is named.
    """
    if other := describe_other_kind(data[:LONGEST_FIRST_LINE], *kind.official):
        raise BadLines([BadLine(1, f"the file is {other}", f"a file of {kind.label}")])
    return kind.read(data, year)


def find_data_year(kind: ReferenceKind, data: bytes, *, name: str) -> int | None:
    """Return the data year of a file from its lines or its name; None if neither has it."""
    cell = listing.read_first_cell(data) if kind.says_year else ""
    years = {int(text) for text in _A_YEAR.findall(cell) or _A_YEAR.findall(name)}
    if len(years) != 1:
        return None
    year = years.pop()
    return year if year in supported_years(YearStage.DRAFT) else None


def compare_lists(kind: ReferenceKind, new: pl.DataFrame, old: pl.DataFrame) -> ListDifference:
    """Return the difference between new and old lines; their order does not count."""
    name = pl.concat_str(kind.key, separator=" ")
    columns = new.columns
    fresh = new.join(old, on=columns, how="anti", nulls_equal=True)
    keys = list(kind.key)
    differing = {
        "added": fresh.join(old, on=keys, how="anti"),
        "removed": old.join(new, on=keys, how="anti"),
        "changed": fresh.join(old, on=keys, how="semi"),
    }
    return ListDifference(
        **{change: lines.height for change, lines in differing.items()},
        examples={
            change: lines.select(name.alias("name"))["name"].sort().head(EXAMPLES).to_list()
            for change, lines in differing.items()
            if lines.height
        },
    )
