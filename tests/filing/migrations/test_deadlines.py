"""An upgrade moves the deadlines that were never changed, and tells the log of each."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests.filing.migrations.migrating import migrated

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
BEFORE, AFTER = ("filing", "0008_publication_trail"), ("filing", "0009_filing_deadlines")
# Year, quarter, first day, deadline before, last day, and the deadline after.
UNTOUCHED = [
    (2025, "", "2026-01-01", "2026-03-01", "2028-12-31", "2026-03-02"),
    (2024, "", "2025-01-01", "2025-03-01", "2027-12-31", "2025-03-03"),
    (2024, "Q1", "2024-04-01", "2024-06-30", "2024-06-30", "2024-05-30"),
    (2024, "Q2", "2024-07-01", "2024-09-30", "2024-12-31", "2024-08-29"),
    (2025, "Q3", "2025-10-01", "2025-12-31", "2025-12-31", "2025-12-01"),
]
STAYING = [
    # The day is the same by the old rule and by the new one.
    (2022, "", "2023-01-01", "2023-03-01", "2025-12-31"),
    # Staff set another day.
    (2023, "", "2024-01-01", "2024-03-31", "2026-12-31"),
    (2023, "Q1", "2023-04-01", "2023-06-29", "2023-06-30"),
    (2023, "Q2", "2023-07-01", "2023-08-29", "2023-09-30"),
    # Staff moved the first or last day, so that the computed deadline lies outside.
    (2019, "", "2020-01-01", "2020-03-01", "2020-03-01"),
    (2023, "Q3", "2023-12-01", "2023-12-31", "2023-12-31"),
]
DAYS = ("opens", "timely_until", "closes")


@pytest.fixture
def before() -> Iterator[Any]:
    """The apps before the migration; all migrations are there again afterwards."""
    yield migrated(BEFORE)
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def add(apps: Any, year: int, quarter: str, *days: str) -> None:
    period = apps.get_model("filing", "FilingPeriod")
    period.objects.create(year=year, quarter=quarter, **dict(zip(DAYS, days, strict=True)))


def days_of(apps: Any) -> dict[tuple[int, str], tuple[date, ...]]:
    period = apps.get_model("filing", "FilingPeriod")
    rows = period.objects.values_list("year", "quarter", *DAYS)
    return {(year, quarter): tuple(days) for year, quarter, *days in rows}


def test_old_default_deadlines_move_and_changed_ones_stay(before: Any) -> None:
    expected = {}
    for year, quarter, *days, moved in UNTOUCHED:
        add(before, year, quarter, *days)
        expected[year, quarter] = (days[0], moved, days[2])
    for year, quarter, *days in STAYING:
        add(before, year, quarter, *days)
        expected[year, quarter] = tuple(days)
    after = migrated(AFTER)
    assert days_of(after) == {
        key: tuple(map(date.fromisoformat, days)) for key, days in expected.items()
    }
    entries = after.get_model("filing", "TrailEntry").objects.order_by("about")
    assert set(entries.values_list("happening", "actor_id")) == {("filing window changed", "")}
    assert [entry.about for entry in entries] == [
        "2024", "2024-Q1", "2024-Q2", "2025", "2025-Q3"
    ]  # fmt: skip
    assert entries.get(about="2025").reason == (
        "Upgrade: the filing deadline is computed by 12 CFR 1003.5(a)(1)(i) to (iii).\n"
        "from open January 1, 2026 to December 31, 2028, filing deadline March 1, 2026 "
        "to open January 1, 2026 to December 31, 2028, filing deadline March 2, 2026"
    )


def test_back_and_forth_again_nothing_more_is_moved_or_told(before: Any) -> None:
    for year, quarter, *days, _ in UNTOUCHED:
        add(before, year, quarter, *days)
    moved = days_of(migrated(AFTER))
    assert days_of(migrated(BEFORE)) == moved
    after = migrated(AFTER)
    assert days_of(after) == moved
    assert after.get_model("filing", "TrailEntry").objects.count() == len(UNTOUCHED)


def test_a_database_without_periods_is_left_as_it_is(before: Any) -> None:
    after = migrated(AFTER)
    assert days_of(after) == {}
    assert not after.get_model("filing", "TrailEntry").objects.exists()
