"""An event is recorded once, and as its preview says."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from filing.models import Filing, InstitutionEvent, Mail
from tests.at_once import call_all_at_once
from tests.filing.lives.recorded import BANK, NEW, OTHER, REASON, event_page, preview

pytestmark = pytest.mark.usefixtures("made_up_leis")
EVENTS: dict[str, dict[str, Any]] = {
    "name": {"name": "Prairie Bank, N.A.", "effective_on": "2026-02-01"},
    "lei": {"other_lei": NEW, "effective_on": "2025-05-01"},
    "merger": {
        "other_lei": OTHER,
        "effective_on": "2025-05-01",
        "way": "consolidated",
        "people": "take",
    },
    "closing": {"effective_on": "2025-05-01"},
    "extension": {
        "periods": ["2025"],
        "timely_until": "2036-01-01",
        "closes": "2041-01-01",
        "why": "Storm",
    },
    "quarterly-end": {"effective_on": "2025-06-01"},
}


def confirm_event(client: Client, kind: str) -> dict[str, Any]:
    """Return the form of an event with its preview confirmed."""
    digest = preview(client, BANK, kind, **EVENTS[kind]).digest
    return {**EVENTS[kind], "digest": digest, "reason": REASON}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "has_filings"), [*((kind, True) for kind in EVENTS), ("name", False)]
)
def test_a_form_sent_again_records_nothing_more(
    operator: Client, filings: dict[str, Filing], ann: User, kind: str, has_filings: bool
) -> None:
    if not has_filings:  # then the second preview may be that of the first
        Filing.objects.all().delete()
    form = confirm_event(operator, kind)
    assert operator.post(event_page(BANK, kind), form).status_code == 302
    assert operator.post(event_page(BANK, kind), form).status_code == 200
    assert InstitutionEvent.objects.count() == 1
    assert Mail.objects.filter(to=ann.email).count() == 1


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["lei", "extension"])
def test_two_windows_record_it_once(
    operator: Client, filings: dict[str, Filing], ann: User, kind: str
) -> None:
    form = confirm_event(operator, kind)
    statuses = call_all_at_once(
        [
            lambda window=window: window.post(event_page(BANK, kind), form).status_code
            for window in (operator, copy_window(operator))
        ]
    )
    assert sorted(statuses) == [200, 302]
    assert InstitutionEvent.objects.count() == 1
    assert Mail.objects.filter(to=ann.email).count() == 1


def copy_window(client: Client) -> Client:
    """Return another window of the same browser."""
    window = Client()
    window.cookies.update(client.cookies)
    return window
