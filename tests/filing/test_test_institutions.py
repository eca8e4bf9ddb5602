"""Test institutions: no figure, list or email about a season has them; the help desk finds them."""

from __future__ import annotations

from datetime import date

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from filing import seasons, standing
from filing.models import (
    Filing,
    FilingPeriod,
    Institution,
    Membership,
    Signature,
    Submission,
)
from filing.seasons import SeasonPlan, preview
from filing.statuses import FilingStatus, Status

pytestmark = pytest.mark.django_db
REAL, TEST = "529900REALBANK000001", "529900TRYOUTS0000002"


def add_institution(lei: str, *, is_test: bool) -> Institution:
    return Institution.objects.create(
        activity_year=2024,
        lei=lei,
        name=f"Bank {lei[6:10]}",
        agency=9,
        email_domains=["bank.example"],
        quarterly_filer=True,
        is_test=is_test,
        hmda_filer=True,
    )


def sign(filing: Filing) -> None:
    now = timezone.now()
    submission = Submission.objects.create(
        filing=filing, sequence_number=1, status=Status.SIGNED, uploaded_at=now, lines=61
    )
    Signature.objects.create(submission=submission, receipt=str(submission), signed_at=now)
    Filing.objects.filter(pk=filing.pk).update(status=FilingStatus.COMPLETED, completed_at=now)


@pytest.fixture
def season(open_period: FilingPeriod) -> FilingPeriod:
    """A real and a test institution: each has signed the year and owes a quarter that is late."""
    quarter = FilingPeriod.objects.create(
        year=2024,
        quarter="Q1",
        opens=date(2024, 4, 1),
        timely_until=date(2024, 5, 30),
        closes=date(2040, 1, 1),
    )
    for lei in (REAL, TEST):
        institution = add_institution(lei, is_test=lei == TEST)
        sign(Filing.objects.create(institution=institution, period=open_period))
        Filing.objects.create(institution=institution, period=quarter)
        user = User.objects.create(username=lei, email=f"{lei}@bank.example")
        Membership.objects.create(user=user, lei=lei)
    return open_period


def test_a_season_is_not_announced_to_them(season: object) -> None:
    plan = SeasonPlan(2024, seasons.usual_windows(2024), announce=True)
    recipients = preview.find_announcement_recipients(plan)
    assert [user.username for user in recipients] == [REAL]


def test_public_lists_leave_them_out(client: Client, season: object) -> None:
    filers = client.get("/v2/reporting/filers/2024").json()["institutions"]
    assert [each["lei"] for each in filers] == [REAL]
    quarterly = client.get("/data/graphs/quarterly-filers/").content.decode()
    assert REAL in quarterly
    assert TEST not in quarterly
    public = Submission.objects.filter(standing.is_counting(), standing.is_for_the_public())
    assert [submission.lei for submission in public] == [REAL]
