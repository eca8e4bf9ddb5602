"""Loads made-up facts and computes their graphs, so that a new site has some to look at."""

from __future__ import annotations

from filing import storage
from filing.demo import panel
from graphs import computing, importing
from graphs.demo import facts

ROWS_A_YEAR = 50_000
YEARS_BEFORE = 2


def load(newest: int, *, by: str) -> None:
    """Make facts up of a year, its first three quarters, and of those before it; compute graphs."""
    leis = {
        flag: [each["lei"] for each in panel.institutions() if each["quarterly_filer"] == flag]
        for flag in (True, False)
    }
    with storage.workshop() as made:
        for year in range(newest - YEARS_BEFORE, newest + 1):
            is_newest = year == newest
            path = made / f"made-up-{year}.parquet"
            facts.frame(
                ROWS_A_YEAR * 3 // 4 if is_newest else ROWS_A_YEAR,
                year,
                filers=leis[True],
                others=leis[False],
                quarters=(1, 2, 3) if is_newest else (1, 2, 3, 4),
            ).write_parquet(path)
            importing.load(path, by=by, annual=not is_newest, is_demo=True)
    computing.compute_now(reason="Made-up facts, to look at.")
