"""Loads made-up facts and computes their graphs for a new site."""

from __future__ import annotations

from django.db import transaction

from filing import storage
from filing.demo import panel
from graphs import computing, importing
from graphs.demo import facts
from graphs.models import FactsImport

ROWS_A_YEAR = 50_000
YEARS_BEFORE = 2


def load_demo_graphs(newest: int, *, by: str) -> None:
    """Make up facts of a year, for three quarters, and of years before it; compute the graphs.

    Where facts were loaded before, only compute.
    """
    if not FactsImport.objects.exists():
        _import_facts(newest, by=by)
    computing.compute_graphs_now(reason="Made-up facts, for a demo.")


@transaction.atomic  # all years or none, so that a start that was cut off is completed later
def _import_facts(newest: int, *, by: str) -> None:
    leis = {
        flag: [
            institution["lei"]
            for institution in panel.make_institutions()
            if institution["quarterly_filer"] == flag
        ]
        for flag in (True, False)
    }
    with storage.make_work_folder() as folder:
        for year in range(newest - YEARS_BEFORE, newest + 1):
            is_newest = year == newest
            path = folder / f"made-up-{year}.parquet"
            facts.make_facts(
                ROWS_A_YEAR * 3 // 4 if is_newest else ROWS_A_YEAR,
                year,
                filers=leis[True],
                others=leis[False],
                quarters=(1, 2, 3) if is_newest else (1, 2, 3, 4),
            ).write_parquet(path)
            importing.import_facts(path, by=by, annual=not is_newest, is_demo=True)
