"""A filer of the test institution, and their browser."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from filing.models import FilingPeriod, Institution
from tests.conftest import LEI
from tests.filing.pages.steps import member, signed_in


@pytest.fixture
def ann(institution: Institution, open_period: FilingPeriod) -> User:
    return member("ann", LEI)


@pytest.fixture
def browser(ann: User) -> Client:
    return signed_in(ann)
