"""The broker, jobs, workers and beat."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from config.doctor.parts import queue
from filing.models import Job
from tests.config.doctor.parts.looking import bad, texts


def test_a_folder_that_cannot_be_written_to_is_named(settings: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_out": str(tmp_path / "file")}
    (line,) = bad(queue.broker)
    assert line.startswith("error: The broker does not answer: Not a directory Start Redis")
    assert bad(queue.workers) == []  # one reason is enough


def test_queues_without_a_worker_are_named() -> None:
    (line,) = bad(queue.workers)
    assert line.startswith(
        "error: No worker answers for the queue small and the queue large. Start worker-small"
    )


@pytest.mark.django_db
def test_jobs_that_wait_long_fail_or_lost_their_worker_are_counted() -> None:
    assert bad(queue.jobs) == bad(queue.work) == []
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
    late, expired, failed = bad(queue.jobs)
    assert late.startswith("error: The oldest of 1 jobs in the queue small has waited for 3 hours.")
    assert expired.startswith("warning: Jobs whose worker stopped responding: 1.")
    assert failed.startswith("warning: Jobs that failed within a day: publish 1.")
    assert "Jobs that failed earlier: 1." in texts(queue.jobs)


def test_beat_leaves_a_schedule(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    assert "Beat has left no schedule" in "".join(bad(queue.beat))
    schedule = tmp_path / "beat-schedule.dat"
    schedule.touch()
    assert bad(queue.beat) == []
    os.utime(schedule, (time.time() - 7200,) * 2)
    assert "Beat last wrote its schedule 2 hours ago." in "".join(bad(queue.beat))
