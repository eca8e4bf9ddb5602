"""The season that tests of figures begin with."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.utils import timezone

from filing.models import Institution
from tests.filing.figures.season import Season, at, draw_loans

LEIS = [f"529900FIGURES{number:07}" for number in range(10)]
TEST_LEI = LEIS[9]
NOW = datetime(2025, 3, 20, 17, tzinfo=UTC)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> datetime:
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    return NOW


@pytest.fixture
def season(db: None, now: datetime, settings, tmp_path: Path) -> Season:
    """Ten institutions: one tries things out, one was cancelled, others correct or are late."""
    settings.FILING_TIME_ZONE = "America/New_York"
    folder = tmp_path / "parquet"
    folder.mkdir()
    season = Season(folder)
    agencies = [9, 9, 7, 3, 5, 2, 1, 9, 3, 9]

    def sign(place: int, period: str, number: int, day: str, records: int, hour: int = 12) -> None:
        seed = 100 * place + number + len(period)
        season.sign(
            LEIS[place],
            period,
            number,
            at(day, hour),
            list(draw_loans(records, seed, period)),
            agency=agencies[place],
            city=f"City {place}",
            state="CA" if place % 2 else "NY",
            cancelled=place == 8 and period == "2024",
        )

    for year in ("2022", "2023", "2024"):
        season.expect(TEST_LEI, year, is_test=True)
    for place in (0, 3, 5):
        season.expect(LEIS[place], "2024", quarterly_filer=True)
    # The last minutes of the deadline in Washington are the next day in UTC.
    sign(0, "2024", 1, "2025-01-20", 40)
    sign(0, "2024", 3, "2025-03-10", 45)
    sign(1, "2024", 1, "2025-03-04", 60, hour=4)
    sign(2, "2024", 2, "2025-03-04", 30, hour=5)
    sign(3, "2024", 1, "2025-02-11", 5)
    sign(4, "2024", 1, "2025-02-11", 12, hour=3)
    sign(5, "2024", 2, "2025-03-15", 80)
    sign(5, "2024", 4, "2025-03-16", 81)
    sign(6, "2024", 7, "2025-01-02", 1)
    sign(8, "2024", 1, "2025-02-20", 20)
    sign(9, "2024", 1, "2025-02-20", 25)
    for year, day in (("2023", "2024-02-01"), ("2022", "2023-02-01")):
        for place in (0, 1, 2, 3, 9):
            records = 150 if place == 1 else 30
            sign(place, year, 1, day, records)
    sign(4, "2023", 1, "2024-02-02", 400)
    sign(0, "2024-Q1", 1, "2024-05-20", 9)
    sign(0, "2024-Q2", 1, "2024-09-02", 9)
    sign(3, "2024-Q1", 1, "2024-06-03", 4)
    sign(3, "2024-Q1", 2, "2024-06-05", 5)
    season.expect(LEIS[7], "2024")
    assert Institution.objects.filter(is_test=True).count() == 3
    return season
