"""A bank that files quarterly, with filings of two years, and a client of an operator."""

from __future__ import annotations

from datetime import date

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from filing.models import Filing, FilingPeriod, Institution, Membership
from tests.filing.lives.recorded import BANK, OTHER


@pytest.fixture
def bank(db: None) -> Institution:
    """Return the record of 2025; that of 2024 is there, too."""
    facts = {
        "lei": BANK,
        "name": "Prairie Bank",
        "tax_id": "12-3456789",
        "agency": 9,
        "email_domains": ["prairie.example"],
        "quarterly_filer": True,
    }
    Institution.objects.create(activity_year=2024, **facts)
    return Institution.objects.create(activity_year=2025, **facts)


@pytest.fixture
def other(db: None) -> Institution:
    facts = {"lei": OTHER, "name": "Harbor Bank", "agency": 9, "quarterly_filer": True}
    Institution.objects.create(activity_year=2024, **facts)
    return Institution.objects.create(activity_year=2025, **facts)


@pytest.fixture
def periods(db: None) -> dict[str, FilingPeriod]:
    """Return two years: all open and not due yet, but 2024-Q1, which is closed."""
    names = ("2024-Q1", "2024", "2025-Q1", "2025-Q2", "2025-Q3", "2025")
    made = {}
    for name in names:
        year, _, quarter = name.partition("-")
        is_closed = name == "2024-Q1"
        made[name] = FilingPeriod.objects.create(
            year=int(year),
            quarter=quarter,
            opens=date(2020, 1, 1),
            timely_until=date(2021, 1, 1) if is_closed else date(2035, 1, 1),
            closes=date(2022, 1, 1) if is_closed else date(2040, 1, 1),
        )
    return made


@pytest.fixture
def filings(
    bank: Institution, other: Institution, periods: dict[str, FilingPeriod]
) -> dict[str, Filing]:
    """Return the filings of the bank by period; the other one has the same."""
    records = {(record.lei, record.activity_year): record for record in Institution.objects.all()}
    made = {}
    for name, period in periods.items():
        made[name] = Filing.objects.create(institution=records[BANK, period.year], period=period)
        Filing.objects.create(institution=records[OTHER, period.year], period=period)
    return made


@pytest.fixture
def ann(bank: Institution) -> User:
    """Return a user whom staff gave the right to file for the bank."""
    user = User.objects.create_user("ann", "ann@prairie.example", "a long password")
    Membership.objects.create(user=user, lei=BANK)
    return user


@pytest.fixture
def operator(db: None) -> Client:
    return _staff("operator")


@pytest.fixture
def desk(db: None) -> Client:
    return _staff("help desk")


def _staff(role: str) -> Client:
    user = User.objects.create_user(
        role.replace(" ", "-"), f"{role[:4]}@site.example", is_staff=True
    )
    user.groups.add(Group.objects.get(name=role))
    client = Client()
    client.force_login(user)
    return client
