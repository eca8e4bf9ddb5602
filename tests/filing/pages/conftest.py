"""A filer of the test institution, and their browser."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from filing.models import FilingPeriod, Institution, Organization
from tests import make
from tests.conftest import LEI
from tests.filing.pages.steps import member, signed_in
from tests.filing.pages.test_organizations import person, register


@pytest.fixture
def ann(institution: Institution, open_period: FilingPeriod) -> User:
    return member("ann", LEI)


@pytest.fixture
def helper() -> User:
    """Someone of the help desk."""
    return make.staff("help desk", username="hal", email="hal@bank.example")


@pytest.fixture
def browser(ann: User) -> Client:
    return signed_in(ann)


@pytest.fixture
def vera() -> User:
    return person("vera")


@pytest.fixture
def vendor(vera: User) -> Client:
    return signed_in(vera)


@pytest.fixture
def organization(vendor: Client) -> Organization:
    return register(vendor)
