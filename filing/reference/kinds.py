"""The kinds of yearly reference files: the label, the reader, and the use of each.

Commands, pages, and the registry read the table `KINDS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from filing.lar.years import Stage, supported_years
from filing.reference import census, limits, listing, msa_md_names
from filing.reference.listing import Column

CENSUS = "census"
COUNTY_LIMITS = "county-limits"
MSA_MD_NAMES = "msa-md-names"
EXAMPLES = 20  # of each kind of difference

_A_YEAR = re.compile(r"(?<![0-9])20[0-9]{2}(?![0-9])")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file. key: the columns that identify a line in two files.

    read: the lines as they are stored. counts: of these lines. columns: those of a file of a year.
    resolved: the rows to use, made from the lines. missing: the effect of a missing file. in_edits:
    whether edits read it, so that another file may change their results. is_optional: whether a
    year may do without it. says_year: whether the first cell of each line is the year.
    """

    name: str
    label: str
    read: Callable[[bytes, int], pl.DataFrame]
    counts: Callable[[pl.DataFrame], dict[str, int]]
    key: tuple[str, ...]
    columns: Callable[[int], tuple[Column, ...]]
    layout: str
    missing: str
    resolved: Callable[[pl.DataFrame], pl.DataFrame] = lambda lines: lines
    in_edits: bool = False
    is_optional: bool = False
    says_year: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between the lines of two files. Examples are keys of lines."""

    added: int
    removed: int
    changed: int
    examples: dict[str, list[str]]


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            name=CENSUS,
            label="census",
            read=lambda data, year: census.read_lines(data, year=year),
            resolved=census.resolved,
            counts=census.counts,
            key=("census_tract",),
            columns=census.columns,
            says_year=True,
            layout="a header line, then 15 columns separated by |, one line for each tract",
            missing="Edits that need census tracts and counties do not run; reports list them.",
            in_edits=True,
        ),
        Kind(
            name=COUNTY_LIMITS,
            label="county loan limits",
            read=lambda data, year: limits.read_rows(data),
            counts=limits.counts,
            key=("county",),
            columns=lambda year: limits.COLUMNS,
            layout="a header line, then 9 columns separated by |, one line for each county",
            missing="No edit needs it; loans cannot be compared with the conforming loan limits.",
        ),
        Kind(
            name=MSA_MD_NAMES,
            label="MSA/MD names",
            read=lambda data, year: msa_md_names.read_rows(data),
            counts=msa_md_names.counts,
            key=("msa_md",),
            columns=lambda year: msa_md_names.COLUMNS,
            layout="a header line, then the code and the name separated by | or a comma, one line "
            "for each MSA/MD",
            missing="MSA/MDs have the names in the census file, or in the newest list.",
            is_optional=True,
        ),
    )
}


def year_of(kind: Kind, data: bytes, *, name: str) -> int | None:
    """Return the data year of a file from its lines or its name; None if neither has it."""
    cell = listing.first_cell(data) if kind.says_year else ""
    years = {int(text) for text in _A_YEAR.findall(cell) or _A_YEAR.findall(name)}
    known = years & set(supported_years(Stage.DRAFT))
    return known.pop() if len(years) == 1 and known else None


def difference(kind: Kind, new: pl.DataFrame, old: pl.DataFrame) -> Difference:
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
    return Difference(
        **{change: lines.height for change, lines in differing.items()},
        examples={
            change: lines.select(name.alias("name"))["name"].sort().head(EXAMPLES).to_list()
            for change, lines in differing.items()
            if lines.height
        },
    )
