"""A browser that the superuser has signed in with, once there is something in every table."""

from __future__ import annotations

import pytest

from tests.browser.conftest import FILLED_YEAR as YEAR
from tests.browser.conftest import Look
from tests.flow.conftest import Service

__all__ = ["YEAR"]


@pytest.fixture
def look(look: Look, filled: Service) -> Look:
    look.begin_session("root")
    return look


@pytest.fixture
def staff_tab(tab: Look, filled: Service) -> Look:
    tab.begin_session("root")
    return tab
