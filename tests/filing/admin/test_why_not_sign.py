"""Why a person cannot sign: the help desk reads every condition, with the reason and the remedy."""

from __future__ import annotations

import html
import re
import socket
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.config import Config
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from filing import access, submissions
from filing.access import Caller
from filing.demo.loading import load_demo_census
from filing.jobs import loop
from filing.models import (
    Account,
    Delegation,
    DutyRelease,
    EndedRight,
    Filing,
    FilingPeriod,
    Identity,
    Institution,
    InstitutionEvent,
    Membership,
    Organization,
    OrganizationMember,
    Signature,
    Submission,
)
from filing.people import invitations, personal_tokens
from filing.people.invitations import Roles
from filing.statuses import FilingStatus
from filing.submissions import removed_files
from tests import make
from tests.conftest import LEI
from tests.filing.pages.steps import sign, signed_in
from tests.filing.receipts.signing import to_be_signed
from tests.filing.submissions.uploading import register, upload
from tests.tampering import forget_filings

pytestmark = pytest.mark.django_db

PAGE = reverse("admin:filing_membership_why_not_sign")
ACCOUNT = "Is the account enabled?"
EMAIL = "Is the email address verified?"
ENDED = "Has no one ended the right?"
RIGHT = "May the person sign for the institution?"
SITE = "Does this site take signatures?"
OPEN = "Is the filing period open for the institution?"
EXPECTED = "Is the filing expected?"
KEPT = "Is the submission kept?"
FILES = "Are its files here?"
STORAGE = "Can the service reach its files?"
LATEST = "Is no later submission signed?"
STATUS = "Is it checked, with its edits verified?"
OTHER = "Has another person prepared it, where the site requires two?"


@pytest.fixture
def eve(submission: Submission) -> User:
    """A person who may sign, but for what a test changes."""
    return make.user("eve", lei=LEI, is_verified=True)


@pytest.fixture
def verified(submission: Submission, filer: Caller, tmp_path: Path) -> Submission:
    load_demo_census(2024, by="test")
    return checked(submission, filer, tmp_path)


def checked(submission: Submission, filer: Caller, tmp_path: Path, **fails: int) -> Submission:
    loop.run_job(upload(submission, register(**fails), filer, tmp_path).pk)
    submission.refresh_from_db()
    return submission


def ask(desk: Client, **sent: Any) -> dict[str, tuple[str, str]]:
    """Return, by condition, whether it holds and the rest of its row."""
    answer = desk.get(PAGE, sent)
    assert answer.status_code == 200, answer.content
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td>(.*?)</tr>', answer.text)
    texts = {html.unescape(name): (holds, html.unescape(rest)) for name, holds, rest in rows}
    fails = [name for name, (holds, _) in texts.items() if holds == "no"]
    assert ("<strong>Cannot sign.</strong>" in answer.text) is bool(fails)
    assert ("<strong>Can sign.</strong>" in answer.text) is not bool(fails)
    return texts


def obstacles(desk: Client, submission: Submission | None = None, **sent: Any) -> dict[str, str]:
    """Return the conditions that do not hold for eve, each with its row."""
    values = {"person": "eve", "lei": LEI, **({"submission": submission} if submission else {})}
    texts = ask(desk, **values | sent)
    return {name: rest for name, (holds, rest) in texts.items() if holds == "no"}


def _close(period: FilingPeriod) -> None:
    FilingPeriod.objects.update(timely_until=date(2020, 1, 2), closes=date(2020, 1, 3))


def _delay(period: FilingPeriod) -> None:
    day = timezone.localdate() + timedelta(days=9)
    FilingPeriod.objects.update(opens=day, timely_until=day, closes=day)


def _cancel(period: FilingPeriod) -> None:
    Filing.objects.update(status=FilingStatus.CANCELLED)


def _close_institution(period: FilingPeriod) -> None:
    forget_filings()
    event = InstitutionEvent.objects.create(
        kind=InstitutionEvent.Kind.CLOSING, lei=LEI, effective_on=date(2023, 6, 1), reason="Closed."
    )
    DutyRelease.objects.create(event=event, lei=LEI, is_quarterly=False, first_day=date(2023, 1, 1))


def _file_annually(period: FilingPeriod) -> None:
    FilingPeriod.objects.update(quarter="Q1")
    Institution.objects.update(quarterly_filer=False)


def _leave_panel(period: FilingPeriod) -> None:
    forget_filings()
    Institution.objects.update(activity_year=2023)


def _have_no_period(period: FilingPeriod) -> None:
    forget_filings()
    FilingPeriod.objects.all().delete()


