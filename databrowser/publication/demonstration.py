"""Publishes made-up rows as real ones are: a file is imported, and its years are built."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from databrowser.models import Version
from databrowser.publication import build, imports, synthetic
from databrowser.publication.synthetic import World
from filing import storage
from filing.access import Caller

NAME = "made-up-demo-rows.csv"
REASON = "Made-up rows, to try the service with."


def write(file: Path, *, rows: int, years: Sequence[int], seed: int = 0) -> World:
    """Write made-up rows as a published file has them, the same number in each year.

    rows: in all. Returns what they were drawn from.
    """
    a_year = max(1, rows // len(years))
    made_up = synthetic.world(a_year, seed=seed)
    with file.open("wb") as opened:
        is_first = True
        for year in years:
            for piece in synthetic.pieces(made_up, year=year, rows=a_year):
                piece.write_csv(opened, include_header=is_first, quote_style="never")
                is_first = False
    return made_up


def publish(*, rows: int, years: Sequence[int], by: Caller, seed: int = 0) -> list[Version]:
    """Import made-up rows, and build each year; they are public then. Returns the versions.

    Raises: NotReady when they are public already.
    """
    with storage.workshop() as made:
        panel = made / "made-up-demo-institutions.csv"
        made_up = write(made / NAME, rows=rows, years=years, seed=seed)
        made_up.institutions.frame.write_csv(panel)
        imports.load(made / NAME, by=by, panel=panel, is_demo=True, reason=REASON)
    return [build.build(year, by=by, reason=REASON) for year in years]
