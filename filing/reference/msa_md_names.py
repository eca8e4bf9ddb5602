"""The names of MSA/MDs of a year, from a list of them or from the census file.

Source: OMB, delineations of metropolitan statistical areas and metropolitan divisions, one list a
year; column 15 of the census file.
"""

from __future__ import annotations

import polars as pl

from filing.reference.census import NO_MSA_MD
from filing.reference.listing import Column, read

OUTSIDE = str(NO_MSA_MD)
OUTSIDE_NAME = "Outside of any MSA/MD"

COLUMNS = (
    Column("msa_md", "MSA/MD", r"[0-9]{5}", "five digits, such as 31080"),
    Column("msa_md_name", "name", ".+", "a name"),
)


def read_rows(data: bytes) -> pl.DataFrame:
    """Return the lines of a list of names, with | or with a comma after the code.

    Shape:  msa_md has five digits, msa_md_name is never blank.
    Raises: BadLines; also for an MSA/MD that is listed twice.
    """
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    if b"|" not in lines[0]:
        data = b"\n".join(map(_with_pipe, lines))
    return read(data, COLUMNS, unique=("msa_md",), between="| or a comma")


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


def counts(rows: pl.DataFrame) -> dict[str, int]:
    """Return the counts of a list of names, for reports."""
    return {"MSA/MDs": rows.height}


def by_code(rows: pl.DataFrame) -> dict[str, str]:
    """Return the names by their five digits: those of a list, or of the lines of a census.

    The code for outside of any MSA/MD has no name there.
    """
    code, name = pl.col("msa_md").cast(pl.String).str.zfill(5), pl.col("msa_md_name")
    named = rows.select(code, name).filter(name != "", ~code.is_in([OUTSIDE, "00000"]))
    return dict(named.unique("msa_md", keep="last").iter_rows())
