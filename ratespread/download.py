"""A table as CSV: what counts now, newest week last, with the load that each week came from."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from filing.lar.formulas import guarded
from ratespread.models import TERMS, AporWeek, Kind

_WEEKS = 500  # written at a time


def lines(kind: Kind) -> Iterator[str]:
    """Yield the table in pieces: week, the rate of each term, and where the week came from."""
    yield _written([["week", *range(1, TERMS + 1), "load", "source", "demo"]])
    rows = AporWeek.objects.filter(kind=kind, replaced_by=None).select_related("load")
    weeks = rows.order_by("week").iterator(chunk_size=_WEEKS)
    piece: list[list[Any]] = []
    for row in weeks:
        load = row.load
        is_demo = "true" if load.is_demo else "false"
        piece.append([row.week, *row.rates, load.pk, guarded(load.source), is_demo])
        if len(piece) == _WEEKS:
            yield _written(piece)
            piece = []
    yield _written(piece)


def _written(rows: list[list[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
