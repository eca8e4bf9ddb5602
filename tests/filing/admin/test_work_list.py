"""The work list on the front page: what waits for staff, counted, with its age and one link."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from filing import day_hours
from filing.models import (
    Case,
    DeadlineExtension,
    Filing,
    FilingPeriod,
    InstitutionEvent,
    Job,
    Submission,
)
from filing.statuses import Status
from tests import make

pytestmark = pytest.mark.django_db
INDEX = reverse("admin:index")
DUE_SOON = "Filings due soon"


def read_numbers(client: Client) -> dict[str, int]:
    """Return the rows of the work list with their numbers."""
    rows = client.get(INDEX).context["work"]
    return {row.label: row.backlog.number for row in rows}


def list_numbers(client: Client) -> dict[str, int]:
    """Return how many rows the page of each row of the work list has."""
    rows = client.get(INDEX).context["work"]
    lists = {row.label: client.get(row.address).context["cl"] for row in rows}
    return {label: change_list.result_count for label, change_list in lists.items()}


def test_each_row_counts_what_its_page_lists(submission: Submission, desk: Client) -> None:
    ago = timezone.now() - timedelta(days=3)
    Submission.objects.update(status=Status.FAILED, changed_at=ago)
    Job.objects.create(stage="mail", state="failed", finished_at=ago)
    Job.objects.create(stage="mail", state="queued", attempts=2, queued_at=ago)
    Case.objects.create(email="bea@bank.example", text="Please add us.", opened_at=ago)
    today = day_hours.today()
    FilingPeriod.objects.update(
        opens=today - timedelta(days=90),
        timely_until=today - timedelta(days=5),
        closes=today + timedelta(days=90),
    )
    expected = {
        "Open cases": 1,
        "Stopped submissions": 1,
        "Failed jobs": 1,
        "Jobs waiting to retry": 1,
        "Late filings": Filing.objects.count(),
    }
    assert read_numbers(desk) == expected
    assert list_numbers(desk) == expected
    page = desk.get(INDEX).content.decode()
    assert len(re.findall(r"<time [^>]*>3\xa0days</time>", page)) == 4


def test_filings_are_due_two_weeks_before_their_deadline(
    submission: Submission, desk: Client
) -> None:
    today = day_hours.today()
    for days, due in ((15, False), (14, True), (0, True)):
        FilingPeriod.objects.update(
            opens=today - timedelta(days=90),
            timely_until=today + timedelta(days=days),
            closes=today + timedelta(days=90),
        )
        assert (DUE_SOON in read_numbers(desk)) is due


def test_what_is_due_soon_is_due_when_the_institution_has_to_file(
    submission: Submission, desk: Client
) -> None:
    today = day_hours.today()
    FilingPeriod.objects.update(
        opens=today - timedelta(days=90), timely_until=today, closes=today + timedelta(days=90)
    )
    extended = today + timedelta(days=9)
    filing = submission.filing
    event = InstitutionEvent.objects.create(
        kind=InstitutionEvent.Kind.EXTENSION,
        lei=filing.institution.lei,
        effective_on=today,
        reason="A hurricane closed all branches.",
    )
    DeadlineExtension.objects.create(
        event=event,
        lei=filing.institution.lei,
        year=filing.period.year,
        timely_until=extended,
        closes=extended,
        why="Hurricane Milton",
    )
    (row,) = [each for each in desk.get(INDEX).context["work"] if each.label == DUE_SOON]
    assert (row.backlog.number, row.backlog.ends) == (1, extended)


def test_roles_see_what_they_can_act_on() -> None:
    for role, is_shown in [("help desk", False), ("operator", True), ("administrator", True)]:
        page = make.browser(make.staff(role)).get(INDEX)
        labels = {row.label for row in page.context["done"]}
        theirs = {"Missing reference data", "Old APOR tables", "Publications due or failed"}
        assert (theirs <= labels) is is_shown
        assert ("findings" in page.context) is is_shown
        assert "Open cases" in labels
