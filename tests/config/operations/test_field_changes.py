"""The log of what staff change: each field, who changed it, from where, in which request."""

from __future__ import annotations

from typing import Any

import pytest
from auditlog.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from oauth2_provider.models import Application

from filing.access import caller_of
from filing.models import Filing, Institution
from filing.people import personal_tokens
from tests import make
from tests.conftest import LEI
from tests.filing.admin.change_forms import loaded
from tests.filing.admin.institution_form import typed

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator() -> User:
    return make.staff("operator", email="op@service.example")


@pytest.fixture
def browser(operator: User) -> Client:
    return make.browser(operator)


def save_institution(browser: Client, institution: Institution, **changes: str) -> Any:
    """Open the form of an institution, change it, and save."""
    page = reverse("admin:filing_institution_change", args=[institution.pk])
    return browser.post(page, typed(institution, **changes) | loaded(browser, page))


def test_an_edit_in_the_admin_is_kept_field_by_field(
    browser: Client, operator: User, institution: Institution
) -> None:
    LogEntry.objects.all().delete()
    answer = save_institution(browser, institution, name="New Bank", city="Springfield")
    entry = LogEntry.objects.get()
    assert entry.changes == {
        "name": ["Test Bank", "New Bank"],
        "city": ["", "Springfield"],
        "quarterly_filer": ["True", "False"],
        "email_domains": ['["bank.example"]', '["other.example", "loans.other.example"]'],
    }
    assert (entry.actor, entry.actor_email) == (operator, "op@service.example")
    assert entry.remote_addr == "127.0.0.1"
    assert entry.cid == answer["X-Request-ID"]
    assert entry.object_repr == "New Bank (529900TESTBANK000042, 2024)"


def test_no_secret_is_kept() -> None:
    user = User.objects.create_user("ann", "ann@bank.example", "a long enough pass phrase")
    user.set_password("another long pass phrase")
    user.save()
    make.member(user)
    text, token = personal_tokens.create_token(
        user, name="x", leis=[LEI], days=1, by=caller_of(user)
    )
    client = Application.objects.create(
        client_id="c", client_type="confidential", client_secret="s3cret-of-the-client"
    )
    kept = "\n".join(str(entry.changes) for entry in LogEntry.objects.all())
    assert "ann@bank.example" in kept
    for secret in (user.password, token.sha256, text, client.client_secret, "s3cret"):
        assert secret not in kept


def test_what_a_caller_changes_by_token_names_the_caller(
    institution: Institution, open_period: Any
) -> None:
    program = make.program(leis=[LEI])
    answer = program.post(f"/v2/filing/institutions/{LEI}/filings/2024")
    assert answer.status_code == 200
    entry = LogEntry.objects.get_for_object(Filing.objects.get()).get()
    assert (entry.actor, entry.actor_email) == (None, "ann@bank.example")
    assert entry.additional_data["subject"] == "ann-1"
    assert entry.cid == answer["X-Request-ID"]


def test_one_request_does_not_sign_the_changes_of_the_next(
    browser: Client, institution: Institution
) -> None:
    save_institution(browser, institution, name="New Bank")
    institution.name = "Newer Bank"
    institution.save()
    entry = LogEntry.objects.latest("pk")
    assert entry.changes["name"] == ["New Bank", "Newer Bank"]
    assert entry.actor is None


@pytest.mark.parametrize(("role", "is_link"), [("help desk", False), ("administrator", True)])
def test_an_entry_leads_only_to_pages_that_its_reader_may_open(role: str, is_link: bool) -> None:
    browser = make.browser(make.staff(role))
    client = Application.objects.create(name="A client", client_id="c")
    entry = LogEntry.objects.get_for_object(client).get()
    target = reverse("admin:oauth2_provider_application_change", args=[client.pk])
    for page in (
        reverse("admin:auditlog_logentry_changelist"),
        reverse("admin:auditlog_logentry_change", args=[entry.pk]),
    ):
        seen = browser.get(page).content.decode()
        assert "A client" in seen
        assert (f'href="{target}"' in seen) is is_link, page
    assert browser.get(target).status_code == (200 if is_link else 403)
