"""Loads the made-up census the way a real one is loaded."""

from __future__ import annotations

from filing.demo import census
from filing.reference.kinds import CENSUS
from filing.reference_data import registry
from filing.reference_data.registry import LoadReport


def load_census(year: int, *, by: str) -> LoadReport:
    """Load the made-up census for a year."""
    return registry.load(CENSUS, year, census.text(year).encode(), source=census.SOURCE, by=by)
