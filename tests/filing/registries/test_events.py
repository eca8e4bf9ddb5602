"""Events of the audit log are registered by the areas in which they happen."""

from __future__ import annotations

from enum import StrEnum

import pytest
from django.db import transaction
from django.db.models import TextChoices

from filing import audit, registries
from filing.access import SERVICE
from filing.models import TrailEntry


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
