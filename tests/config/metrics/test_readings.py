"""Readings: one at a time, and none is waited for longer than the caller has time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import datetime

import pytest
from django.db import OperationalError
from prometheus_client.metrics_core import Metric

from config.metrics.readings import Facts, Readings


class SlowDatabase(Facts):
    """Facts of a database that answers when it is told to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.answers, self.calls, self.error = threading.Event(), 0, error

    def read(self, now: datetime) -> list[Metric]:
        self.calls += 1
        self.answers.wait(30)
        if self.error:
            raise self.error
        return []


@pytest.fixture
def database() -> Iterator[SlowDatabase]:
    database = SlowDatabase()
    yield database
    database.answers.set()


def test_a_database_that_hangs_is_not_waited_for_and_not_asked_again(
    database: SlowDatabase,
) -> None:
    readings = Readings(database)
    for _ in range(3):
        assert readings.current().result(until=time.monotonic() + 0.05, late=None) is None
    assert database.calls == 1
    database.answers.set()
    assert readings.current().result(until=time.monotonic() + 10, late=None) == []
    assert database.calls == 1


def test_an_error_of_the_database_is_no_reading() -> None:
    database = SlowDatabase(OperationalError("gone"))
    database.answers.set()
    assert Readings(database).current().result(until=time.monotonic() + 10, late=None) is None
