"""Loads the made-up census the way a real one is loaded."""

from __future__ import annotations

from filing.demo import census
from filing.reference.kinds import CENSUS
from filing.reference_data import registry
from filing.reference_data.registry import LoadReport


def load_demo_census(year: int, *, by: str) -> LoadReport:
    """Load the made-up census for a year."""
    return registry.load_file(
        CENSUS, year, census.write_census(year).encode(), source=census.CENSUS_SOURCE, by=by
    )
