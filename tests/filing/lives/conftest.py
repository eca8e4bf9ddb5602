"""A bank that files quarterly, with filings of two years, and a client of an operator."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User

from filing.models import Filing, FilingPeriod, Institution
from tests import make
from tests.filing.lives.recorded import BANK, OTHER


@pytest.fixture
def bank(db: None) -> Institution:
    """Return the record of 2025; that of 2024 is there, too."""
    facts = {"name": "Prairie Bank", "email_domains": ["prairie.example"]}
    make.institution(BANK, year=2024, **facts)
    return make.institution(BANK, year=2025, **facts)


@pytest.fixture
def other(db: None) -> Institution:
    facts = {"name": "Harbor Bank", "tax_id": "", "email_domains": []}
    make.institution(OTHER, year=2024, **facts)
    return make.institution(OTHER, year=2025, **facts)


@pytest.fixture
def periods(db: None) -> dict[str, FilingPeriod]:
    """Return two years: all open and not due yet, but 2024-Q1, which is closed."""
    closed = {"timely_until": date(2021, 1, 1), "closes": date(2022, 1, 1)}
    later = {"timely_until": date(2035, 1, 1)}
    made = [make.period(2024, "Q1", **closed), make.period(2024, **later)]
    made += [make.period(2025, quarter, **later) for quarter in ("Q1", "Q2", "Q3", "")]
    return {str(each): each for each in made}


@pytest.fixture
def filings(
    bank: Institution, other: Institution, periods: dict[str, FilingPeriod]
) -> dict[str, Filing]:
    """Return the filings of the bank by period; the other one has the same."""
    made = {}
    for name, period in periods.items():
        made[name] = make.filing(BANK, year=period.year, quarter=period.quarter)
        make.filing(OTHER, year=period.year, quarter=period.quarter)
    return made


@pytest.fixture
def ann(bank: Institution) -> User:
    """Return a user whom staff gave the right to file for the bank."""
    return make.user("ann", lei=BANK, email="ann@prairie.example")


@pytest.fixture
def made_up_leis(settings: Any) -> None:
    """Let LEIs be taken whose check digits are wrong."""
    settings.TEST_LEIS = True
