"""Unexpected errors in the audit log: kind and place, no message, and not without end."""

from __future__ import annotations

import pytest
from django.db import Error, connection

from filing import audit
from filing.access import Caller
from filing.models import AuditEvent, TrailEntry

pytestmark = pytest.mark.django_db
ANN = Caller(id="1", username="ann", email="ann@bank.example")


def fail(about: str = "GET /x") -> None:
    try:
        raise ValueError("A record: 123 Main Street")
    except ValueError as error:
        audit.record_error(error, by=lambda: ANN, about=about, lei="529900TESTBANK000042")


def test_an_error_is_recorded_without_its_message():
    with audit.set_origin(address="192.0.2.1", request_id="7F3K-9QXM-2BTD"):
        fail()
    entry = TrailEntry.objects.get()
    assert entry.event == AuditEvent.UNEXPECTED_ERROR
    assert (entry.request_id, entry.actor_username) == ("7F3K-9QXM-2BTD", "ann")
    assert entry.reason.startswith("ValueError in filing/audit/test_unexpected.py, line ")
    assert "Main Street" not in entry.reason


def test_a_flood_of_errors_does_not_fill_the_audit_log(monkeypatch):
    monkeypatch.setattr(audit, "MAX_ERRORS", 3)
    for _ in range(5):
        fail()
    assert TrailEntry.objects.count() == 3


def test_an_error_that_cannot_be_recorded_raises_nothing(caplog):
    def no_caller() -> Caller:
        raise Error("The database is down.")

    audit.record_error(ValueError("x"), by=no_caller, about="GET /x")
    assert "Not in the audit log" in caplog.text
    assert connection.is_usable()
    assert not TrailEntry.objects.exists()
