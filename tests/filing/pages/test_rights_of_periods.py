"""Whoever acts for an institution in some periods sees nothing of the filings of the others."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from filing import access, day_hours
from filing.models import (
    Delegation,
    EndedRight,
    FilingPeriod,
    Membership,
    Organization,
    OrganizationMember,
    StatusChange,
    Submission,
)
from filing.pages import overview
from filing.people import delegations
from filing.statuses import FilingStatus
from filing.submissions import many_files
from tests import make
from tests.conftest import LEI
from tests.filing.pages.steps import signed_in, text
from tests.filing.people.test_invitations import add_user

pytestmark = pytest.mark.django_db
API = f"/v2/filing/institutions/{LEI}"


@pytest.fixture
def vic(submission: Submission) -> User:
    """A person of a vendor that acts in 2025 alone; the filings of both years have begun."""
    make.period(2025, timely_until=day_hours.today() + timedelta(days=9))
    make.filing(year=2025, status=FilingStatus.IN_PROGRESS)
    user = add_user("vic", domain="vendor.example")
    vendor = Organization.objects.create(name="Vendor", code="ORG-TEST01", made_by="vic")
    OrganizationMember.objects.create(organization=vendor, user=user)
    Delegation.objects.create(organization=vendor, lei=LEI, periods=["2025"], agreed_by="ada")
    return user


@pytest.mark.parametrize("table_from", [10, 1])
def test_pages_show_the_filings_of_the_periods_alone(
    vic: User, monkeypatch: Any, table_from: int
) -> None:
    monkeypatch.setattr(overview, "TABLE_FROM", table_from)
    browser = signed_in(vic)
    for page in ("/filing/", f"/filing/{LEI}/", "/"):
        shown = browser.get(page).text
        assert f"/filing/{LEI}/2024/" not in shown, page
        assert f"/filing/{LEI}/2025/" in shown, page
    assert "2025 only" in text(browser.get(f"/filing/{LEI}/2024/"), 403)
    staff = User.objects.create_superuser("olga", "olga@desk.example", "x")
    assert f"/filing/{LEI}/2024/" in signed_in(staff).get(f"/filing/{LEI}/").text


def test_an_institution_without_a_period_for_the_reader_stays_in_the_table(
    vic: User, monkeypatch: Any
) -> None:
    monkeypatch.setattr(overview, "TABLE_FROM", 1)
    Delegation.objects.update(periods=["2023"])
    shown = text(signed_in(vic).get("/filing/"))
    assert LEI in shown
    assert f"/filing/{LEI}/2025/" not in shown


def test_programs_get_the_filings_of_the_periods_alone(vic: User) -> None:
    client = make.program(vic)
    listed = client.get(f"{API}/obligations").json()["obligations"]
    assert [each["period"] for each in listed] == ["2025"]
    calendar = client.get(f"{API}/obligations.ics").content.decode()
    assert f"{LEI}-2025@" in calendar
    assert f"{LEI}-2024@" not in calendar
    assert client.get(f"{API}/year/2024").status_code == 403
    listed = make.program("x", leis=[LEI]).get(f"{API}/obligations").json()["obligations"]
    assert [each["period"] for each in listed] == ["2025", "2024"]


def test_a_year_lists_the_quarters_of_the_periods_alone(vic: User) -> None:
    make.filing(year=2025, quarter="Q1", status=FilingStatus.IN_PROGRESS)
    body = make.program(vic).get(f"{API}/year/2025").json()
    assert [each["filing"]["period"] for each in body["filings"]] == ["2025"]


def test_a_chosen_file_tells_nothing_of_another_period(vic: User) -> None:
    FilingPeriod.objects.filter(year=2024).update(
        closes=day_hours.today() - timedelta(days=1),
        timely_until=day_hours.today() - timedelta(days=2),
        opens=day_hours.today() - timedelta(days=90),
    )
    line = f"1|Bank|2024|4|Ann|5551234567|a@bank.example|1 Main|Pella|IA|50219|9|1|53-1111111|{LEI}"
    file = many_files.ChosenFile("lar.txt", 999, line.encode(), "")
    (plan,) = many_files.plan_uploads([file], by=access.caller_of(vic))
    assert plan.refusal == "You cannot upload files for 2024 of this institution."


def test_an_organization_lists_what_was_done_in_its_periods_alone(
    vic: User, submission: Submission
) -> None:
    StatusChange.objects.create(
        submission=submission,
        after=submission.status,
        event="CREATED",
        actor_username="vic",
    )
    delegation = Delegation.objects.get()
    for periods, number in ((["2025"], 0), (["2024", "2025"], 1), ([], 1)):
        delegation.periods = periods
        acts = delegations.find_acts(delegation, is_for_organization=True)
        assert acts.filter(actor_username="vic").count() == number
        assert delegations.find_acts(delegation).count() == 1


# --- the profile


def test_the_profile_lists_what_each_right_is(vic: User) -> None:
    browser = signed_in(vic)
    shown = text(browser.get("/filing/profile/"))
    assert "You cannot file for any institution yet" not in shown
    assert "member of Vendor" in shown
    assert "Institutions you can file for" in shown
    OrganizationMember.objects.update(is_preparer=False, is_signer=False)
    shown = text(browser.get("/filing/profile/"))
    assert "You cannot file for any institution yet" in shown
    assert "Institutions you can only read" in shown
    assert "Institutions you can file for" not in shown
    for may_prepare, limit in ((False, "You can only read here."), (True, "You cannot sign here.")):
        OrganizationMember.objects.update(is_preparer=may_prepare)
        assert limit in text(browser.get(f"/filing/{LEI}/2025/"))


def test_a_right_that_has_ended_stands_under_no_institution_to_file_for(vic: User) -> None:
    OrganizationMember.objects.update(ended_at=timezone.now())
    yesterday = day_hours.today() - timedelta(days=1)
    make.member(vic, LEI, until=yesterday)
    shown = text(signed_in(vic).get("/filing/profile/"))
    assert "Institutions you can file for" not in shown
    assert "You cannot file for any institution yet" in shown
    assert "The right was given until" in shown
    Membership.objects.all().delete()
    EndedRight.objects.create(user=vic, lei=LEI, ended_by="olga", reason="x")
    assert "was ended by" in text(signed_in(vic).get("/filing/profile/"))
