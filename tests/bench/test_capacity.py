"""What a season needs, computed from what one filing costs."""

from __future__ import annotations

import pytest

from bench.capacity import BUSY, Season, document, needs
from bench.filing_costs import Cost, Costs, fit_cost

COSTS = Costs(
    worker=Cost(0.25, 0.0001),
    web=Cost(0.05, 0.000002),
    kept=Cost(2_000, 350),
    public=Cost(10_000, 40),
    database=30_000,
    worker_mb=500,
    web_mb=250,
)


def test_two_files_give_what_a_file_costs_and_what_a_record_adds():
    assert fit_cost((1_000, 0.35), (101_000, 10.35)) == Cost(pytest.approx(0.25), 0.0001)
    # A small difference may lie in the clock alone: nothing costs less than nothing.
    assert fit_cost((1_000, 2.0), (2_000, 1.0)) == Cost(2.0, 0.0)
    assert fit_cost((1_000, 1.0), (2_000, 3.0)) == Cost(0.0, 0.002)


def test_a_season_needs_what_its_busiest_hour_and_all_its_uploads_need():
    season = Season("small", institutions=1_000, records=4_000_000)
    needed = needs(COSTS, season)
    assert (needed.day_files, needed.day_records) == (1_000, 4_000_000)
    assert needed.day_worker_hours == pytest.approx((1_000 * 0.25 + 4_000_000 * 0.0001) / 3600)
    assert needed.hour_worker_cores == pytest.approx(needed.day_worker_hours / 4)
    assert (needed.workers, needed.web_processes) == (2, 2)  # the least
    assert needed.connections == 2 * 24 + 2 * 2 + 8
    assert needed.memory_gb == pytest.approx(2 + (2 * 500 + 2 * 250) / 1000)
    assert needed.kept_gb == pytest.approx((2_000 * 2_000 + 8_000_000 * 350) / 1e9)
    assert needed.public_gb == pytest.approx((1_000 * 10_000 + 4_000_000 * 40) / 1e9)
    assert needed.database_gb == pytest.approx(2_000 * 30_000 / 1e9)


def test_more_workers_are_needed_before_they_are_busy_all_the_time():
    season = Season("busy", institutions=1_000, records=0, last_day=1, busiest_hour=1)
    slow = Costs(**{**{k: getattr(COSTS, k) for k in COSTS.__slots__}, "worker": Cost(9, 0)})
    needed = needs(slow, season)
    assert needed.hour_worker_cores == 5
    assert needed.workers == 9
    assert needed.workers * BUSY > needed.hour_worker_cores
    assert needed.connections == 2 * 24 + 9 * 2 + 8


def test_the_tables_say_what_bends_first():
    tables = document(COSTS)
    assert "| Records | 25,000,000 | 250,000,000 |" in tables
    assert "A record is kept in 350 bytes, and in 40 more once it is public." in tables
    (line,) = [line for line in tables.splitlines() if line.startswith("- national: ")]
    shares = [int(word.rstrip("%,")) for word in line.split() if "%" in word]
    assert shares == sorted(shares, reverse=True)
