"""New institutions: asked for on a page, accepted or refused by staff, with the first right."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from filing import access
from filing.access import SERVICE, Right, caller_of
from filing.lives.recording import record_event
from filing.lives.reports import EventDraft
from filing.models import (
    AuditEvent,
    Case,
    EndedRight,
    Filing,
    FilingPeriod,
    Identity,
    Institution,
    InstitutionEvent,
    Mail,
    Membership,
    RecordProposal,
    TrailEntry,
)
from filing.panel import proposals
from filing.panel.lei_lists import load_lei_list
from tests import make
from tests.at_once import call_at_once
from tests.conftest import LEI
from tests.filing.pages.steps import text
from tests.filing.panel.lei_files import Row, make_row, write_lei_file
from tests.filing.panel.proposing import (
    NEW,
    NEW_LEI,
    REGISTER,
    add_member,
    add_staff,
    answer_in_admin,
    correct_in_admin,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def periods(open_period: FilingPeriod) -> list[FilingPeriod]:
    """The annual period, one quarter that is open, and one that is closed."""
    due = date(2024, 5, 30)
    closed = make.period(2024, "Q1", timely_until=due, closes=date(2024, 12, 31))
    return [open_period, closed, make.period(2024, "Q2", timely_until=due)]


def close_annual_period() -> None:
    annual = FilingPeriod.objects.get(quarter="")
    make.change(annual, timely_until=date(2025, 3, 3), closes=date(2025, 12, 31))


@pytest.fixture
def nia(periods: list[FilingPeriod]) -> User:
    return add_member("nia", domain="new.example")


@pytest.fixture
def browser(nia: User) -> Client:
    return make.browser(nia)


@pytest.fixture
def registration(browser: Client) -> RecordProposal:
    assert browser.post(REGISTER, NEW).status_code == 303
    return RecordProposal.objects.get()


def test_what_cannot_be_registered_is_refused(browser: Client, settings: Any) -> None:
    settings.TEST_LEIS = False
    valid = {**NEW, "lei": "529900NEWBANK0000047"}
    for changes, part in [
        ({"lei": "529900NEWBANK000002"}, "not an LEI"),
        ({"lei": "529900NEWBANK0000029"}, "check digits"),
        ({"lei": "5493001KJTIIGC8Y1R12"}, "issuer of LEIs"),
        ({"tax_id": ""}, "Enter the TIN"),
        ({"tax_id": "1"}, "99-9999999"),
        ({"agency": ""}, "Select the federal agency"),
        ({"name": " "}, "Enter the name"),
        ({"email_domains": "gmail.com"}, "public email domain"),
        ({"year": "2018"}, "valid choice"),
        ({"reason": ""}, "Enter why"),
    ]:
        assert part in text(browser.post(REGISTER, {**valid, **changes}), 400)
        assert not RecordProposal.objects.exists()
        assert not Mail.objects.exists()


def test_an_address_must_be_verified(browser: Client, nia: User) -> None:
    Identity.objects.update(email_verified=False)
    assert "Confirm your email address first" in text(browser.get(REGISTER))
    assert "Confirm your email address first" in text(browser.post(REGISTER, NEW), 403)
    assert not RecordProposal.objects.exists()


def test_an_institution_of_the_panel_is_not_registered_again(
    browser: Client, operator: Client, institution: Institution
) -> None:
    refused = text(browser.post(REGISTER, {**NEW, "lei": LEI}), 400)
    assert "already" in refused
    assert "help desk" in refused
    Institution.objects.update(activity_year=2025)  # a later record: 2024 is not before it
    assert "2025" in text(browser.post(REGISTER, {**NEW, "lei": LEI}), 400)
    Institution.objects.update(activity_year=2020)  # it files again after some years
    assert browser.post(REGISTER, {**NEW, "lei": LEI}).status_code == 303
    registration = RecordProposal.objects.get()
    page = reverse("admin:filing_recordproposal_accept")
    assert "records of 2020" in operator.get(page, {"pk": registration.pk}).text


def test_an_lei_waits_once(browser: Client, registration: RecordProposal) -> None:
    assert registration.number in text(browser.post(REGISTER, NEW), 400)
    other = make.browser(add_member("eve", domain="other.example"))
    refused = text(other.post(REGISTER, NEW), 400)
    assert "Someone else" in refused
    assert registration.number not in refused
    gone = other.post(f"{REGISTER}{registration.pk}/withdraw/")
    assert text(gone, 404)
    assert browser.post(f"{REGISTER}{registration.pk}/withdraw/").status_code == 303
    assert other.post(REGISTER, NEW).status_code == 303


def test_a_person_waits_for_a_few(browser: Client, settings: Any) -> None:
    settings.TEST_LEIS = True
    for number in range(proposals.MOST_OPEN):
        lei = f"529900NEWBANK0000{number:03}"
        assert browser.post(REGISTER, {**NEW, "lei": lei}).status_code == 303
    assert "wait for staff" in text(browser.post(REGISTER, NEW), 400)


def test_closed_years_cannot_be_chosen(browser: Client) -> None:
    close_annual_period()
    assert "valid choice" in text(browser.post(REGISTER, NEW), 400)


@pytest.mark.servers
def test_staff_accept_it(
    browser: Client, operator: Client, nia: User, registration: RecordProposal
) -> None:
    page = reverse("admin:filing_recordproposal_accept")
    preview = operator.get(page, {"pk": registration.pk}).text
    assert "2024-Q2" in preview
    assert "2024-Q1" not in preview
    answer_in_admin(operator, registration, "accept", "Welcome.")
    institution = Institution.objects.get()
    assert (institution.lei, institution.activity_year) == (NEW_LEI, 2024)
    assert (institution.name, institution.tax_id, institution.agency) == (
        "New Bank",
        "98-7654321",
        3,
    )
    assert institution.email_domains == ["new.example"]
    # Nothing is owed for the quarter that is closed.
    assert {str(filing.period) for filing in Filing.objects.all()} == {"2024", "2024-Q2"}
    rights = access.find_rights(caller_of(nia), NEW_LEI)
    assert rights >= {Right.READ, Right.PREPARE, Right.SIGN}
    assert Right.MANAGE not in rights
    membership = Membership.objects.get(user=nia)
    assert (membership.source, membership.added_by) == ("hand", "olga")
    mail = Mail.objects.order_by("pk").last()
    assert mail is not None
    assert "Welcome." in mail.text
    assert f"/filing/{NEW_LEI}/" in mail.text
    assert text(browser.get(f"/filing/{NEW_LEI}/record/"))
    assert "the institution Added" in text(browser.get(f"/filing/{NEW_LEI}/record/"))
    events = set(TrailEntry.objects.filter(lei=NEW_LEI).values_list("event", flat=True))
    assert {
        AuditEvent.RECORD_ADDED,
        AuditEvent.MEMBERSHIP_ADDED,
        AuditEvent.PROPOSAL_ACCEPTED,
    } <= events
    assert browser.post(f"/filing/{NEW_LEI}/2024/").status_code == 303


def test_later_years_with_periods_get_a_record_too(
    operator: Client, registration: RecordProposal
) -> None:
    make.period(2025, opens=date(2026, 1, 1), timely_until=date(2026, 3, 2))
    answer_in_admin(operator, registration, "accept")
    assert set(Institution.objects.values_list("activity_year", flat=True)) == {2024, 2025}
    assert Filing.objects.count() == 3


def test_a_last_day_that_the_person_had_is_gone(
    operator: Client, nia: User, registration: RecordProposal
) -> None:
    make.member(nia, NEW_LEI, until=date(2040, 12, 31), source="hand")
    answer_in_admin(operator, registration, "accept_with_administrator")
    assert Membership.objects.get().until is None
    assert Right.MANAGE in access.find_rights(caller_of(nia), NEW_LEI)


@pytest.mark.parametrize("action", ["accept", "accept_with_administrator"])
def test_who_acts_for_it_already_keeps_the_roles(
    operator: Client, nia: User, registration: RecordProposal, action: str
) -> None:
    make.institution(NEW_LEI, year=2020, name="Earlier Bank")
    boss = make.member(nia, NEW_LEI, is_signer=False, administrator=True)
    page = operator.get(reverse(f"admin:filing_recordproposal_{action}"), {"pk": registration.pk})
    assert "nia acts for it already, and stays administrator and preparer." in page.text
    answer_in_admin(operator, registration, action)
    registration.refresh_from_db()
    assert registration.state == "accepted"
    assert Membership.objects.get().administrator_since == boss.administrator_since
    rights = access.find_rights(caller_of(nia), NEW_LEI)
    assert Right.MANAGE in rights
    assert Right.SIGN not in rights


def test_a_preparer_who_registers_it_again_becomes_administrator_and_no_signer(
    operator: Client, nia: User, registration: RecordProposal
) -> None:
    make.institution(NEW_LEI, year=2020, name="Earlier Bank")
    make.member(nia, NEW_LEI, is_signer=False)
    answer_in_admin(operator, registration, "accept_with_administrator")
    rights = access.find_rights(caller_of(nia), NEW_LEI)
    assert Right.MANAGE in rights
    assert Right.SIGN not in rights


def test_staff_read_that_they_give_an_ended_right_again(
    operator: Client, nia: User, registration: RecordProposal
) -> None:
    EndedRight.objects.create(user=nia, lei=NEW_LEI, ended_by="omar", reason="She left.")
    page = reverse("admin:filing_recordproposal_accept")
    preview = operator.get(page, {"pk": registration.pk}).text
    assert "nia can prepare and sign, again." in preview
    answer_in_admin(operator, registration, "accept")
    assert Right.SIGN in access.find_rights(caller_of(nia), NEW_LEI)


@pytest.mark.parametrize("is_first", [True, False])
def test_an_lei_that_has_ended_is_not_registered(
    browser: Client, operator: Client, periods: list[FilingPeriod], is_first: bool
) -> None:
    make.institution(NEW_LEI, year=2022, name="Old Bank")
    closing = EventDraft(InstitutionEvent.Kind.CLOSING, NEW_LEI, date(2022, 5, 15))
    if is_first:
        record_event(closing, by=SERVICE, reason="It closed.")
        assert "closed on May 15, 2022" in text(browser.post(REGISTER, NEW), 400)
        return
    assert browser.post(REGISTER, NEW).status_code == 303
    record_event(closing, by=SERVICE, reason="It closed.")
    answer = answer_in_admin(operator, RecordProposal.objects.get(), "accept")
    assert "closed on May 15, 2022" in answer.text
    assert not Filing.objects.exists()


def test_staff_correct_it(operator: Client, nia: User, registration: RecordProposal) -> None:
    corrected = correct_in_admin(
        operator, registration, name="New Bank, N.A.", makes_administrator="on"
    )
    assert corrected.status_code == 302
    assert Institution.objects.get().name == "New Bank, N.A."
    registration.refresh_from_db()
    assert registration.state == "changed"
    assert Right.MANAGE in access.find_rights(caller_of(nia), NEW_LEI)


def test_one_that_came_into_the_panel_meanwhile_is_not_added(
    operator: Client, registration: RecordProposal
) -> None:
    make.institution(NEW_LEI, name="By import")
    assert "already" in answer_in_admin(operator, registration, "accept").text
    assert Institution.objects.get().name == "By import"
    assert not Membership.objects.exists()


def test_one_whose_year_closed_meanwhile_is_not_added(
    operator: Client, registration: RecordProposal
) -> None:
    close_annual_period()
    assert "closed meanwhile" in answer_in_admin(operator, registration, "accept").text
    assert not Institution.objects.exists()


def test_a_disabled_account_gets_no_right(
    operator: Client, nia: User, registration: RecordProposal
) -> None:
    User.objects.filter(pk=nia.pk).update(is_active=False)
    refused = answer_in_admin(operator, registration, "accept_with_administrator")
    assert "disabled" in refused.text
    answer_in_admin(operator, registration, "accept")
    assert Institution.objects.exists()
    assert not Membership.objects.exists()


def test_no_one_registers_an_institution_for_themselves(periods: list[FilingPeriod]) -> None:
    olga = add_staff("olga")
    Identity.objects.update(email_verified=True)
    assert make.browser(olga).post(REGISTER, NEW).status_code == 303
    registration = RecordProposal.objects.get()
    assert "another operator" in answer_in_admin(make.browser(olga), registration, "accept").text
    assert not Institution.objects.exists()
    assert not Membership.objects.exists()
    assert TrailEntry.objects.filter(event=AuditEvent.ACCESS_REFUSED).exists()


def test_the_list_of_leis_is_told_and_refuses_nothing(
    browser: Client, operator: Client, tmp_path: Path
) -> None:
    def load_list(*rows: Row) -> None:
        load_lei_list(write_lei_file(tmp_path / "list.csv", *rows), by=SERVICE)

    load_list(make_row(NEW_LEI, "New Bank Inc", registration="LAPSED"))
    page = text(browser.post(REGISTER, NEW, follow=True))
    assert "lapsed" in page
    registration = RecordProposal.objects.get()
    detail = reverse("admin:filing_recordproposal_change", args=[registration.pk])
    shown = operator.get(detail).text
    assert "Check this" in shown
    assert "New Bank Inc" in shown
    load_list(make_row(NEW_LEI, "New Bank Inc"))
    assert "Check this" not in operator.get(detail).text
    load_list(make_row("5299000000000000AA11"))
    assert "does not have this LEI" in operator.get(detail).text


@pytest.mark.django_db(transaction=True)
def test_two_people_register_it_at_once(periods: list[FilingPeriod]) -> None:
    users = [add_member(name, domain="new.example") for name in ("nia", "noa")]
    values = {name: NEW[name] for name in proposals.OF_NEW} | {"quarterly_filer": True}

    def register_once() -> bool:
        user = users.pop()
        try:
            proposals.propose_institution(
                NEW_LEI, 2024, values, reason="New.", by=caller_of(user), user=user
            )
        except proposals.AlreadyExists:
            return False
        return True

    assert sum(call_at_once(register_once, 2)) == 1
    assert RecordProposal.objects.count() == Case.objects.count() == Mail.objects.count() == 1
