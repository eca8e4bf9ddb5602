"""The list of submissions answers what needs somebody today, and finds what a caller names."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from filing.models import (
    Filing,
    FilingPeriod,
    Job,
    Submission,
)
from filing.statuses import FilingStatus, Status
from tests import make

pytestmark = pytest.mark.django_db
PAGE = reverse("admin:filing_submission_changelist")
TIMELY_UNTIL = date(2025, 3, 3)

AddSubmission = Callable[..., Submission]


@pytest.fixture
def closed(db: None) -> FilingPeriod:
    """A period whose filing deadline is over."""
    return make.period(2023, opens=date(2025, 1, 1), timely_until=TIMELY_UNTIL)


@pytest.fixture
def add_submission(open_period: FilingPeriod) -> AddSubmission:
    """AddSubmission a submission of an institution of its own."""
    numbers = iter(range(1, 100))

    def submission(
        status: Status, *, seconds: float = 0, period: FilingPeriod = open_period, **facts: Any
    ) -> Submission:
        number = next(numbers)
        lei, agency = f"529900TESTBANK{number:06d}", (1, 9)[number % 2]
        make.institution(lei, year=period.year, name=f"Bank {number}", agency=agency)
        is_signed = status == Status.SIGNED
        standing = FilingStatus.COMPLETED if is_signed else FilingStatus.IN_PROGRESS
        filing = make.filing(lei, year=period.year, status=standing)
        at = timezone.now() - timedelta(seconds=seconds)
        return make.submission(filing, status=status, changed_at=at, **facts)

    return submission


def sign(submission: Submission, at: datetime) -> Submission:
    return make.signed(submission, signed_at=at)


def shown(client: Client, page: str = PAGE, **asked: str) -> list[Any]:
    answer = client.get(page, asked)
    assert answer.status_code == 200
    return list(answer.context["cl"].result_list)


def row(client: Client, **asked: str) -> dict[str, str]:
    """Return the text of the first row, by the classes of its cells."""
    page = client.get(PAGE, asked).content.decode()
    cells = page.split("<tbody>")[1].split("</tr>")[0].split('class="field-')[1:]
    return {
        cell.split()[0].strip('">').split('"')[0]: "".join(
            part.partition(">")[2] for part in cell.split("<")
        ).strip()
        for cell in cells
    }


def work(submission: Submission, state: str, seconds: float) -> None:
    now = timezone.now()
    Job.objects.create(
        submission=submission,
        stage="edits",
        state=state,
        owner="worker" if state == "running" else "",
        lease_until=now,
        heartbeat=now - timedelta(seconds=seconds),
    )


def test_a_stuck_submission_is_one_that_nobody_works_on(admin_client, add_submission):
    for status in (Status.PARSING, Status.VALIDATING):
        add_submission(status, seconds=59)
    alive, dead, waiting = (add_submission(Status.VALIDATING, seconds=3600) for _ in range(3))
    work(alive, "running", 10)
    work(dead, "running", 61)
    work(waiting, "queued", 3600)
    resting = add_submission(Status.QUALITY_ERRORS, seconds=3600)
    assert set(shown(admin_client, needs="stuck")) == {dead, waiting}
    assert resting in shown(admin_client)


@pytest.mark.servers
def test_today_begins_where_filings_are_taken(admin_client, add_submission, settings):
    settings.FILING_TIME_ZONE = "America/New_York"
    now = timezone.now()
    here = now.astimezone(ZoneInfo("America/New_York"))
    today = here.replace(hour=0, minute=0, second=0, microsecond=0)
    early = sign(add_submission(Status.SIGNED), today)
    sign(add_submission(Status.SIGNED), today - timedelta(seconds=1))
    assert shown(admin_client, needs="signed-today") == [early]


# Midnight in New York after March 3 is 5 o'clock in Greenwich.
LAST_MOMENT, TOO_LATE = (
    datetime(2025, 3, 4, 4, 59, 59, tzinfo=UTC),
    datetime(2025, 3, 4, 5, tzinfo=UTC),
)


SAID = {"overdue": "late, not signed", "due": "not due yet", "replaced": "nothing due"}


def test_late_is_what_is_signed_after_the_filing_deadline(admin_client, add_submission, closed):
    timely = sign(add_submission(Status.SIGNED, period=closed), LAST_MOMENT)
    late = sign(add_submission(Status.SIGNED, period=closed), TOO_LATE)
    overdue = add_submission(Status.VERIFIED, period=closed)
    replaced = Submission.objects.create(filing=late.filing, sequence_number=2)
    cancelled = add_submission(Status.CREATED, period=closed)
    Filing.objects.filter(pk=cancelled.filing_id).update(status=FilingStatus.CANCELLED)
    open_period = FilingPeriod.objects.get(timely_until__year=2030)
    due = add_submission(Status.VERIFIED, period=open_period)
    expected = {
        "timely": {timely},
        "late": {late},
        "overdue": {overdue},
        "replaced": {replaced, cancelled},
        "due": {due},
    }
    for asked, wanted in expected.items():
        assert set(shown(admin_client, timeliness=asked)) == wanted, asked
        for submission in wanted:
            assert row(admin_client, q=str(submission))["timeliness"] == SAID.get(asked, asked)


def test_a_list_is_narrowed_down(admin_client, add_submission):
    made = [add_submission(Status.SIGNED), add_submission(Status.FAILED)]
    Submission.objects.filter(pk=made[1].pk).update(
        created_at=datetime(2024, 2, 29, 12, tzinfo=UTC)
    )
    sign(made[0], timezone.now())
    for asked, finds in [
        ({"status__exact": "15"}, [1]),
        ({"filing__institution__agency__exact": "1"}, [2]),
        ({"created_at__year": "2024"}, [2]),
        ({"created_at__year": "2024", "created_at__month": "2"}, [2]),
        ({"created_at__year": "2024", "created_at__month": "2", "created_at__day": "28"}, []),
    ]:
        assert shown(admin_client, **asked) == [made[number - 1] for number in finds]


@pytest.mark.servers
def test_submissions_are_sorted_by_their_age(admin_client, add_submission):
    old, older, new = (add_submission(Status.CREATED, seconds=seconds) for seconds in (90, 900, 9))
    columns = admin_client.get(PAGE).context["cl"].list_display
    column = str(columns.index("age"))
    assert shown(admin_client, o=column) == [new, old, older]
    assert shown(admin_client, o=f"-{column}") == [older, old, new]


@pytest.mark.servers
def test_the_calendar_shows_the_time_there_is_something_of(admin_client, add_submission):
    for day in (date(2023, 11, 5), date(2025, 2, 3)):
        submission = add_submission(Status.CREATED)
        at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
        Submission.objects.filter(pk=submission.pk).update(created_at=at)

    def links(**asked: str) -> list[str]:
        page = admin_client.get(PAGE, asked).content.decode()
        bar = page.split('<nav class="toplinks" aria-label="By date">')[1].split("</nav>")[0]
        return [part.split("<")[0].strip() for part in bar.split(">") if part.split("<")[0].strip()]

    assert links() == ["2023", "2024", "2025"]
    assert links(created_at__year="2025") == ["&lsaquo; All dates", "January 2025", "February 2025"]
    february = {"created_at__year": "2025", "created_at__month": "2"}
    assert links(**february) == ["&lsaquo; 2025", "February 1", "February 2", "February 3"]
    assert links(**february, created_at__day="3") == ["&lsaquo; February 2025", "February 3"]


def test_dates_that_are_none_are_refused_politely(admin_client, add_submission):
    add_submission(Status.CREATED)
    for asked in ({}, {"created_at__month": "13"}):
        assert admin_client.get(PAGE, {"created_at__year": "x", **asked}).status_code == 302


@pytest.mark.servers
def test_what_names_a_single_submission_leads_to_its_page(admin_client, add_submission):
    signed = add_submission(Status.SIGNED, sha256="a" * 64)
    other = add_submission(Status.CREATED, sha256="b" * 64)
    add_submission(Status.CREATED, sha256="b" * 64)
    make.signed(signed, receipt=f"{signed}-1741000999000")
    find = reverse("admin:filing_submission_find")

    def leads_to(text: str) -> str:
        return str(admin_client.get(find, {"q": text}).headers["Location"])

    page = reverse("admin:filing_submission_change", args=[signed.pk])
    assert leads_to(f" {signed}-1741000999000 ") == page
    assert leads_to(str(signed)) == page
    assert leads_to("a" * 64) == page
    for text in ("b" * 64, other.lei, "Bank & Co"):  # there are several of it, or none
        assert admin_client.get(find, {"q": text}).status_code == 200
