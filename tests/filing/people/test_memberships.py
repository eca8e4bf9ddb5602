"""Memberships by email domain end with their reason: at once, with an audit entry and an email."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from filing import access, tasks
from filing.jobs import loop
from filing.models import (
    AuditEvent,
    FilingPeriod,
    Identity,
    Institution,
    Job,
    Mail,
    Membership,
    Submission,
    TrailEntry,
)
from filing.panel import panel_imports
from filing.people import memberships, personal_tokens
from filing.people import users as people
from filing.statuses import Status
from tests import make
from tests.at_once import call_at_once
from tests.conftest import LEI
from tests.filing.admin.previewing import confirm
from tests.filing.mail_server import MailServer, reach, serving

pytestmark = pytest.mark.django_db
SIGN = f"/v2/filing/institutions/{LEI}/filings/2024/submissions/1/sign"
DOMAIN = dict(Membership.SOURCES)["domain"]
NOT_LISTED = "The 2024 panel does not list bank.example as an email domain of the institution."


@pytest.fixture
def ann(institution: Institution) -> User:
    """A user who has confirmed the institution of their email domain."""
    user = make.user("ann", is_verified=True)
    people.confirm_institutions(user, [LEI], by=access.caller_of(user))
    return user


@pytest.fixture
def ready(ann: User, open_period: FilingPeriod, filing: Any) -> Submission:
    """A submission that can be signed."""
    facts = {"file_name": "lar.txt", "lines": 6, "sha256": "ab" * 32}
    return make.at(make.begun(filing, by=access.caller_of(ann)), Status.VERIFIED, **facts)


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with serving() as running:
        reach(settings, running.port)
        yield running


def sign(program: Client) -> int:
    answer = program.post(SIGN, {"signed": True}, content_type="application/json")
    return int(answer.status_code)


def removals() -> list[tuple[str, str, str, str]]:
    found = TrailEntry.objects.filter(event=AuditEvent.MEMBERSHIP_REMOVED).order_by("pk")
    return list(found.values_list("actor_username", "lei", "about", "reason"))


def told() -> list[str]:
    return list(Mail.objects.filter(kind="rights").order_by("to").values_list("to", flat=True))


def deliver() -> None:
    """Let a worker send what waits."""
    for job in Job.objects.filter(stage="mail", state="queued"):
        loop.run_job(job.pk)


WAYS = [
    lambda: User.objects.update(email="ann@other.example"),
    lambda: User.objects.update(email=""),
    lambda: Identity.objects.update(email_verified=False),
    lambda: Institution.objects.update(email_domains=["other.example"]),
    lambda: Institution.objects.update(lei="529900TESTBANK000099"),
    lambda: User.objects.update(is_active=False),
]


@pytest.mark.parametrize("leave", WAYS)
def test_who_left_the_bank_does_not_sign_with_an_old_token(
    ann: User, ready: Submission, leave: Callable[[], Any]
) -> None:
    program = make.program(ann)
    text, _ = personal_tokens.create_token(
        ann, name="upload", leis=[LEI], days=1, by=access.caller_of(ann)
    )
    own = Client(headers={"authorization": f"Bearer {text}"})
    assert [each.get(SIGN).status_code for each in (program, own)] == [200, 200]
    leave()
    # An account that is disabled opens nothing at all.
    refused = {403} if User.objects.get().is_active else {401}
    assert {sign(program), sign(own)} == refused
    assert Submission.objects.get().status == Status.VERIFIED


def test_a_claim_of_another_provider_holds_and_its_disabled_account_does_not(
    ann: User, settings: Any, ready: Submission
) -> None:
    settings.EMBEDDED_PROVIDER = False
    program = make.program("ann", sub=Identity.objects.get().subject, leis=[LEI])
    Membership.objects.all().delete()
    assert program.get(SIGN).status_code == 200
    assert Identity.objects.get().used_at is not None
    User.objects.update(is_active=False)
    assert sign(program) == 401
    assert TrailEntry.objects.filter(event=AuditEvent.TOKEN_REFUSED).count() == 1


def test_the_newest_record_of_the_institution_counts(ann: User) -> None:
    make.institution(year=2023, email_domains=[])
    assert memberships.check_memberships() == 0
    make.institution(year=2025, email_domains=["new.example"])
    assert memberships.check_memberships() == 1
    assert "The 2025 panel does not list bank.example" in removals()[0][3]


@pytest.mark.servers
def test_the_nightly_check_ends_it_and_tells_the_user(
    ann: User, server: MailServer, settings: Any
) -> None:
    settings.CONTACT_EMAIL = "help@service.example"
    Institution.objects.update(email_domains=["other.example"])
    Membership.objects.create(user=ann, lei="529900TESTBANK000099", source="token")
    assert "filing.check_rights" in {
        each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()
    }
    tasks.check_rights()
    assert set(ann.memberships.values_list("source", flat=True)) == {"token"}
    assert removals() == [("", LEI, f"ann ({DOMAIN})", NOT_LISTED)]
    deliver()
    (mail,) = server.mails
    assert mail["To"] == "ann@bank.example"
    assert mail["Subject"] == "Your right to file HMDA data has ended for Test Bank"
    text = mail.get_content()
    for words in (f"- Test Bank (LEI {LEI})", NOT_LISTED, "/filing/institutions/", "help@service"):
        assert words in text
    tasks.check_rights()
    assert len(removals()) == len(told()) == 1


def test_a_changed_address_is_told_to_both(ann: User, server: MailServer) -> None:
    User.objects.update(email="ann@other.example")
    memberships.check_memberships()
    deliver()
    first, second = sorted(server.mails, key=lambda mail: mail["To"])
    assert [first["To"], second["To"]] == ["ann@bank.example", "ann@other.example"]
    for mail in (first, second):
        assert "The email address of the account changed." in mail.get_content()
    assert "contact the help desk at once" in first.get_content()
    assert "other.example" not in first.get_content()
    assert "Choose your institutions" in second.get_content()


def test_a_disabled_account_gets_no_email(ann: User) -> None:
    User.objects.update(is_active=False)
    Institution.objects.update(email_domains=[])
    assert memberships.check_memberships() == 1
    assert told() == []


@pytest.mark.servers
def test_an_import_of_the_panel_ends_it(ann: User, tmp_path: Path) -> None:
    path = tmp_path / "panel.csv"
    header = "activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer"
    path.write_text(f"{header}\n2024,{LEI},Test Bank,12-3456789,9,other.example,true\n")
    panel_imports.load_panel(path, dry_run=True)
    assert ann.memberships.exists()
    panel_imports.load_panel(path)
    assert removals() == [("", LEI, f"ann ({DOMAIN})", NOT_LISTED)]
    assert told() == ["ann@bank.example"]


def test_an_institution_that_leaves_the_panel_takes_it_along(
    ann: User, institution: Institution, admin_client: Client
) -> None:
    page = reverse("admin:filing_institution_delete", args=[institution.pk])
    confirm(admin_client, admin_client.get(page), reason="Merged.")
    reason = "The institution is no longer in the panel."
    assert removals() == [("admin", LEI, f"ann ({DOMAIN})", reason)]
    assert told() == ["ann@bank.example"]


def test_staff_check_memberships_now(ann: User, admin_client: Client) -> None:
    Institution.objects.update(email_domains=[])
    asked = {"action": "check_now", "_selected_action": [ann.memberships.get().pk]}
    page = reverse("admin:filing_membership_changelist")
    answer = admin_client.post(page, asked, follow=True)
    assert "1 memberships checked, 1 ended." in answer.content.decode()
    assert removals() == [("admin", LEI, f"ann ({DOMAIN})", NOT_LISTED)]


def test_a_command_checks_now(ann: User) -> None:
    Institution.objects.update(email_domains=[])
    Membership.objects.create(user=ann, lei="529900TESTBANK000099")
    said = StringIO()
    call_command("check_rights", stdout=said)
    assert said.getvalue().splitlines() == [
        "2 memberships checked: 1 ended.",
        "Unused accounts: 0 users warned, 0 disabled.",
    ]


@pytest.mark.servers
def test_a_membership_that_holds_again_meanwhile_stays(ann: User) -> None:
    Institution.objects.update(email_domains=[])
    key = ann.memberships.get().pk
    Institution.objects.update(email_domains=["bank.example"])
    assert memberships._end([key], by=access.SERVICE) == 0
    assert ann.memberships.exists()


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_two_checks_at_a_time_end_it_once(ann: User) -> None:
    Institution.objects.update(email_domains=[])
    assert sum(call_at_once(memberships.check_memberships, 2)) == 1
    assert len(removals()) == len(told()) == 1
