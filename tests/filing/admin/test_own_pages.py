"""Institution, filing, hold, season, period and people lead to each other in two clicks at most."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from filing import audit
from filing.access import SERVICE
from filing.jobs import queue
from filing.models import (
    Filing,
    Institution,
    Job,
    LegalHold,
    Mail,
    SeasonOpening,
    Submission,
)
from filing.periods import legal_holds
from filing.seasons import open_season
from tests import make
from tests.conftest import LEI
from tests.filing.admin.queries import MOST_QUERIES, queries_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(institution: Institution) -> list[Model]:
    Institution.objects.create(activity_year=2023, lei=LEI, name="Older", agency=9)
    open_season(2024, force=True, by=SERVICE)
    filing = Filing.objects.get(period__quarter="")
    submission = Submission.objects.create(filing=filing, sequence_number=1)
    legal_holds.hold_filing(filing, by=SERVICE, reason="Matter 12")
    audit.add_note(institution, by=SERVICE, text="They called.")
    user = User.objects.create(username="ann")
    membership = make.member(user, LEI)
    opening, hold = SeasonOpening.objects.get(), LegalHold.objects.get()
    return [institution, filing, submission, hold, opening, filing.period, membership, user]


def address_of(row: Model) -> str:
    opts = row._meta
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_change", args=[row.pk])


def links_on(client: Client, address: str) -> set[str]:
    """Return the links of a page within the admin, as addresses."""
    answer: Any = client.get(address)
    assert answer.status_code == 200, address
    page = answer.content.decode()
    return {unescape(link) for link in re.findall(r'href="(/admin/[^"]*)"', page)}


def test_each_page_is_reached_from_each_other_in_two_clicks(
    admin_client: Client, rows: list[Model]
) -> None:
    institution, filing, _, hold, opening, period, membership, _ = rows
    wanted = {
        row: {institution, filing, hold, membership}
        for row in (institution, filing, hold, membership)
    }
    wanted |= {opening: {filing, period, institution}, period: {filing, institution, opening}}
    for row, others in wanted.items():
        first = links_on(admin_client, address_of(row))
        related = {link.address for link in admin_client.get(address_of(row)).context["page_links"]}
        assert related <= first
        second = set().union(*(links_on(admin_client, link) for link in related))
        reached = {link.partition("?")[0] for link in first | second} | {address_of(row)}
        assert {address_of(other) for other in others} <= reached, row


def test_the_institution_has_its_filings_people_years_holds_and_notes(
    admin_client: Client, rows: list[Model]
) -> None:
    links = admin_client.get(address_of(rows[0])).context["page_links"]
    found = {link.label: links_on(admin_client, link.address) for link in links}
    _, filing, submission, hold, _, _, membership, _ = rows
    assert address_of(filing) in {link.partition("?")[0] for link in found["Filings"]}
    assert address_of(submission) in {link.partition("?")[0] for link in found["Submissions"]}
    assert address_of(membership) in {link.partition("?")[0] for link in found["People"]}
    assert address_of(hold) in {link.partition("?")[0] for link in found["Legal holds"]}
    older = Institution.objects.get(activity_year=2023)
    assert address_of(older) in {link.partition("?")[0] for link in found["All years"]}
    assert "Who has not filed" in found


def test_users_see_only_links_that_they_may_follow(rows: list[Model]) -> None:
    browser = make.browser(make.staff("help desk"))
    for row in rows:
        answer: Any = browser.get(address_of(row))
        for link in answer.context.get("page_links") or () if answer.status_code == 200 else ():
            assert browser.get(link.address).status_code == 200, link


def test_the_links_cost_no_queries_of_their_own(admin_client: Client, rows: list[Model]) -> None:
    for row in rows[:1]:
        assert queries_of(admin_client, address_of(row)) <= MOST_QUERIES


def test_the_filter_of_emails_has_the_words_of_the_column(admin_client: Client) -> None:
    job = queue.add_job("mail")
    Job.objects.filter(pk=job.pk).update(state=Job.State.DONE)
    Mail.objects.create(kind="receipt", key="a", to="ann@bank.example", job=job)
    page = admin_client.get(reverse("admin:filing_mail_changelist"), {"job__state__exact": "done"})
    shown = page.context["cl"]
    (by_state,) = (
        one for one in shown.filter_specs if "job__state__exact" in one.expected_parameters()
    )
    states = {each["display"]: each for each in by_state.choices(shown)}
    assert states["sent"]["selected"]
    assert "done" not in states
    assert [mail.state_label for mail in page.context["cl"].result_list] == ["sent"]
