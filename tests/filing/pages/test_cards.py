"""The cards of filings: what each says first."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client

from filing import day_hours
from filing.models import Filing, FilingPeriod
from filing.pages.cards import build_filing_cards
from filing.statuses import FilingStatus
from filing.submissions import overview
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, begin, sign, upload, work
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db


def in_days(days: int) -> date:
    return day_hours.today() + timedelta(days=days)


def set_days(period: FilingPeriod, opens: int, due: int, closes: int) -> None:
    """Set the days of a period, counted from today."""
    period.opens, period.timely_until, period.closes = map(in_days, (opens, due, closes))
    period.save()


def read_tag() -> tuple[str, str]:
    (card,) = build_filing_cards(overview.find_due_filings([LEI]))
    return card.tag.kind, card.tag.text


def test_a_filing_says_how_far_it_is(browser: Client, census: Any, open_period: Any) -> None:
    set_days(open_period, -9, -1, 99)
    upload(browser, begin(browser), register())
    assert read_tag() == ("info", "Checking")
    work()
    assert read_tag() == ("bad", "Late")
    assert sign(browser, f"{FILING}1/").status_code == 303
    assert read_tag() == ("good", "Filed")
    Filing.objects.update(status=FilingStatus.CANCELLED)
    assert read_tag() == ("quiet", "Canceled")
