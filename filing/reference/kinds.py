"""The kinds of yearly files of public facts: what each is called, how it is read, what it is for.

A kind is an entry of `KINDS`; commands, pages and the registry go by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from filing.lar.period import FIRST_YEAR, LAST_YEAR
from filing.reference import census, limits, listing, msa_md_names
from filing.reference.listing import Column

CENSUS = "census"
COUNTY_LIMITS = "county-limits"
MSA_MD_NAMES = "msa-md-names"
EXAMPLES = 20  # of each sort of difference

_A_YEAR = re.compile(r"(?<![0-9])20[0-9]{2}(?![0-9])")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file. key: the columns by which a line is known in two files.

    read: the lines as they are stored. counts: of these lines. columns: those of a file of a year.
    resolved: the rows that lines stand for, which are handed out. missing: what goes without it in
    a year for which there is none. in_edits: whether edits look it up, so that another file may
    change what they say. is_optional: whether a year may well go without it. says_year: whether
    the first cell of each line is the year.
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
    """How the lines of a file differ from those of another one. Examples are keys of lines."""

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
            layout="a header line, then 15 columns with | between, one line for each tract",
            missing="Edits that look up tracts and counties are not run, and say so.",
            in_edits=True,
        ),
        Kind(
            name=COUNTY_LIMITS,
            label="county loan limits",
            read=lambda data, year: limits.read_rows(data),
            counts=limits.counts,
            key=("county",),
            columns=lambda year: limits.COLUMNS,
            layout="a header line, then 9 columns with | between, one line for each county",
            missing="No edit needs it; loans cannot be held against the conforming loan limits.",
        ),
        Kind(
            name=MSA_MD_NAMES,
            label="MSA/MD names",
            read=lambda data, year: msa_md_names.read_rows(data),
            counts=msa_md_names.counts,
            key=("msa_md",),
            columns=lambda year: msa_md_names.COLUMNS,
            layout="a header line, then the code and the name with | or a comma between, one line "
            "for each MSA/MD",
            missing="MSA/MDs have the names in the census, or those of the newest year with names.",
            is_optional=True,
        ),
    )
}


def year_of(kind: Kind, data: bytes, *, name: str) -> int | None:
    """Return the data year of a file, by its lines, else by its name; none if neither has it."""
    said = listing.first_cell(data) if kind.says_year else ""
    years = {int(text) for text in _A_YEAR.findall(said) or _A_YEAR.findall(name)}
    known = years & set(range(FIRST_YEAR, LAST_YEAR + 1))
    return known.pop() if len(years) == 1 and known else None


def difference(kind: Kind, new: pl.DataFrame, old: pl.DataFrame) -> Difference:
    """Return how the new lines differ from the old ones; where lines are moved is no difference."""
    name = pl.concat_str(kind.key, separator=" ")
    columns = new.columns
    fresh = new.join(old, on=columns, how="anti", nulls_equal=True)
    keys = list(kind.key)
    found = {
        "added": fresh.join(old, on=keys, how="anti"),
        "removed": old.join(new, on=keys, how="anti"),
        "changed": fresh.join(old, on=keys, how="semi"),
    }
    return Difference(
        **{sort: lines.height for sort, lines in found.items()},
        examples={
            sort: lines.select(name.alias("name"))["name"].sort().head(EXAMPLES).to_list()
            for sort, lines in found.items()
            if lines.height
        },
    )
