"""Attempts of the day, as the job table has them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from config.metrics import attempts
from filing.models import Attempt, Job, Submission
from filing.models.jobs import JobState
from tests.config.metrics.families import read_values

pytestmark = pytest.mark.django_db

MIDNIGHT = datetime(2027, 3, 1, tzinfo=UTC)
NOW = MIDNIGHT + timedelta(hours=12)
Outcome = Attempt.Outcome


@pytest.fixture
def job(submission: Submission) -> Job:
    return Job.objects.create(stage="edits", submission=submission, state=JobState.DONE)


def attempt(job: Job, outcome: str, *, seconds: float = 1, ago: float = 60, **values: Any) -> None:
    ended_at = NOW - timedelta(seconds=ago)
    started_at = ended_at - timedelta(seconds=seconds)
    Attempt.objects.create(
        job=job, number=1, outcome=outcome, started_at=started_at, ended_at=ended_at, **values
    )


def values(name: str, **labels: str) -> dict[tuple[str, ...], float]:
    return read_values(attempts.attempt_metrics(since=MIDNIGHT), name, **labels)


@pytest.mark.servers
def test_attempts_count_by_outcome_from_midnight_on(job: Job) -> None:
    for outcome in (Outcome.DONE, Outcome.DONE, Outcome.RELEASED, Outcome.LOST, Outcome.FAILED):
        attempt(job, outcome)
    attempt(job, Outcome.DONE, ago=13 * 3600)
    assert values("hmda_attempts_total", stage="edits") == {
        ("done",): 2,
        ("released",): 1,
        ("lost",): 1,
        ("failed",): 1,
    }


def test_the_seconds_of_a_stage_are_those_of_attempts_that_succeeded(job: Job) -> None:
    for seconds in (0.4, 3, 3, 45):
        attempt(job, Outcome.DONE, seconds=seconds)
    attempt(job, Outcome.FAILED, seconds=500)
    buckets = values("hmda_stage_seconds_bucket", stage="edits")
    assert [(end, buckets[(end,)]) for end in ("0.5", "2", "5", "30", "60", "+Inf")] == [
        ("0.5", 1),
        ("2", 1),
        ("5", 3),
        ("30", 3),
        ("60", 4),
        ("+Inf", 4),
    ]
    assert values("hmda_stage_seconds_sum") == {("edits",): pytest.approx(51.4)}
