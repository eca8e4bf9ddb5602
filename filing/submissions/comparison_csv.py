"""All differences between the records of two submissions as CSV."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from filing.lar.fields import LAR_BY_NAME
from filing.lar.formulas import guarded_column
from filing.models import Submission
from filing.submissions.comparison import Comparison, changes_of, loans_of

CSV_HEADER = ("change", "uli", "lineBefore", "lineAfter", "field", "before", "after")
_LABELS = {name: field.label for name, field in LAR_BY_NAME.items()}


def lines(comparison: Comparison) -> Iterator[str]:
    """Yield all differences between the records as CSV: removed, added, then each changed field.

    Values that a spreadsheet would read as a formula begin with an apostrophe.
    """
    yield ",".join(CSV_HEADER) + "\n"
    yield from _csv_of_loans(
        comparison.before, comparison.difference.removed, "removed", "lineBefore"
    )
    yield from _csv_of_loans(comparison.after, comparison.difference.added, "added", "lineAfter")
    for frame in changes_of(comparison, comparison.difference.changed):
        yield _csv(
            frame.select(
                "uli",
                change=pl.lit("changed"),
                lineBefore=pl.col("before") + 1,
                lineAfter=pl.col("after") + 1,
                field=pl.col("field").replace_strict(_LABELS),
                before="was",
                after="now",
            )
        )


def _csv_of_loans(of: Submission, rows: pl.Series, change: str, line: str) -> Iterator[str]:
    """Yield the records that only one of the files has."""
    lines = {name: pl.lit(None, pl.UInt32) for name in ("lineBefore", "lineAfter")}
    lines[line] = pl.col("row") + 1
    for frame in loans_of(of, rows):
        blanks = dict.fromkeys(("field", "before", "after"), pl.lit(""))
        yield _csv(frame.select("uli", change=pl.lit(change), **lines, **blanks))


def _csv(frame: pl.DataFrame) -> str:
    guarded = frame.with_columns(guarded_column(name) for name in ("uli", "before", "after"))
    return guarded.select(CSV_HEADER).write_csv(include_header=False)
