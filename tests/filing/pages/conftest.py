"""A filer of the test institution, and their browser."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from filing.models import FilingPeriod, Institution
from tests.conftest import LEI
from tests.filing.pages.steps import member, signed_in


@pytest.fixture
def ann(institution: Institution, open_period: FilingPeriod) -> User:
    return member("ann", LEI)


@pytest.fixture
def helper() -> User:
    """Someone of the help desk."""
    user = member("hal")
    user.groups.add(Group.objects.get(name="help desk"))
    user.is_staff = True
    user.save()
    return user


@pytest.fixture
def browser(ann: User) -> Client:
    return signed_in(ann)
