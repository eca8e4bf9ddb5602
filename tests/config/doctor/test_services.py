"""The database, its migrations and its clock; the broker, jobs, workers and beat."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.core.checks import DEBUG, ERROR, WARNING
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from config.doctor import services
from config.health.dependencies import check_broker
from filing.models import Job
from tests.config.doctor.messages import problems, texts


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_a_database_as_it_should_be() -> None:
    assert problems(services.check_database) == []
    assert problems(services.check_migrations) == []
    assert problems(services.check_database_clock) == []


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_migrations_that_are_missing_and_those_of_a_newer_release_are_named() -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("graphs", "0001_initial")
    recorder.record_applied("filing", "9999_from_the_future")
    recorder.record_applied("not_ours", "0001_initial")
    try:
        ids, text = problems(services.check_migrations), texts(services.check_migrations)
    finally:
        recorder.record_applied("graphs", "0001_initial")
        recorder.record_unapplied("filing", "9999_from_the_future")
        recorder.record_unapplied("not_ours", "0001_initial")
    assert ids == ["error migrations.missing", "warning migrations.newer"]
    assert "graphs.0001_initial. The" in text
    assert text.endswith(": filing.9999_from_the_future.")


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_a_database_of_before_the_first_release_is_said_to_be_one() -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_applied("filing", "0002_people_and_trail")
    try:
        assert problems(services.check_migrations) == ["error migrations.too_old"]
    finally:
        recorder.record_unapplied("filing", "0002_people_and_trail")


@pytest.mark.parametrize(
    ("seconds", "level", "words"),
    [
        (0.4, DEBUG, "0.4 seconds ahead"),
        (-4, DEBUG, "4.0 seconds behind"),
        (90, ERROR, "90.0 seconds ahead"),
        (-90, ERROR, "90.0 seconds behind"),
    ],
)
def test_clocks_may_differ_by_seconds(seconds: float, level: int, words: str) -> None:
    message = services.compare_clocks(seconds, "the database server")
    assert message.level == level
    assert words in message.msg


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_connections_must_suffice_for_all_processes(settings: Any) -> None:
    if site_settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        cases = [services.count_connections(most, in_use=10) for most in (97, 50, 70)]
        assert [each.level for each in cases] == [DEBUG, ERROR, WARNING]
        assert "needs up to 60" in cases[1].msg
    else:
        assert "connections are allowed" in texts(services.check_database)
        settings.WEB_THREADS = 1_000
        assert problems(services.check_database) == ["error database.connections"]


def test_a_folder_that_cannot_be_written_to_is_named(settings: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_out": str(tmp_path / "file")}
    assert problems(check_broker) == ["error broker.away"]
    assert texts(check_broker).endswith(": Not a directory")
    assert problems(services.check_workers) == []  # one reason is enough


@pytest.mark.servers
def test_queues_without_a_worker_are_named() -> None:
    assert problems(services.check_workers) == ["error workers.away"]
    assert "for the queue small" in texts(services.check_workers)


@pytest.mark.django_db
def test_jobs_that_wait_long_fail_or_lost_their_worker_are_counted() -> None:
    assert problems(services.check_jobs) == problems(services.check_work) == []
    now = timezone.now()
    Job.objects.create(stage="mail", not_before=now - timedelta(hours=3))
    Job.objects.create(stage="mail", not_before=now + timedelta(hours=3))
    Job.objects.create(stage="publish", state=Job.State.FAILED, finished_at=now)
    Job.objects.create(
        stage="mail",
        state=Job.State.FAILED,
        finished_at=now - timedelta(days=9),
    )
    Job.objects.create(
        stage="publish",
        state=Job.State.RUNNING,
        owner="a worker that was killed",
        lease_until=now - timedelta(minutes=1),
    )
    assert problems(services.check_jobs) == [
        "error jobs.late",
        "warning jobs.abandoned",
        "warning jobs.failed",
    ]
    text = texts(services.check_jobs)
    assert "1 jobs in the queue messages has waited for 3 hours." in text
    assert "stopped responding: 1. " in text
    assert "publish 1. Jobs that failed earlier: 1. " in text


def test_beat_leaves_a_schedule(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    assert problems(services.check_beat) == ["warning beat.never"]
    schedule = tmp_path / "beat-schedule.dat"
    schedule.touch()
    assert problems(services.check_beat) == []
    os.utime(schedule, (time.time() - 7200,) * 2)
    assert problems(services.check_beat) == ["error beat.late"]
    assert "2 hours ago" in texts(services.check_beat)
