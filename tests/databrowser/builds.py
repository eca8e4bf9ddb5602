"""Builds of data sets as tests make them, and what is live after them."""

from __future__ import annotations

from typing import Any

import polars as pl

from databrowser.models import Version
from databrowser.publication import serving
from databrowser.publication.builds import builder
from filing.access import Caller

OLGA = Caller(id="1", username="olga", email="olga@agency.example")
WHY = "The year is complete."


def built(year: int = 2023, **how: Any) -> Version:
    return builder.build_year(year, by=OLGA, reason=WHY, **how)


def live(year: int = 2023) -> serving.LiveYear:
    (found,) = (each for each in serving.live_data_sets() if each.year == year)
    return found


def rows(of: serving.LiveYear, *columns: str) -> list[tuple[Any, ...]]:
    return pl.read_parquet(of.parquet).select(columns).rows()
