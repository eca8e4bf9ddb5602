"""The public clock of a season: off by default, in classes of ten, and quick."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from databrowser.season_clock import clock
from databrowser.season_clock.clock import ClassCount
from filing.jobs import queue
from filing.models import (
    Announcement,
    Filing,
    FilingPeriod,
    Institution,
    Job,
    Signature,
    Submission,
)
from filing.pages import announcements
from filing.statuses import FilingStatus, Status

pytestmark = pytest.mark.django_db
PAGE, CALL = "/season/", "/v2/public/season"


@pytest.fixture(autouse=True)
def shown(settings: Any) -> Iterator[None]:
    settings.SEASON_CLOCK_ENABLED = True
    clock.forget_clock()
    yield
    clock.forget_clock()


def add_filings(period: FilingPeriod, agency: int, number: int, *, signed: int = 0) -> None:
    for each in range(number):
        institution = Institution.objects.create(
            activity_year=period.year,
            lei=f"529900CLOCK{agency}{each:08d}",
            name=f"Bank {agency} {each}",
            agency=agency,
        )
        filing = Filing.objects.create(institution=institution, period=period)
        if each < signed:
            submission = Submission.objects.create(
                filing=filing, sequence_number=1, status=Status.SIGNED
            )
            now = timezone.now()
            Signature.objects.create(submission=submission, receipt=str(submission), signed_at=now)
            Filing.objects.filter(pk=filing.pk).update(
                status=FilingStatus.COMPLETED, completed_at=now
            )


@pytest.mark.parametrize("address", [PAGE, CALL])
def test_a_site_shows_it_by_setting_alone(client: Client, settings: Any, address: str) -> None:
    assert client.get(address).status_code == 200
    settings.SEASON_CLOCK_ENABLED = False
    assert client.get(address).status_code == 404


@pytest.mark.servers
def test_it_counts_by_agency_and_day(client: Client, open_period: FilingPeriod) -> None:
    add_filings(open_period, 9, 12, signed=3)
    add_filings(open_period, 5, 20, signed=5)
    Institution.objects.filter(lei="529900CLOCK900000000").update(is_test=True)
    body = client.get(CALL).json()
    assert body["filings"] == {"expected": 31, "signed": 7}
    assert [(row["agency"], row["signed"], row["expected"]) for row in body["byAgency"]] == [
        (5, 5, 20),
        (9, 2, 11),
    ]
    assert body["byDay"][-1]["signed"] == 7
    assert body["season"] == {
        "period": "2024",
        "opens": "2020-01-01",
        "deadline": "2030-01-01",
        "closes": "2040-01-01",
    }
    page = client.get(PAGE).content.decode()
    assert "7 of 31" in page


def test_other_sites_may_read_it_and_keep_it_for_seconds(client: Client) -> None:
    answer = client.get(CALL, headers={"Origin": "https://else.example"})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Cache-Control"] == "public, max-age=10"


def counts(*numbers: int) -> list[ClassCount]:
    return [ClassCount(code, str(code), number, 1) for code, number in enumerate(numbers)]


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [
        ((30, 20), [30, 20]),
        ((30, 20, 9, 4), [30, 20, 13]),
        ((30, 20, 3), [30, 23]),  # 3 alone would follow from the total
        ((12, 3), [15]),
        ((4, 3), []),
    ],
)
def test_small_classes_are_counted_together(numbers: tuple[int, ...], shown: list[int]) -> None:
    combined = clock.combine_small_classes(counts(*numbers))
    assert [each.expected for each in combined] == shown
    assert sum(each.signed for each in combined) == (len(numbers) if shown else 0)


def test_too_few_institutions_have_no_figures(client: Client, open_period: FilingPeriod) -> None:
    add_filings(open_period, 9, 9, signed=2)
    body = client.get(CALL).json()
    assert (body["filings"], body["byAgency"], body["byDay"]) == (None, [], [])
    assert client.get(PAGE).status_code == 200


@pytest.mark.servers
def test_it_says_what_waits_and_for_how_long(client: Client, submission: Submission) -> None:
    now = timezone.now()
    for number, wait in enumerate((1, 5, 60), start=2):
        Job.objects.create(
            submission=Submission.objects.create(filing=submission.filing, sequence_number=number),
            stage="parse",
            state=Job.State.DONE,
            queued_at=now - timedelta(seconds=wait),
            started_at=now,
        )
    body = client.get(CALL).json()["queue"]
    assert body == {"waiting": 0, "oldestSince": None, "usualWaitSeconds": 5}
    job = queue.add_job("parse", submission=submission, notifies=False)
    hour_ago = now - timedelta(hours=1)
    Job.objects.filter(pk=job.pk).update(queued_at=hour_ago, not_before=hour_ago)
    clock.forget_clock()
    body = client.get(CALL).json()
    assert body["queue"]["waiting"] == 1
    assert len(body["incidents"]) == 1


def test_it_tells_of_incidents_maintenance_and_the_next_publication(
    client: Client, open_period: FilingPeriod
) -> None:
    now = timezone.now()
    Announcement.objects.create(level="info", text="News.")
    Announcement.objects.create(level="warning", text="Uploads are slow.")
    Announcement.objects.create(
        level="maintenance", text="New disks.", begins=now + timedelta(days=2)
    )
    announcements.forget_announcements()
    body = client.get(CALL).json()
    assert [each["text"] for each in body["incidents"]] == ["Uploads are slow."]
    assert [each["text"] for each in body["plannedMaintenance"]] == ["New disks."]
    assert body["nextPublication"]["frozenOn"] >= now.date().isoformat()
    page = client.get(PAGE).content.decode()
    assert "New disks." in page


@pytest.mark.servers
def test_the_last_figures_stay_while_the_database_is_away(
    open_period: FilingPeriod, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_filings(open_period, 9, 10, signed=2)
    before = clock.read_clock()
    monkeypatch.setattr(clock, "CACHE_SECONDS", 0)
    clock._kept._until = 0

    def refuse(*args: Any) -> None:
        raise OperationalError("the connection is closed")

    with connection.execute_wrapper(refuse):
        after = clock.read_clock()
    assert after.counts == before.counts
    assert len(after.incidents) == 1