@pytest.mark.parametrize(
    ("change", "failing"),
    [
        (_close, {OPEN}),
        (_delay, {OPEN}),
        (_have_no_period, {OPEN}),
        (_cancel, {EXPECTED}),
        (_close_institution, {"Is it filed under this LEI?"}),
        (_file_annually, {"Does the institution file quarterly?"}),
        (_leave_panel, {"Is the institution in the panel of the year?"}),
    ],
)
def test_a_period_is_asked_what_a_submission_of_it_is_asked(
    desk: Client,
    eve: User,
    open_period: FilingPeriod,
    change: Callable[[FilingPeriod], None],
    failing: set[str],
) -> None:
    assert not obstacles(desk, submission="2024")
    change(open_period)
    period = "2024-Q1" if change is _file_annually else "2024"
    assert obstacles(desk, submission=period).keys() == failing


def _disable(eve: User) -> None:
    User.objects.filter(pk=eve.pk).update(is_active=False)


def _never_confirm(eve: User) -> None:
    _disable(eve)
    Identity.objects.update(email_verified=False)


def _unverify(eve: User) -> None:
    Identity.objects.update(email_verified=False)
    Membership.objects.update(source="domain")


def _leave(eve: User) -> None:
    Membership.objects.all().delete()


def _end_by_staff(eve: User) -> None:
    EndedRight.objects.create(user=eve, lei=LEI, ended_by="op", reason="Left the bank.")


def _end_by_institution(eve: User) -> None:
    EndedRight.objects.create(
        user=eve, lei=LEI, ended_by="cora", reason="Moved to sales.", by_staff=False
    )


def _only_prepare(eve: User) -> None:
    Membership.objects.update(is_signer=False)


def _expire(eve: User) -> None:
    Membership.objects.update(until=timezone.localdate() - timedelta(days=2))


def _leave_unconfirmed(eve: User) -> None:
    long_ago = timezone.now() - timedelta(days=3_000)
    Membership.objects.update(added_at=long_ago)
    make.user("cora", lei=LEI, administrator_since=long_ago)


def _invite(eve: User) -> None:
    Membership.objects.all().delete()
    cora = make.user("cora", lei=LEI, administrator_since=timezone.now())
    by = access.caller_of(cora)
    invitations.invite_person(eve.email, Roles(is_signer=True), by=by, lei=LEI)


def _delegate(**facts: Any) -> Callable[[User], None]:
    def delegate(eve: User) -> None:
        Membership.objects.all().delete()
        vendor = Organization.objects.create(name="Vendor Inc", code="ORG-7K2M9Q", made_by="x")
        OrganizationMember.objects.create(organization=vendor, user=eve)
        Delegation.objects.create(organization=vendor, lei=LEI, agreed_by="cora", **facts)

    return delegate


@pytest.mark.parametrize(
    ("change", "failing", "words"),
    [
        (
            _disable,
            {ACCOUNT, RIGHT},
            ["disabled", "Enable the account.", "administrator of this service"],
        ),
        (
            _never_confirm,
            {ACCOUNT, RIGHT},
            ["not confirmed yet", "Open the link of the sign-up email", "the person"],
        ),
        (_unverify, {EMAIL, RIGHT}, ["eve@bank.example is not verified"]),
        (_leave, {RIGHT}, ["no membership", "invite the person"]),
        (_end_by_staff, {ENDED, RIGHT}, ["op ended it on", "Left the bank.", "Give the right"]),
        (_end_by_institution, {ENDED, RIGHT}, ["Moved to sales.", "Invite the person again."]),
        (_only_prepare, {RIGHT}, ["None of these gives the right to sign"]),
        (_expire, {RIGHT}, ["None of these"]),
        (_leave_unconfirmed, {RIGHT}, ["None of these"]),
        (_invite, {RIGHT}, ["no membership"]),
        (_delegate(may_sign=False), {RIGHT}, ["None of these"]),
        (_delegate(may_sign=True, periods=["2023"]), {RIGHT}, ["None of these"]),
        (_delegate(may_sign=True, ended_at=timezone.now()), {RIGHT}, ["None of these"]),
    ],
)
def test_what_a_person_lacks_is_said_with_the_remedy(
    desk: Client,
    eve: User,
    submission: Submission,
    change: Callable[[User], None],
    failing: set[str],
    words: list[str],
) -> None:
    to_be_signed(submission)
    change(eve)
    found = obstacles(desk, submission)
    assert set(found) == failing
    for text in words:
        assert text in " ".join(found.values())


