"""The trail: what is done or refused leaves one entry: who, from where, in which request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from filing import access, audit, seasons
from filing.access import SERVICE, Caller
from filing.lar.years import Period
from filing.models import AuditEvent, Submission, TrailEntry
from filing.people import personal_tokens
from filing.periods import filings
from filing.statuses import Status
from tests import make
from tests.conftest import LEI

pytestmark = pytest.mark.django_db
FILING = f"/v2/filing/institutions/{LEI}/filings/2024"
ANN = {"actor_id": "8f1c", "actor_username": "ann", "actor_email": "ann@bank.example"}


def program(*leis: str) -> Client:
    return make.program("ann", sub="8f1c", leis=leis)


def told(answer: Any, **facts: str) -> None:
    """Hold that the request has left this entry and no other, but for that of the first key."""
    entry = TrailEntry.objects.exclude(event=AuditEvent.RECEIPT_KEY_ADDED).values().get()
    wanted = {"address": "127.0.0.1", "request_id": answer["X-Request-ID"], **facts}
    assert {name: entry[name] for name in wanted} == wanted
    assert abs((timezone.now() - entry["at"]).total_seconds()) < 60


def test_a_call_without_a_token_is_refused_and_not_worth_an_entry() -> None:
    assert Client().get(FILING).status_code == 401
    assert not TrailEntry.objects.exists()


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_call_for_another_institution(method: str) -> None:
    answer = getattr(program("529900OTHERBANK00017"), method)(FILING)
    assert answer.status_code == 403
    about = f"{method.upper()} {FILING}"
    told(answer, event=AuditEvent.ACCESS_REFUSED, lei=LEI, about=about, **ANN)


def test_a_season_that_is_opened_by_command(institution: Any) -> None:
    call_command("open_season", "2024", "--force", "--dry-run")
    assert not TrailEntry.objects.exists()
    call_command("open_season", "2024", "--force")
    entry = TrailEntry.objects.get()
    assert (entry.event, entry.about) == (AuditEvent.SEASON_OPENED, "2024")
    assert (entry.actor_id, entry.address, entry.request_id) == ("", "", "")


def test_a_token_that_is_issued_by_command(
    institution: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("token", "--lei", LEI, "--email", "ann@bank.example")
    entry = TrailEntry.objects.get()
    assert (entry.event, entry.actor_email) == (AuditEvent.TOKEN_ISSUED, "ann@bank.example")
    assert capsys.readouterr().out.strip() not in str(TrailEntry.objects.values().get())


def test_a_signature_that_completes_a_filing(submission: Submission) -> None:
    Submission.objects.update(status=Status.VERIFIED)
    page, body = f"{FILING}/submissions/1/sign", {"signed": True}
    answer = program(LEI).post(page, body, content_type="application/json")
    assert answer.status_code == 200
    told(answer, event=AuditEvent.FILING_COMPLETED, lei=LEI, about=f"{LEI}-2024", **ANN)
    change = submission.changes.values().latest("id")
    assert (change["event"], change["request_id"]) == ("SIGNED", answer["X-Request-ID"])


def test_what_fails_is_not_told(institution: Any, django_user_model: Any) -> None:
    user = django_user_model.objects.create(username="ann")
    by = access.caller_of(user)
    for act in (
        lambda: personal_tokens.create_token(user, name="x", leis=[LEI], days=1, by=by),
        lambda: filings.start_filing(lei="529900NOSUCHBANK0000", period=Period(2024), by=by),
        lambda: seasons.open_season(1999, by=SERVICE),
    ):
        with pytest.raises(Exception, match=r".+"):
            act()
    assert not TrailEntry.objects.exists()


def test_where_a_request_came_from_ends_with_it() -> None:
    assert audit.current_origin() == audit.Origin("", "")
    with audit.set_origin(address="192.0.2.7", request_id="outer"):
        with audit.set_origin(address="192.0.2.8", request_id="inner"):
            assert audit.current_origin() == audit.Origin("192.0.2.8", "inner")
        assert audit.current_origin() == audit.Origin("192.0.2.7", "outer")
    assert audit.current_origin() == audit.Origin("", "")


def test_texts_are_cut_to_what_the_table_holds() -> None:
    by = Caller(id="1")
    entry = audit.record_event(AuditEvent.ACCESS_REFUSED, by=by, lei="L" * 300, about="a" * 300)
    entry.refresh_from_db()
    assert (len(entry.lei), len(entry.about)) == (20, 255)


def _start(by: Caller) -> None:
    filings.start_filing(lei=LEI, period=Period(2024), by=by)


def _season(by: Caller) -> None:
    seasons.open_season(2024, by=by, force=True)


@pytest.mark.parametrize(
    ("act", "event"),
    [(_start, AuditEvent.FILING_STARTED), (_season, AuditEvent.SEASON_OPENED)],
)
def test_an_action_tells_where_it_came_from(
    institution: Any, open_period: Any, act: Callable[[Caller], None], event: AuditEvent
) -> None:
    by = Caller(id="8f1c", username="ann", email="ann@bank.example")
    with audit.set_origin(address="192.0.2.7", request_id="request-7"):
        act(by)
    entry = TrailEntry.objects.values().get()
    assert entry["event"] == event
    assert {name: entry[name] for name in ANN} == ANN
    assert (entry["address"], entry["request_id"]) == ("192.0.2.7", "request-7")
