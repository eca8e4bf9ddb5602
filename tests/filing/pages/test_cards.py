"""The cards of filings: what each says first, and which of them comes first."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client

from filing import day_hours
from filing.models import Filing, FilingPeriod, Institution
from filing.pages.cards import build_filing_cards, sort_by_urgency
from filing.pages.overview import MANY
from filing.statuses import FilingStatus
from filing.submissions import overview
from tests import make
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, begin, prepare, sign, upload, work
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


@pytest.mark.parametrize(
    ("days", "tag"),
    [
        ((1, 2, 3), ("quiet", "Not open")),
        ((-9, 90, 99), ("info", "Due in 90 days")),
        ((-9, 5, 99), ("warn", "Due in 5 days")),
        ((-9, 1, 99), ("warn", "Due in 1 day")),
        ((-9, 0, 99), ("warn", "Due today")),
        ((-9, -1, 99), ("bad", "Late")),
        ((-9, -2, -1), ("quiet", "Closed")),
    ],
)
def test_what_is_not_filed_says_when_it_is_due(
    browser: Client, open_period: FilingPeriod, days: tuple[int, int, int], tag: tuple[str, str]
) -> None:
    set_days(open_period, *days)
    assert read_tag() == tag


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


def test_what_needs_a_step_and_is_due_soonest_comes_first(
    browser: Client, census: Any, open_period: FilingPeriod
) -> None:
    sign(browser, prepare(browser, register()))  # 2024 is filed
    set_days(open_period, -9, 20, 99)
    for quarter, days in {"Q1": (-200, -99, -1), "Q2": (-99, 5, 9), "Q3": (-9, 90, 99)}.items():
        set_days(FilingPeriod(year=2024, quarter=quarter), *days)
    cards = sort_by_urgency(build_filing_cards(overview.find_due_filings([LEI])))
    names = [str(card.due.period) for card in cards]
    assert names == ["2024-Q2", "2024-Q3", "2024", "2024-Q1"]
    assert [card.needs_step for card in cards] == [True, True, False, False]
    assert [card.is_over for card in cards] == [False, False, False, True]
    page = browser.get("/filing/")
    assert page.context["steps"] == 2
    (shown,) = page.context["institutions"]
    assert [str(card.due.period) for card in shown["cards"]] == names[:3]
    assert [str(card.due.period) for card in shown["others"]] == names[3:]


def test_institutions_with_a_step_come_first_and_many_can_be_searched(
    browser: Client, census: Any, ann: Any
) -> None:
    sign(browser, prepare(browser, register()))
    assert not browser.get("/filing/").context["has_search"]
    leis = [f"529900MANYBANKS0000{number}" for number in range(MANY)]
    for lei in leis:
        make.member(ann, lei)
    Institution.objects.create(activity_year=2024, lei=leis[-1], name="Zeta Bank", agency=9)
    page = browser.get("/filing/")
    assert page.context["has_search"]
    listed = [each["lei"] for each in page.context["institutions"]]
    assert listed == [leis[-1], LEI, *leis[:-1]]
