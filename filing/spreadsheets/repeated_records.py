"""What the message on a finding adds about other records: which are the same, or share a ULI."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from filing.edits import catalogue
from filing.edits.edit import Repeats
from filing.lar.fields import WHOLE_ROW
from filing.spreadsheets.findings import Findings
from uliapi import checkdigit

LISTED = 20  # places of one group that a message names
# The edits about records that are in the file more than once.
REPEATS = frozenset(
    edit.code
    for edit in catalogue.EDITS
    if any(isinstance(figure, Repeats) for figure in edit.figures.values())
)
_CHECK_DIGITS_EDIT = "V609"
_WITHOUT_DIGITS = pl.col("uli").str.head(-2).str.to_uppercase()

Rows = Callable[[pl.Series], pl.Series]


def with_check_digits(frame: pl.DataFrame, loans: pl.DataFrame, rows: Rows) -> pl.DataFrame:
    """Return findings whose messages on a wrong ULI tell with which check digits it is right.

    If other records have the same identifier, the message names their rows instead: with these
    check digits the records would have one ULI.

    rows: the row in the file that a person sees, for each line.
    """
    is_wrong = pl.col("code") == _CHECK_DIGITS_EDIT
    if not frame.select(is_wrong.any()).item():
        return frame
    named = frame.join(
        _groups(loans, _WITHOUT_DIGITS, rows), on="line", how="left", maintain_order="left"
    ).with_columns(digits=checkdigit.generate(frame["value"].str.head(-2)))
    digits = pl.format(" With the check digits {} it would be right.", "digits")
    share = pl.format(" Rows {} share this identifier; enter the ULI of each record.", "rows")
    advice = pl.coalesce(share, digits, pl.lit(""))
    return named.with_columns(
        message=pl.when(is_wrong).then(pl.concat_str("message", advice)).otherwise("message")
    ).drop("rows", "digits")


def with_groups(
    frame: pl.DataFrame, findings: Findings, loans: pl.DataFrame, rows: Rows
) -> pl.DataFrame:
    """Return findings whose messages on a repeated record name the rows of all its group."""
    for at, source in enumerate(findings.sources):
        is_meant = pl.col("source") == at
        if source.code not in REPEATS or not frame.select(is_meant.any()).item():
            continue
        lines = findings.frame.filter(is_meant)["line"].unique()
        repeated = loans.filter((pl.col("row") + 1).is_in(lines.implode()))
        same = pl.concat_str(pl.exclude("row"), separator="|")
        key = same if source.field == WHOLE_ROW else pl.col(source.field).str.to_uppercase()
        named = frame.join(
            _groups(repeated, key, rows), on="line", how="left", maintain_order="left"
        )
        group = pl.concat_str(
            "message", pl.format(" Rows {} are repeated.", "rows").fill_null(pl.lit(""))
        )
        frame = named.with_columns(message=pl.when(is_meant).then(group).otherwise("message")).drop(
            "rows"
        )
    return frame


def _groups(loans: pl.DataFrame, key: pl.Expr, rows: Rows) -> pl.DataFrame:
    """Return `line` of the loans that share a key, and in `rows` the first rows that share it."""
    lines = loans.select(line=(pl.col("row") + 1).cast(pl.UInt32), key=key)
    same = lines.filter((pl.col("key") != "") & pl.col("key").is_duplicated())
    same = same.with_columns(place=rows(same["line"]))
    groups = same.group_by("key").agg(
        first=pl.col("place").sort().head(LISTED).cast(pl.String).str.join(", "), size=pl.len()
    )
    more = pl.format("{} and {} more", "first", pl.col("size").cast(pl.Int64) - LISTED)
    several = pl.when(pl.col("size") > LISTED).then(more).otherwise("first")
    return same.join(groups.select("key", rows=several), on="key").select("line", "rows")
