"""What the tests of filings share."""

from __future__ import annotations

import pytest
from django.test import Client

from filing.demo.loading import load_demo_census
from tests import make


@pytest.fixture
def census(db: None) -> None:
    load_demo_census(2024, by="test")


@pytest.fixture
def operator(db: None) -> Client:
    """Return the browser of an operator."""
    return make.browser(make.staff("operator", email="operator@service.example"))


@pytest.fixture
def desk(db: None) -> Client:
    """Return the browser of someone of the help desk."""
    return make.browser(make.staff("help desk", email="desk@service.example"))
