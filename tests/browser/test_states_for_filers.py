"""What keeps people from using the pages that filers come to; see docs/accessibility.md."""

from __future__ import annotations

import pytest

from tests.browser import page_states
from tests.browser.conftest import Look
from tests.browser.page_states import KNOWN, State
from tests.browser.states_for_filers import FILERS, fill_with_filings, sign_up
from tests.flow.conftest import Service


@pytest.fixture(scope="module")
def filled(site: Service, shared_tab: Look) -> Service:
    """The service with people, clients and submissions in each state that waits for a person."""
    fill_with_filings(site)
    KNOWN["confirm"] = sign_up(site, shared_tab)
    return site


@page_states.named(FILERS)
def test_state_has_no_barriers(tab: Look, filled: Service, state: State) -> None:
    page_states.judge(tab, state, filled)