@pytest.mark.parametrize(
    ("roles", "remedy"),
    [(Roles(is_signer=True), "accept"), (Roles(is_preparer=True), "as a signer")],
)
def test_an_invitation_that_waits_says_its_roles_and_whether_accepting_helps(
    desk: Client, eve: User, roles: Roles, remedy: str
) -> None:
    _invite(eve)
    cora = User.objects.get(username="cora")
    invitations.invite_person(eve.email, roles, by=access.caller_of(cora), lei=LEI)
    row = ask(desk, person="eve", lei=LEI)["Does an invitation or a request wait?"][1]
    assert f"as {roles.in_words}" in row
    assert remedy in row


def _set_password(eve: User) -> None:
    Account.objects.create(user=eve, staff_password_at=timezone.now())


def _unverify_at_vendor(eve: User) -> None:
    _delegate(may_sign=True)(eve)
    make.member(eve, LEI)
    _unverify(eve)


def _administer_with_vendor(eve: User) -> None:
    _delegate(may_sign=True)(eve)
    OrganizationMember.objects.update(is_signer=True)
    make.member(eve, LEI, is_signer=False, administrator=True)


def _sign_at_vendor(**facts: Any) -> Callable[[User], None]:
    def sign_there(eve: User) -> None:
        _delegate(may_sign=True, **facts)(eve)
        OrganizationMember.objects.update(is_signer=True)

    return sign_there


@pytest.mark.parametrize(
    "change",
    [
        *(_disable, _unverify, _leave, _end_by_staff, _end_by_institution, _only_prepare),
        *(_expire, _leave_unconfirmed, _set_password, _administer_with_vendor),
        *(_sign_at_vendor(), _sign_at_vendor(periods=["2024"]), _sign_at_vendor(periods=["2023"])),
        lambda eve: None,
        lambda eve: Membership.objects.update(until=timezone.localdate()),
        lambda eve: (_unverify_at_vendor(eve), OrganizationMember.objects.update(is_signer=True)),
    ],
)
def test_the_page_says_no_exactly_where_signing_is_refused(
    desk: Client, eve: User, submission: Submission, change: Callable[[User], Any]
) -> None:
    to_be_signed(submission)
    change(eve)
    found = obstacles(desk, submission)
    answer = sign(signed_in(eve), f"/filing/{LEI}/2024/1/")
    assert Signature.objects.exists() is not bool(found), (answer.status_code, found)


def test_a_password_that_staff_set_is_named(desk: Client, eve: User) -> None:
    _set_password(eve)
    assert "Open the link of the email" in obstacles(desk)["Can the person sign in?"]


def test_a_quarter_that_the_institution_no_longer_files_is_named(
    desk: Client, eve: User, submission: Submission
) -> None:
    Filing.objects.update(period=make.period(quarter="Q1"))
    to_be_signed(submission)
    assert not obstacles(desk, submission=f"{LEI}-2024-Q1-1")
    Institution.objects.update(quarterly_filer=False)
    found = obstacles(desk, submission=f"{LEI}-2024-Q1-1")
    assert set(found) == {"Does the institution file quarterly?"}
    sign(signed_in(eve), f"/filing/{LEI}/2024/Q1/1/")
    assert not Signature.objects.exists()


def test_the_same_file_needs_a_reason_and_is_no_obstacle(
    desk: Client, eve: User, submission: Submission, filer: Caller
) -> None:
    submissions.sign_submission(to_be_signed(submission), signed=True, by=filer)
    again = submissions.create_submission(lei=LEI, period=submission.period, by=filer)
    to_be_signed(again)
    assert not obstacles(desk, again)
    rows = ask(desk, person="eve", submission=again)
    assert "give a reason" in rows["Is it another file than the one that counts as filed?"][1]


def test_a_token_for_preparing_only_is_named_but_no_obstacle(desk: Client, eve: User) -> None:
    personal_tokens.create_token(
        eve, name="nightly", leis=[LEI], days=3, by=access.caller_of(eve), is_prepare_only=True
    )
    conditions = ask(desk, person="eve", lei=LEI)
    assert "nightly" in conditions["Does a program use a token that may sign?"][1]
    assert obstacles(desk) == {}


