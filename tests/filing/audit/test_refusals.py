"""Refused tokens and sign-ins: one entry a minute for each reason and address, with a count."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from filing import audit
from filing.models import AuditEvent, Repetition, TrailEntry
from tests.at_once import call_at_once

TOKEN = AuditEvent.TOKEN_REFUSED
FILING = "/v2/filing/institutions/529900TESTBANK000042/filings/2024"
FLOOD = 300


def times() -> int:
    return sum(Repetition.objects.values_list("times", flat=True))


def minutes_since(began: datetime) -> int:
    """Return in how many minutes of the clock something may have happened that began then."""
    first = began.replace(second=0, microsecond=0)
    return int((timezone.now() - first) / timedelta(minutes=1)) + 1


@pytest.mark.django_db
def test_a_flood_of_refused_tokens_makes_an_entry_a_minute_for_each_reason() -> None:
    began, client = timezone.now(), Client(REMOTE_ADDR="192.0.2.7")
    for number in range(FLOOD):
        bad = "forged" if number % 2 else "hmda_pat_unknown"
        assert client.get(FILING, headers={"authorization": f"Bearer {bad}"}).status_code == 401
    assert times() == FLOOD
    assert TrailEntry.objects.count() <= 2 * minutes_since(began)
    assert set(TrailEntry.objects.values_list("address", "event")) == {("192.0.2.7", TOKEN)}


@pytest.mark.django_db
def test_answers_of_the_provider_that_nobody_asked_for_make_few_entries() -> None:
    began, client = timezone.now(), Client(headers={"host": "localhost"})
    for number in range(2 * audit.MAX_REFUSALS):
        answer = client.get("/sign-in/done", {"error": f"made up {number}", "state": "x"})
        assert answer.status_code == 400
    assert times() == 2 * audit.MAX_REFUSALS
    assert TrailEntry.objects.count() <= (audit.MAX_REFUSALS + 1) * minutes_since(began)


@pytest.mark.django_db
def test_addresses_of_one_line_of_ipv6_are_one() -> None:
    began = timezone.now()
    for number in range(20):
        client = Client(REMOTE_ADDR=f"2001:db8:1:2::{number:x}")
        client.get(FILING, headers={"authorization": "Bearer forged"})
    assert times() == 20
    assert TrailEntry.objects.count() <= minutes_since(began)


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_several_at_once_are_all_counted_under_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        timezone, "now", lambda: datetime.fromisoformat("2026-03-02T12:00:00+00:00")
    )

    def refuse() -> None:
        for _ in range(5):
            audit.count_refusal(TOKEN, reason="a")

    call_at_once(refuse, 4)
    assert (TrailEntry.objects.count(), times()) == (1, 20)
