"""Events of the audit log are registered by the areas in which they happen."""

from __future__ import annotations

from enum import StrEnum

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import TextChoices
from django.test import Client
from django.urls import reverse

from databrowser.publication.events import PublicationEvent as OfPublication
from filing import audit, registries
from filing.access import SERVICE
from filing.models import AuditEvent, TrailEntry


class Weighing(TextChoices):
    WEIGHED = "file weighed", "file put on the scales"


class Others(StrEnum):
    WEIGHED = "file weighed"


class TooLong(StrEnum):
    WEIGHED = "file weighed" * 4


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone afterwards."""
    monkeypatch.setattr(registries, "AUDIT_EVENTS", dict(registries.AUDIT_EVENTS))


def test_the_events_of_all_areas_are_offered_those_of_filing_first() -> None:
    values = [value for value, _ in registries.list_audit_events()]
    assert values[: len(AuditEvent)] == [*AuditEvent]
    assert set(OfPublication) <= set(values)
    assert registries.list_audit_events() == TrailEntry._meta.get_field("event").flatchoices
    labels = {event.value: event.label for event in AuditEvent}
    assert all(labels.get(value, value) == label for value, label in registries.list_audit_events())


def test_an_event_belongs_to_one_area() -> None:
    registries.register_audit_events(Weighing)
    registries.register_audit_events(Weighing)  # the same once more is no other
    with pytest.raises(ValueError, match="Another area has registered the event 'file weighed'"):
        registries.register_audit_events(Others)


def test_an_event_fits_into_its_column() -> None:
    with pytest.raises(ValueError, match="in 1 to 40 characters"):
        registries.register_audit_events(TooLong)


@pytest.mark.django_db
def test_the_log_takes_no_event_that_nobody_registered() -> None:
    refused = pytest.raises(ValueError, match="'file weighed' as event of audit log entries")
    with refused, transaction.atomic():
        audit.record_event(Others.WEIGHED, by=SERVICE)
    with refused, transaction.atomic():
        audit.record_entries([audit.make_entry(Others.WEIGHED, by=SERVICE)])
    assert not TrailEntry.objects.exists()


@pytest.mark.django_db
def test_the_list_shows_an_event_of_another_area_and_filters_by_it(client: Client) -> None:
    registries.register_audit_events(Weighing)
    audit.record_event(Weighing.WEIGHED, by=SERVICE, about="a bag of flour")
    audit.record_event(AuditEvent.SIGNED_IN, by=SERVICE, about="at the door")
    client.force_login(User.objects.create_superuser("boss"))
    address = reverse("admin:filing_trailentry_changelist")
    page = client.get(address, {"event__exact": "file weighed"}).content.decode()
    assert "file put on the scales" in page
    assert "a bag of flour" in page
    assert "at the door" not in page
