"""What an event says that people get, they have: for each event that copies rights."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from filing import access, day_hours
from filing.access import Right
from filing.models import (
    Filing,
    FilingPeriod,
    Institution,
    Mail,
)
from filing.people import memberships
from tests import make
from tests.filing.lives.recorded import BANK, OTHER, preview, record, texts_of
from tests.filing.lives.test_leis import CHANGE, NEW
from tests.filing.lives.test_mergers import MERGER

pytestmark = pytest.mark.django_db
PEOPLE = "People and programs"
FILING = {Right.READ, Right.PREPARE, Right.SIGN}
# Each event that copies rights: of whose people, to which LEI.
EVENTS: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "people of the absorbed one": ("merger", {**MERGER, "people": "take"}, BANK, OTHER),
    "people of the surviving one": ("merger", {**MERGER, "survivor_files": "on"}, OTHER, BANK),
    "both ways": (
        "merger",
        {**MERGER, "people": "end", "survivor_files": "on"},
        OTHER,
        BANK,
    ),
    "new LEI": ("lei", CHANGE, BANK, NEW),
}


def add_member(name: str, lei: str, **facts: Any) -> User:
    user = make.user(name, email=f"{name}@people.example", is_verified=True)
    return make.member(user, lei, **facts).user


def rights(user: User, lei: str) -> frozenset[Right]:
    return access.find_rights(access.caller_of(user), lei)


@pytest.mark.parametrize(
    ("name", "source"), list(zip(EVENTS, ("domain", "hand", "invite", "token"), strict=True))
)
def test_a_right_that_is_promised_counts_and_stays(
    operator: Client, filings: dict[str, Filing], name: str, source: str
) -> None:
    kind, fields, of, to = EVENTS[name]
    Institution.objects.filter(lei=of).update(email_domains=["people.example"])
    user = add_member("pat", of, source=source)
    before = rights(user, of)
    assert before >= FILING
    promised = texts_of(preview(operator, BANK, kind, **fields), PEOPLE)
    assert f"Gets the same right for {to}." in promised[access.person_with_email(user)]
    record(operator, BANK, kind, **fields)
    assert rights(user, to) >= FILING
    memberships.check_memberships()
    assert rights(user, to) >= FILING
    assert not Mail.objects.filter(kind="rights", to=user.email).exists()


@pytest.mark.parametrize("name", ["both ways", "new LEI"])
def test_who_has_confirmed_the_list_there_keeps_no_one_from_filing(
    operator: Client, filings: dict[str, Filing], name: str
) -> None:
    kind, fields, of, to = EVENTS[name]
    long_ago = timezone.now() - timedelta(days=2000)
    today, month = day_hours.today(), timedelta(days=30)
    FilingPeriod.objects.update(
        opens=today - timedelta(days=5), timely_until=today + month, closes=today + 2 * month
    )
    add_member("boss", to, administrator_since=long_ago, added_at=long_ago)
    user = add_member("pat", of, added_at=long_ago)
    record(operator, BANK, kind, **fields)
    assert rights(user, to) >= FILING


@pytest.mark.parametrize("name", ["people of the absorbed one", "new LEI"])
def test_a_right_that_no_longer_counts_is_not_promised(
    operator: Client, filings: dict[str, Filing], name: str
) -> None:
    kind, fields, of, to = EVENTS[name]
    yesterday = day_hours.today() - timedelta(days=1)
    user = add_member("pat", of, until=yesterday)
    again = add_member("sam", of)
    make.member(again, to, until=yesterday)
    about = access.person_with_email(user)
    report = preview(operator, BANK, kind, **fields)
    assert about not in texts_of(report, PEOPLE) or kind == "merger"
    assert f"Gets the same right for {to}." not in texts_of(report, PEOPLE).get(about, [])
    assert (
        f"Gets the same right for {to}."
        in texts_of(report, PEOPLE)[access.person_with_email(again)]
    )
    record(operator, BANK, kind, **fields)
    assert not rights(user, to)
    assert rights(again, to) >= FILING


def test_who_acts_for_both_keeps_the_right_that_stays(
    operator: Client, filings: dict[str, Filing]
) -> None:
    user = add_member("pat", BANK)
    make.member(user, OTHER)
    fields = {**MERGER, "people": "end", "survivor_files": "on"}
    kept = texts_of(preview(operator, BANK, "merger", **fields), "Not changed")
    assert kept[access.person_with_email(user)] == [f"Has a right for {BANK} already, which stays."]
    record(operator, BANK, "merger", **fields)
    assert rights(user, BANK) >= FILING
