"""A search that finds no submission offers the institution, or says what can be searched by."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from filing.models import Filing, FilingPeriod, Institution
from tests import make

pytestmark = pytest.mark.django_db
PAGE = reverse("admin:filing_submission_changelist")
LEI = "529900HARBORSAVE0042"
SEARCHED_BY = (
    "You can search by LEI, ULI, institution name, TIN, email address or domain, receipt number, "
    "name of a submission, file name, or SHA-256."
)


@pytest.fixture
def filing(open_period: FilingPeriod) -> Filing:
    """The filing of an institution that is in the panel of two years and has uploaded nothing."""
    facts = {"agency": 9, "tax_id": "98-7654321", "email_domains": ["harbor.example"]}
    Institution.objects.create(activity_year=2023, lei=LEI, name="Harbor Bank", **facts)
    make.institution(LEI, name="Harbor Savings", **facts)
    return make.filing(LEI)


def page(client: Client, **asked: str) -> str:
    answer = client.get(PAGE, asked)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_panel_record_and_the_filings_are_offered(desk, filing):
    for typed in [
        LEI,
        f"{LEI}ABCDEFGHIJK38",
        "harbor savings",
        "98-7654321",
        "ann@harbor.example",
        f"{LEI}-2024",
        f"{LEI}-2024-1-1741000999000",
    ]:
        shown = page(desk, q=typed)
        record = reverse("admin:filing_institution_change", args=[filing.institution_id])
        there = reverse("admin:filing_filing_change", args=[filing.pk])
        assert f'<a href="{record}">Harbor Savings, panel of 2024</a>' in shown
        assert f'<a href="{there}">2024</a> (not-started)' in shown
        assert shown.count("panel of ") == 1
        assert "You can search by" not in shown
        assert desk.get(record).status_code == desk.get(there).status_code == 200


def test_what_matches_nothing_is_told_what_can_be_searched_by(desk, filing):
    for typed in ["Nobody & Sons", "529900NOSUCHBANK0099", "lar.txt", "0" * 64, "a@gmail.com"]:
        shown = page(desk, q=typed)
        assert f"No submission matches “{escape(typed)}”" in shown
        assert f"No institution matches either. {SEARCHED_BY}" in shown
        assert "Harbor" not in shown


@pytest.mark.parametrize(
    ("rights", "record", "filings"),
    [
        (["view_submission"], False, False),
        (["view_submission", "view_filing"], False, False),
        (["view_submission", "view_institution"], True, False),
        (["view_submission", "view_institution", "view_filing"], True, True),
    ],
)
def test_only_what_a_user_may_see_is_offered(client, filing, rights, record, filings):
    user = User.objects.create(username="clerk", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    client.force_login(user)
    shown = page(client, q="Harbor")
    assert ("Harbor Savings, panel of 2024" in shown) is record
    assert (reverse("admin:filing_filing_change", args=[filing.pk]) in shown) is filings
    assert (SEARCHED_BY in shown) is not record
    assert "No institution matches" not in shown
