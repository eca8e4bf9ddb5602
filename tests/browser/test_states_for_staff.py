"""What keeps staff from using the pages of the admin; see docs/accessibility.md."""

from __future__ import annotations

import pytest

from tests.browser import page_states
from tests.browser.conftest import Look
from tests.browser.page_states import State
from tests.browser.states_for_staff import STAFF, fill_with_rows
from tests.flow.conftest import Service

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def filled_tables(filled: Service) -> Service:
    """The service with rows in every table of the admin, whose places are known."""
    fill_with_rows(filled)
    return filled


@page_states.named(STAFF)
def test_state_has_no_barriers(tab: Look, filled_tables: Service, state: State) -> None:
    page_states.judge(tab, state, filled_tables)
