"""Lists of large tables tell how many rows there are without counting them, and do not lie."""

from __future__ import annotations

import pytest
from django.db import connection
from django.urls import reverse

from filing.admin import tables
from filing.admin.tables import CappedCount, CappedPaginator
from filing.models import AuditEvent, TrailEntry

pytestmark = [pytest.mark.django_db, pytest.mark.servers]
LIST = reverse("admin:filing_trailentry_changelist")


@pytest.fixture
def entries(db: None) -> None:
    TrailEntry.objects.bulk_create(
        TrailEntry(event=AuditEvent.SIGNED_IN, about=f"{number}") for number in range(120)
    )


def counted(found: object) -> CappedCount:
    return CappedPaginator(found, 50).count


def test_a_large_table_is_estimated(entries, monkeypatch):
    monkeypatch.setattr(tables, "MAX_COUNTED", 100)
    rows = TrailEntry.objects.latest("pk").pk  # more than 120 where a test before has left a gap
    if connection.vendor == "postgresql":
        rows = 120
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE filing_trailentry")
    every = counted(TrailEntry.objects.all())
    assert every == 100
    assert str(every) == f"about {rows // 10 * 10}"
    some = counted(TrailEntry.objects.filter(event=AuditEvent.SIGNED_IN))
    assert (some, str(some)) == (100, "more than 100")


def test_no_page_lies_beyond_what_was_counted(admin_client, entries, monkeypatch):
    monkeypatch.setattr(tables, "MAX_COUNTED", 100)
    assert len(admin_client.get(LIST, {"p": "2"}).context["cl"].result_list) == 50
    assert admin_client.get(LIST, {"p": "3"}).status_code == 302
