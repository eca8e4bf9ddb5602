"""Links of institutions, filings, holds, seasons, periods and people lead to no refusal."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import Model
from django.urls import reverse

from filing import audit
from filing.access import SERVICE
from filing.models import (
    Filing,
    Institution,
    LegalHold,
    SeasonOpening,
    Submission,
)
from filing.periods import legal_holds
from filing.seasons import open_season
from tests import make
from tests.conftest import LEI

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(institution: Institution) -> list[Model]:
    Institution.objects.create(activity_year=2023, lei=LEI, name="Older", agency=9)
    open_season(2024, force=True, by=SERVICE)
    filing = Filing.objects.get(period__quarter="")
    submission = Submission.objects.create(filing=filing, sequence_number=1)
    legal_holds.hold_filing(filing, by=SERVICE, reason="Matter 12")
    audit.add_note(institution, by=SERVICE, text="They called.")
    user = User.objects.create(username="ann")
    membership = make.member(user, LEI)
    opening, hold = SeasonOpening.objects.get(), LegalHold.objects.get()
    return [institution, filing, submission, hold, opening, filing.period, membership, user]


def address_of(row: Model) -> str:
    opts = row._meta
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_change", args=[row.pk])


def test_users_see_only_links_that_they_may_follow(rows: list[Model]) -> None:
    browser = make.browser(make.staff("help desk"))
    addresses = set()
    for row in rows:
        answer: Any = browser.get(address_of(row))
        links = answer.context.get("page_links") or () if answer.status_code == 200 else ()
        addresses |= {link.address for link in links}
    assert len(addresses) > 8
    for address in addresses:
        assert browser.get(address).status_code == 200, address
