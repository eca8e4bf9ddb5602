"""Test institutions: no figure, list or email about a season has them; the help desk finds them."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

import filing
from config.metrics import readings
from filing import seasons, standing
from filing.models import (
    Filing,
    FilingPeriod,
    Institution,
    Membership,
    Signature,
    Submission,
)
from filing.seasons import SeasonPlan, figures, preview
from filing.statuses import FilingStatus, Status

pytestmark = pytest.mark.django_db
REAL, TEST = "529900REALBANK000001", "529900TRYOUTS0000002"
ROOT = Path(filing.__file__).parent.parent
# Where the column itself is shown, read from a panel file or described.
WITH_THE_COLUMN = {
    "config/made_up.py",  # makes them test institutions
    "filing/migrations/0022_authentic_verifications.py",
    *("filing/models/panel.py", "filing/standing.py", "filing/panel/columns.py"),
    *("filing/access/fields.py", "filing/admin/institutions.py", "filing/admin/filings.py"),
    *("filing/api/serializers/operators.py", "filing/panel/institution_record.py"),
    *("filing/admin/submissions/lists.py", "filing/migrations/0006_test_institutions.py"),
}


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


def test_figures_of_a_season_leave_them_out(season: FilingPeriod) -> None:
    quarter = FilingPeriod.objects.get(quarter="Q1")
    assert figures.count_period_filings(season).signed == 1
    assert figures.count_period_filings(quarter).missing == 1
    assert figures.count_statuses(season).by_status == {Status.SIGNED: 1}
    assert set(figures.build_signature_curve(season).by_day.values()) == {0, 1}
    assert [row[0] for row in figures.list_not_filed_rows(quarter)] == ["lei", REAL]
    assert Filing.objects.filter(figures.is_late_and_open()).count() == 1
    counts = seasons.count_filings(FilingPeriod.objects.order_by("quarter"))
    owed_signed_late = [(period.owed, period.signed, period.late) for period in counts]
    assert owed_signed_late == [(1, 1, 0), (1, 0, 1)]


def test_staff_see_them_in_no_page_of_the_season(admin_client: Client, season: object) -> None:
    pages = [
        admin_client.get(reverse(f"admin:{page}"), {"period": "2024-Q1"})
        for page in ("season", "season_figures", "season_not_filed", "season_not_filed_csv")
    ]
    texts = [b"".join(page) if page.streaming else page.content for page in pages]
    assert all(REAL.encode() in text and TEST.encode() not in text for text in texts)
    front_page = admin_client.get(reverse("admin:index")).content.decode()
    assert re.search(r"needs=late[^<]*<", front_page)


def test_a_season_is_not_announced_to_them(season: object) -> None:
    plan = SeasonPlan(2024, seasons.usual_windows(2024), announce=True)
    recipients = preview.find_announcement_recipients(plan)
    assert [user.username for user in recipients] == [REAL]


def test_metrics_count_no_submissions_of_them(season: object) -> None:
    metric = readings.submission_metrics(since=timezone.now())[0]
    assert {each.value for each in metric.samples if each.labels["status"] == "15"} == {1}


def test_public_lists_leave_them_out(client: Client, season: object) -> None:
    filers = client.get("/v2/reporting/filers/2024").json()["institutions"]
    assert [each["lei"] for each in filers] == [REAL]
    quarterly = client.get("/data/graphs/quarterly-filers/").content.decode()
    assert REAL in quarterly
    assert TEST not in quarterly
    public = Submission.objects.filter(standing.is_counting(), standing.is_for_the_public())
    assert [submission.lei for submission in public] == [REAL]


def test_the_help_desk_finds_them(admin_client: Client, season: object) -> None:
    found = admin_client.get(reverse("admin:filing_submission_find"), {"q": TEST})
    assert TEST in found.content.decode()
    for table, name in (
        ("institution", "is_test__exact"),
        ("filing", "institution__is_test__exact"),
        ("submission", "filing__institution__is_test__exact"),
    ):
        address = reverse(f"admin:filing_{table}_changelist")
        page = admin_client.get(address, {name: 1}).content.decode()
        assert TEST in page
        assert REAL not in page
        everyone = admin_client.get(address).content.decode()
        assert TEST in everyone
        assert REAL in everyone


def test_no_other_place_decides_who_is_one() -> None:
    """Whoever counts institutions asks `filing.standing.is_real_institution`."""
    apps = ("config", "filing", "databrowser", "graphs", "publicapi", "ratespread", "uliapi")
    with_the_column = {
        path.relative_to(ROOT).as_posix()
        for app in apps
        for path in (ROOT / app).rglob("*.py")
        if "is_test" in path.read_text()
    }
    assert with_the_column == WITH_THE_COLUMN
