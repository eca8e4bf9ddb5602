"""What tests of the filing API begin with: a program of someone who files for the institution."""

from __future__ import annotations

import pytest
from django.test import Client

from filing.models import Institution
from tests import make
from tests.conftest import LEI


@pytest.fixture
def program(institution: Institution) -> Client:
    return make.program(leis=[LEI])
