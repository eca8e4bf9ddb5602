"""The staff who answer proposals."""

import pytest
from django.test import Client

from tests import make
from tests.filing.panel.proposing import add_staff


@pytest.fixture
def operator(db: None) -> Client:
    return make.browser(add_staff("olga"))
