"""A database that takes no writes for a while: the work waits for it, and no job is forgotten."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import OperationalError, connection, transaction

from filing import registries
from filing.jobs import loop, queue
from filing.jobs.leases import retry_write
from filing.models import Job
from filing.registries import JobKind, Lease

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.servers]
HELD_SECONDS = 1.5


@pytest.fixture(autouse=True)
def impatient(db: None) -> Iterator[None]:
    """This connection waits for no lock."""
    is_sqlite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 50" if is_sqlite else "SET lock_timeout = '50ms'")
    yield
    connection.close()


class Lock:
    """Of another connection on the job table, for a while."""

    def __init__(self) -> None:
        self._held, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._hold)

    def begin(self) -> None:
        self._thread.start()
        assert self._held.wait(60)

    def end(self) -> None:
        self._over.set()
        self._thread.join()

    def _hold(self) -> None:
        with transaction.atomic(), connection.cursor() as cursor:  # SQLite: locked by that alone
            if connection.vendor != "sqlite":
                cursor.execute("LOCK TABLE filing_job IN EXCLUSIVE MODE")
            self._held.set()
            self._over.wait(HELD_SECONDS)
        connection.close()


@contextmanager
def locked() -> Iterator[Lock]:
    lock = Lock()
    lock.begin()
    yield lock
    lock.end()


@pytest.fixture
def job() -> Job:
    return queue.add_job("season")


def test_a_ring_is_not_lost_while_the_job_cannot_be_claimed(job, monkeypatch):
    done = []
    monkeypatch.setitem(
        registries.JOB_KINDS, "season", JobKind("season", lambda lease: done.append(lease.attempt))
    )
    with locked():
        loop.run_job(job.pk)
    assert done == [1]


def test_a_job_that_failed_waits_for_its_next_attempt_and_not_for_the_end_of_its_lease(
    job, monkeypatch
):
    lock = Lock()

    def trouble(lease: Lease) -> None:
        lock.begin()
        raise OSError("disk full")

    monkeypatch.setitem(registries.JOB_KINDS, "season", JobKind("season", trouble))
    loop.run_job(job.pk)
    lock.end()
    job.refresh_from_db()
    assert (job.state, job.last_error) == ("queued", "OSError: disk full")
    assert job.owner == ""


def test_what_is_never_written_is_an_error_when_the_time_of_a_lease_is_over(settings):
    settings.JOB_LEASE_SECONDS = 0

    def write() -> None:
        raise OperationalError("database or disk is full")

    with pytest.raises(OperationalError, match="full"):
        retry_write(write)