@pytest.mark.servers
def test_what_a_submission_lacks_is_said_with_the_remedy(
    desk: Client, eve: User, submission: Submission, filer: Caller, tmp_path: Path, settings: Any
) -> None:
    assert "Upload the file." in obstacles(desk, submission)[STATUS]
    load_demo_census(2024, by="test")
    checked(submission, filer, tmp_path, Q611=2)
    assert "Review and verify the edits." in obstacles(desk, submission)[STATUS]
    submission = submissions.verify_edits(
        submission, "quality", verified=True, by=access.caller_of(eve)
    )
    assert obstacles(desk, submission) == {}
    settings.SIGNER_DIFFERS = True
    assert "another person" in obstacles(desk, submission)[OTHER]
    settings.SIGNER_DIFFERS = False
    settings.SIGNING_ENABLED = False
    assert SITE in obstacles(desk, submission)
    settings.SIGNING_ENABLED = True
    Filing.objects.update(status=FilingStatus.CANCELLED)
    assert "Reinstate" in obstacles(desk, submission)[EXPECTED]
    Filing.objects.update(status=FilingStatus.IN_PROGRESS)
    before = timezone.localdate() - timedelta(days=3)
    days = {"opens": before - timedelta(days=9), "timely_until": before, "closes": before}
    FilingPeriod.objects.update(**days)
    assert "closed on" in obstacles(desk, submission)[OPEN]


def test_a_signed_and_a_discarded_submission_are_named_as_such(
    desk: Client, eve: User, verified: Submission, filer: Caller
) -> None:
    submissions.sign_submission(verified, signed=True, by=filer)
    assert "signed already" in obstacles(desk, verified)[STATUS]
    other = submissions.create_submission(lei=LEI, period=verified.period, by=filer)
    submissions.discard_submission(other, by=filer)
    assert "discarded" in obstacles(desk, other)[KEPT]


def test_an_outage_of_the_storage_is_named(
    desk: Client, eve: User, verified: Submission, settings: Any
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # nothing listens, and no one else can begin to
        s3 = {
            "BACKEND": "storages.backends.s3.S3Storage",
            "OPTIONS": {
                "bucket_name": "lar",
                "access_key": "x",
                "secret_key": "x",
                "endpoint_url": f"http://127.0.0.1:{closed.getsockname()[1]}",
                "client_config": Config(retries={"max_attempts": 0}),
            },
        }
        settings.STORAGES = {**settings.STORAGES, "default": s3}
        found = obstacles(desk, verified)
    assert set(found) == {STORAGE}
    assert "an outage" in found[STORAGE]
    assert "an operator" in found[STORAGE]


def test_a_file_that_is_gone_from_the_storage_is_named(
    desk: Client, eve: User, verified: Submission
) -> None:
    default_storage.delete(verified.raw_file)
    found = obstacles(desk, verified)
    assert set(found) == {STORAGE}
    assert "Restore the file." in found[STORAGE]


def test_removed_files_are_named(
    desk: Client, eve: User, verified: Submission, settings: Any
) -> None:
    settings.UNSIGNED_FILE_DAYS = 90
    period = FilingPeriod.objects.get(pk=verified.filing.period_id)
    long_ago = timezone.localdate() - timedelta(days=92)  # in any time zone
    FilingPeriod.objects.update(opens=long_ago, timely_until=long_ago, closes=long_ago)
    assert removed_files.remove_unneeded_files() == 1
    period.save()  # it opened again
    found = obstacles(desk, verified)
    assert set(found) == {FILES}
    assert "Upload the file again in a new submission." in found[FILES]


def test_a_later_signature_is_named(
    desk: Client, eve: User, verified: Submission, filer: Caller, tmp_path: Path
) -> None:
    later = submissions.create_submission(lei=LEI, period=verified.period, by=filer)
    checked(later, filer, tmp_path)
    submissions.sign_submission(later, signed=True, by=filer)
    found = obstacles(desk, verified)
    assert set(found) == {LATEST}
    assert later.signature.receipt.rpartition("-")[2] in found[LATEST]
    assert "Upload the file again in a new submission." in found[LATEST]


def test_what_is_not_found_is_said_at_its_field(desk: Client, eve: User) -> None:
    for sent, field in [
        ({"person": "nobody", "lei": LEI}, "person"),
        ({"person": "eve", "lei": "x"}, "lei"),
        ({"person": "eve", "submission": "x"}, "submission"),
        ({"person": "eve", "submission": f"{LEI}-2024-999"}, "submission"),
        ({"person": "eve", "submission": "2024"}, "lei"),
        ({"person": "eve", "lei": "529900OTHERBANK00017", "submission": f"{LEI}-2024-1"}, "lei"),
    ]:
        answer = desk.get(PAGE, sent)
        assert list(answer.context["form"].errors) == [field]
        assert "Can sign" not in answer.text
