"""A new LEI: what is still due moves, and people keep their rights."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from filing import access, day_hours
from filing.access import SERVICE, Caller
from filing.errors import Forbidden, NotReady
from filing.lar.years import Period
from filing.models import (
    AccessRequest,
    DeadlineExtension,
    EndedRight,
    Filing,
    FilingPeriod,
    Institution,
    LegalHold,
    Membership,
    PersonalToken,
    Webhook,
)
from filing.panel import proposals
from filing.people import invitations, memberships, personal_tokens, users
from filing.people.invitations import Roles
from filing.periods.filings import start_filing
from filing.seasons import cancellations
from filing.statuses import FilingStatus
from filing.submissions import overview
from filing.webhooks import endpoints
from tests import make
from tests.filing.lives.recorded import (
    BANK,
    NEW,
    OTHER,
    preview,
    record,
    refusal,
    take_back,
    texts_of,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_up_leis")]
CHANGE = {"other_lei": NEW.lower(), "effective_on": "2025-05-01"}
NOT_STARTED, CANCELLED = FilingStatus.NOT_STARTED, FilingStatus.CANCELLED


@pytest.fixture
def started(filings: dict[str, Filing]) -> dict[str, Filing]:
    """Let the filing of 2024 be signed, and that of the first quarter of 2025 be started."""
    make.change(filings["2024"], status=FilingStatus.COMPLETED)
    make.change(filings["2025-Q1"], status=FilingStatus.IN_PROGRESS)
    make.submission(filings["2025-Q1"])
    return filings


def statuses(lei: str) -> dict[str, FilingStatus]:
    rows = Filing.objects.filter(institution__lei=lei).select_related("period")
    return {str(filing.period): FilingStatus(filing.status) for filing in rows}


def owed(lei: str) -> set[str]:
    """Return the periods in which an institution files, as its pages list them."""
    dues = overview.find_due_filings([lei])
    return {str(due.period) for due in dues if not due.is_cancelled}


def test_what_is_not_started_moves_and_the_rest_stays(
    operator: Client, started: dict[str, Filing]
) -> None:
    record(operator, BANK, "lei", **CHANGE)
    assert statuses(BANK) == {
        "2024-Q1": NOT_STARTED,  # it is closed
        "2024": FilingStatus.COMPLETED,
        "2025-Q1": FilingStatus.IN_PROGRESS,
        "2025-Q2": CANCELLED,
        "2025-Q3": CANCELLED,
        "2025": CANCELLED,
    }
    moved = {"2025-Q2", "2025-Q3", "2025"}
    assert statuses(NEW) == dict.fromkeys(moved, NOT_STARTED)
    assert owed(NEW) == moved
    (new,) = Institution.objects.filter(lei=NEW)
    assert (new.activity_year, new.name, new.tax_id) == (2025, "Prairie Bank", "12-3456789")


@pytest.mark.servers
def test_people_tokens_and_webhooks_go_along(
    operator: Client, started: dict[str, Filing], ann: User
) -> None:
    by = access.caller_of(ann)
    Membership.objects.filter(user=ann).update(is_signer=False)
    _, token = personal_tokens.create_token(ann, name="batch", leis=[BANK], days=9, by=by)
    endpoints.add_webhook(BANK, "https://hooks.prairie.example/hmda", by=by)
    event = record(operator, BANK, "lei", **CHANGE)
    member = Membership.objects.get(user=ann, lei=NEW)
    assert (member.is_preparer, member.is_signer) == (True, False)
    token.refresh_from_db()
    assert token.leis == sorted([BANK, NEW])
    assert Webhook.objects.filter(lei=NEW, deleted_at=None).count() == 1
    client = make.browser(ann)
    for lei in (BANK, NEW):
        assert client.get(reverse("filing-institution", args=[lei])).status_code == 200
    take_back(operator, event)
    assert not Membership.objects.filter(user=ann, lei=NEW).exists()
    assert PersonalToken.objects.get(pk=token.pk).leis == [BANK]
    assert not Webhook.objects.filter(lei=NEW, deleted_at=None).exists()
    assert Webhook.objects.filter(lei=BANK, deleted_at=None).exists()


def test_an_ended_right_stays_ended(
    operator: Client, started: dict[str, Filing], ann: User
) -> None:
    EndedRight.objects.create(user=ann, lei=NEW, ended_by="eve", reason="Left.")
    record(operator, BANK, "lei", **CHANGE)
    assert not Membership.objects.filter(user=ann, lei=NEW).exists()


def test_what_was_ended_under_the_old_lei_stays_ended(
    operator: Client, started: dict[str, Filing], ann: User
) -> None:
    by = access.caller_of(make.verify(ann))
    memberships.end_right(Membership.objects.get(user=ann), by=SERVICE, reason="Left.")
    event = record(operator, BANK, "lei", **CHANGE)
    with pytest.raises(Forbidden, match="help desk"):
        users.confirm_institutions(ann, [NEW], by=by)
    assert not access.find_rights(by, NEW)
    take_back(operator, event)
    assert set(access.find_ended_rights().values_list("lei", flat=True)) == {BANK}


def test_what_waits_under_the_old_lei_is_named(
    operator: Client, started: dict[str, Filing], ann: User
) -> None:
    by = access.caller_of(ann)
    waiting = {"Invitations", "Requests for access", "Record proposals"}
    assert not waiting & texts_of(preview(operator, BANK, "lei", **CHANGE), "Not changed").keys()
    Membership.objects.filter(user=ann).update(administrator_since=timezone.now())
    invitations.invite_person("ida@prairie.example", Roles(is_preparer=True), by=by, lei=BANK)
    AccessRequest.objects.create(user=User.objects.create_user("joe"), lei=BANK)
    proposals.propose_change(BANK, 2025, {"city": "Pella"}, reason="We moved.", by=by, user=ann)
    kept = texts_of(preview(operator, BANK, "lei", **CHANGE), "Not changed")
    for name in waiting:
        assert kept[name][0].startswith("1 ")
    assert NEW in kept["Invitations"][0]


@pytest.mark.servers
def test_an_extension_goes_along(operator: Client, started: dict[str, Filing]) -> None:
    today = day_hours.today()
    days = {"timely_until": today - timedelta(days=30), "closes": today - timedelta(days=2)}
    make.change(started["2025"].period, **days)
    last = today + timedelta(days=90)
    extension = {"timely_until": last.isoformat(), "closes": last.isoformat(), "why": "Storm"}
    record(operator, BANK, "extension", periods=["2025"], **extension)
    event = record(operator, BANK, "lei", **CHANGE)
    moved = Filing.objects.get(institution__lei=NEW, period__year=2025, period__quarter="")
    assert (moved.window.timely_until, moved.window.closes) == (last, last)
    assert "Taken back" in take_back(operator, event)
    extended = DeadlineExtension.objects.filter(is_active=True).values_list("lei", flat=True)
    assert list(extended) == [BANK]


def test_what_staff_decided_stays(operator: Client, started: dict[str, Filing]) -> None:
    cancellations.cancel_filing(started["2025-Q2"], by=SERVICE, reason="Below the threshold.")
    cancellations.cancel_filing(started["2025-Q3"], by=SERVICE, reason="A mistake.")
    cancellations.reinstate_filing(started["2025-Q3"], by=SERVICE, reason="It was one.")
    report = preview(operator, BANK, "lei", **CHANGE)
    kept = texts_of(report, "Not changed")
    assert "stays canceled" in kept[f"{BANK}-2025-Q2"][0] if f"{BANK}-2025-Q2" in kept else True
    record(operator, BANK, "lei", **CHANGE)
    assert statuses(BANK)["2025-Q3"] == NOT_STARTED
    assert set(statuses(NEW)) == {"2025"}
    assert owed(NEW) == {"2025"}


def test_nothing_new_is_started_under_the_old_lei(
    operator: Client, bank: Institution, other: Institution, periods: dict[str, FilingPeriod]
) -> None:
    record(operator, BANK, "lei", **CHANGE)
    by = Caller(id="1", username="ann", leis=frozenset({BANK, NEW}))
    with pytest.raises(NotReady, match=NEW):
        start_filing(lei=BANK, period=Period(2025), by=by)
    assert start_filing(lei=NEW, period=Period(2025), by=by)


@pytest.mark.servers
@pytest.mark.parametrize("is_in_panel", [False, True])
def test_rights_given_since_for_an_lei_that_is_unknown_again_end(
    operator: Client, started: dict[str, Filing], ann: User, is_in_panel: bool
) -> None:
    if is_in_panel:
        make.institution(NEW, name="Prairie (new)")
    Membership.objects.filter(user=ann).update(administrator_since=timezone.now())
    event = record(operator, BANK, "lei", **CHANGE)
    by = access.caller_of(ann)
    ida = make.user("ida", email="ida@prairie.example", is_verified=True)
    invitation = invitations.invite_person(ida.email, Roles(is_signer=True), by=by, lei=NEW)
    invitations.accept_invitation(invitation, user=ida, by=access.caller_of(ida))
    invitations.invite_person("joe@prairie.example", Roles(), by=by, lei=NEW)
    endpoints.add_webhook(NEW, "https://hooks.prairie.example/hmda", by=by)
    assert "Taken back" in take_back(operator, event)
    assert bool(access.find_rights(access.caller_of(ida), NEW)) is is_in_panel
    assert not invitations.find_open_invitations(lei=NEW).exists()  # of whom it was ended, too
    assert Webhook.objects.filter(lei=NEW, deleted_at=None).exists() is is_in_panel


def test_it_stays_once_something_was_filed_or_held(
    operator: Client, started: dict[str, Filing]
) -> None:
    event = record(operator, BANK, "lei", **CHANGE)
    hold = LegalHold.objects.create(lei=NEW, reason="Matter 7.")
    assert "hold" in take_back(operator, event)
    make.change(hold, lifted_at=timezone.now())
    make.submission(Filing.objects.get(institution__lei=NEW, period__quarter=""))
    assert "created since" in take_back(operator, event)
    assert statuses(NEW)


def test_a_record_without_filings_is_merged(
    operator: Client, bank: Institution, periods: dict[str, FilingPeriod]
) -> None:
    make.institution(NEW, year=2025, name="Prairie (new)")
    report = preview(operator, BANK, "lei", **CHANGE)
    assert any(
        "merged" in text for texts in texts_of(report, "Not changed").values() for text in texts
    )
    record(operator, BANK, "lei", **CHANGE)
    assert Institution.objects.get(lei=NEW, activity_year=2025).name == "Prairie (new)"


def test_refusals_say_what_to_do_instead(
    operator: Client, started: dict[str, Filing], settings
) -> None:
    tomorrow = (timezone.now() + timedelta(days=3)).date().isoformat()
    assert "merger instead" in refusal(operator, BANK, "lei", **{**CHANGE, "other_lei": OTHER})
    assert "another one" in refusal(operator, BANK, "lei", **{**CHANGE, "other_lei": BANK})
    assert "future" in refusal(operator, BANK, "lei", **{**CHANGE, "effective_on": tomorrow})
    record(operator, BANK, "lei", **CHANGE)
    assert "has ended" in refusal(operator, BANK, "closing", effective_on="2025-09-01")
    settings.TEST_LEIS = False
    body = {**CHANGE, "other_lei": "549300WRONGDIGITS001"}
    assert "check digits" in refusal(operator, OTHER, "lei", **body)
