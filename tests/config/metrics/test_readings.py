"""Jobs and emails as they are now."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from config.metrics import readings
from databrowser.models import LiveVersion, Version, VersionState
from filing.models import Job, Mail
from filing.models.jobs import JobState
from tests.config.metrics.families import read_values

pytestmark = pytest.mark.django_db


def job(stage: str, state: str, *, ago: float = 0, starts_in: float = 0, **values: Any) -> Job:
    """Return a new job. ago: since when it is in the queue. starts_in: its pause, after that."""
    queued_at = timezone.now() - timedelta(seconds=ago)
    not_before = queued_at + timedelta(seconds=starts_in)
    return Job.objects.create(
        stage=stage, state=state, queued_at=queued_at, not_before=not_before, **values
    )


def running(stage: str, *, lease: float) -> Job:
    until = timezone.now() + timedelta(seconds=lease)
    return job(stage, JobState.RUNNING, owner="host:1:mark", lease_until=until)


def email(job: Job, **values: Any) -> None:
    Mail.objects.create(
        kind="receipt", key=str(job.pk), to="a@b.example", subject="s", text="t", job=job, **values
    )


def job_values(name: str) -> dict[tuple[str, ...], float]:
    return read_values(readings.job_metrics(timezone.now()), name)


@pytest.mark.servers
def test_jobs_are_counted_by_queue_stage_and_state() -> None:
    job("graphs", JobState.QUEUED)
    job("mail", JobState.QUEUED)
    job("graphs", JobState.QUEUED, starts_in=600)
    job("season", JobState.FAILED)
    job("season", JobState.DONE)
    running("publish", lease=30)
    running("publish", lease=-1)
    assert job_values("hmda_jobs") == {
        ("other", "graphs", "due"): 1,
        ("messages", "mail", "due"): 1,
        ("other", "graphs", "later"): 1,
        ("other", "season", "failed"): 1,
        ("other", "publish", "running"): 1,
        ("other", "publish", "abandoned"): 1,
    }


@pytest.mark.servers
def test_the_age_of_a_queue_is_that_of_its_oldest_job_that_could_run() -> None:
    job("graphs", JobState.QUEUED, ago=100)
    job("graphs", JobState.QUEUED, ago=300)
    job("graphs", JobState.QUEUED, ago=900, starts_in=890)  # retried ten seconds ago
    job("graphs", JobState.QUEUED, ago=9000, starts_in=9600)
    job("graphs", JobState.DONE, ago=9000)
    ages = job_values("hmda_queue_oldest_seconds")
    assert ages == {("other",): pytest.approx(300, abs=5)}


def test_emails_are_counted_by_what_became_of_them() -> None:
    email(job("mail", JobState.QUEUED, ago=700, starts_in=900))
    email(job("mail", JobState.QUEUED, ago=60))
    email(job("mail", JobState.DONE, ago=7000), sent_at=timezone.now())
    email(job("mail", JobState.FAILED, ago=7000))
    assert job_values("hmda_emails") == {("waiting",): 2, ("failed",): 1}
    assert job_values("hmda_emails_oldest_seconds") == {(): pytest.approx(700, abs=5)}


def submission_values(name: str) -> dict[tuple[str, ...], float]:
    since = timezone.now() - timedelta(hours=23)
    return read_values(readings.submission_metrics(since=since), name)


def test_the_time_of_the_published_version_of_each_year_is_known() -> None:
    job = Job.objects.create(stage="publish", state="done")
    version = Version.objects.create(
        year=2024,
        number=1,
        job=job,
        state=VersionState.BUILT,
        folder="f",
        sha256="0",
        made_at=timezone.now(),
    )
    live = LiveVersion.objects.create(year=2024, version=version)
    assert submission_values("hmda_published_timestamp_seconds") == {
        ("2024",): live.since.timestamp()
    }
