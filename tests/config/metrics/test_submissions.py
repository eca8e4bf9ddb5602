"""Submissions by status, what happened to them today, and what is published."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from config.metrics import submissions
from databrowser.models import LiveVersion, Version, VersionState
from filing.models import Filing, Job, StatusChange, Submission
from filing.models.append_only import removable
from filing.statuses import Event, Status

pytestmark = pytest.mark.django_db


def values(name: str) -> dict[tuple[str, ...], float]:
    """Return the values of a metric that are not zero."""
    families = submissions.families(since=timezone.now() - timedelta(hours=23))
    samples = (sample for family in families for sample in family.samples)
    return {
        tuple(sample.labels.values()): sample.value
        for sample in samples
        if sample.name == name and sample.value
    }


def test_submissions_are_counted_by_the_code_of_their_status(filing: Filing) -> None:
    statuses = (Status.SIGNED, Status.SIGNED, Status.FAILED, Status.PARSING)
    for number, status in enumerate(statuses, start=1):
        Submission.objects.create(filing=filing, sequence_number=number, status=status)
    assert values("hmda_submissions") == {("15",): 2, ("-1",): 1, ("4",): 1}


def test_events_of_the_day_are_counted_by_name(submission: Submission) -> None:
    with removable(StatusChange):
        StatusChange.objects.all().delete()
    for event in (Event.SIGNED, Event.FAILED, Event.FAILED):
        StatusChange.objects.create(submission=submission, after=15, event=event.name)
    StatusChange.objects.create(
        submission=submission, after=15, event="SIGNED", at=timezone.now() - timedelta(days=1)
    )
    StatusChange.objects.create(submission=submission, after=15, event="OF_AN_OLD_RELEASE")
    assert values("hmda_submission_events_total") == {("signed",): 1, ("failed",): 2}


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
    assert values("hmda_published_timestamp_seconds") == {("2024",): live.since.timestamp()}
