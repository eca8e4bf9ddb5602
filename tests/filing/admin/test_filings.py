"""The page of a filing in the admin."""

from __future__ import annotations

import html
import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import formats

from filing import day_hours, submissions
from filing.lar.period import Period
from filing.models import Filing
from filing.statuses import FilingStatus
from tests.conftest import LEI

pytestmark = pytest.mark.django_db


def started(client, filing: Filing) -> str:
    page = client.get(reverse("admin:filing_filing_change", args=[filing.pk]))
    field = re.search(r'field-started.*?class="readonly">(.*?)</div>', page.content.decode(), re.S)
    assert field
    return html.unescape(field[1])


def test_a_filing_that_nobody_started_has_no_start(admin_client, filing, filer):
    Filing.objects.update(status=FilingStatus.NOT_STARTED)
    assert "Not started" in started(admin_client, filing)
    Filing.objects.update(started_at=filing.started_at - timedelta(days=9))
    first = submissions.create(lei=LEI, period=Period(2024), by=filer)
    submissions.create(lei=LEI, period=Period(2024), by=filer)
    assert started(admin_client, filing) == formats.localize(day_hours.local(first.created_at))


def test_a_new_filing_shows_no_start(admin_client):
    page = admin_client.get(reverse("admin:filing_filing_add")).content.decode()
    assert "Not started" not in page
