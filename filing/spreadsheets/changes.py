"""Every change of a conversion as one frame, in the order of the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from filing.spreadsheets.names import SHEET_PREFIX
from filing.spreadsheets.places import Places, number
from filing.spreadsheets.rules.steps import Change

SHAPE = {
    "line": pl.UInt32,
    "position": pl.UInt16,
    "number": pl.UInt16,
    "source": pl.UInt16,
    "before": pl.String,
    "after": pl.String,
}
_SHEET_LINE = 1


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes. frame: see `SHAPE`; `source` is the position in `sources`: field and rule."""

    sources: Sequence[tuple[str, str]]
    frame: pl.DataFrame

    def counts(self) -> dict[str, int]:
        """Return the number of changes of each rule, in the order of the alphabet."""
        by_source = dict(self.frame.group_by("source").len().iter_rows())
        counts: dict[str, int] = {}
        for at, total in by_source.items():
            rule = self.sources[at][1]
            counts[rule] = counts.get(rule, 0) + total
        return dict(sorted(counts.items()))


def collect(changes: Sequence[Change], places: Places) -> Changes:
    """Return all changes by line and column; those of one cell in the order in which they were."""
    frames = [pl.DataFrame(schema=SHAPE)]
    sources = []
    for at, change in enumerate(changes):
        sources.append((change.field, change.rule))
        is_sheet = change.field.startswith(SHEET_PREFIX)
        line = pl.lit(_SHEET_LINE) if is_sheet else pl.col("row") + 2
        frames.append(
            change.rows.select(
                line=line.cast(pl.UInt32),
                position=pl.lit(places.position(change.field), pl.UInt16),
                number=pl.lit(number(change.field), pl.UInt16),
                source=pl.lit(at, pl.UInt16),
                before="before",
                after="after",
            )
        )
    frame = pl.concat(frames).sort("line", "position", "number", "source", maintain_order=True)
    return Changes(sources, frame)
