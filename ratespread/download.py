"""An APOR table as CSV: the rates in use, newest week last, with the load of each week."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from filing.files import attachments
from filing.lar.formulas import guarded
from ratespread.models import TERMS, AporWeek, Kind

_WEEKS = 500  # written at a time


def lines(kind: Kind) -> Iterator[str]:
    """Yield the table in pieces: week, the rate of each term, and the source of the week."""
    header = ["week", *range(1, TERMS + 1), "load", "source", "demo"]
    rows = chain([header], map(_row, _weeks(kind)))
    return attachments.csv_pieces(rows, size=_WEEKS, lineterminator="\n")


def _weeks(kind: Kind) -> Iterator[AporWeek]:
    rows = AporWeek.objects.filter(kind=kind, replaced_by=None).select_related("load")
    return rows.order_by("week").iterator(chunk_size=_WEEKS)


def _row(week: AporWeek) -> list[Any]:
    load = week.load
    is_demo = "true" if load.is_demo else "false"
    return [week.week, *week.rates, load.pk, guarded(load.source), is_demo]
