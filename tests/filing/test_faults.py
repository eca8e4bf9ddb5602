"""Whose fault a failure is: lists, checks, figures, alerts and emails give the same answer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.doctor import services
from config.metrics import readings
from filing.emails.subscriptions import find_events
from filing.models import Job, Mail, Submission, Subscription
from filing.statuses import FAULTS, Event, Status
from filing.submissions import moves
from tests.filing.people.members import member

pytestmark = pytest.mark.django_db
ALERTS = Path(__file__).parents[2] / "deploy/prometheus/alerts.yml"


@pytest.fixture
def olga() -> User:
    olga = member("operator", email="olga@agency.example")
    Subscription.objects.create(user=olga, kind="failure")
    return olga


def list_work(olga: User) -> set[str]:
    """Return the rows of the work list, having compared each with the list that it links to."""
    client = Client()
    client.force_login(olga)
    work = client.get(reverse("admin:index")).context["work"]
    rows = [row for row in work if row.label in {"Failed jobs", "Stopped submissions"}]
    for row in rows:
        listed = client.get(row.address).context["cl"].result_count
        assert listed == row.backlog.number, row.label
    return {row.label for row in rows}


def tell(olga: User) -> dict[str, bool]:
    """Return who says that staff have a failure to act on."""
    find_events()
    [jobs] = [each for each in readings.job_metrics(timezone.now()) if each.name == "hmda_jobs"]
    work = list_work(olga)
    return {
        "failed jobs": "Failed jobs" in work,
        "doctor": any(each.id == "jobs.failed" for each in services.check_jobs()),
        "metrics": any(each.value for each in jobs.samples if each.labels["state"] == "failed"),
        "email": Mail.objects.filter(to=olga.email).exists(),
    }


@pytest.mark.parametrize("event", FAULTS)
def test_staff_are_told_of_faults_of_ours_alone(
    olga: User, submission: Submission, event: Event
) -> None:
    begun = Status.VALIDATING if event is Event.NO_RULES_FOUND else Status.PARSING
    Submission.objects.update(status=begun)
    submission.refresh_from_db()
    Job.objects.create(
        stage="parse", submission=submission, state="failed", finished_at=timezone.now()
    )
    moves.fail_submission(submission, "It stopped.", event=event)
    assert set(tell(olga).values()) == {FAULTS[event].is_ours}, tell(olga)


@pytest.mark.parametrize("how", ["broken upload", "discarded"])
def test_what_its_sender_ended_is_told_to_no_staff(
    olga: User, submission: Submission, how: str
) -> None:
    stage = "upload" if how == "broken upload" else "parse"
    Job.objects.create(
        stage=stage, submission=submission, state="failed", finished_at=timezone.now()
    )
    if how == "discarded":
        Submission.objects.update(discarded_at=timezone.now())
    assert set(tell(olga).values()) == {False}


def test_the_alert_has_the_events_that_are_faults_of_ours() -> None:
    [events] = re.findall(r'hmda_submission_events_total\{event=~"([^"]+)"', ALERTS.read_text())
    ours = {event.name.lower() for event, fault in FAULTS.items() if fault.is_ours}
    assert set(events.split("|")) == ours
