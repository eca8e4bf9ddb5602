"""What keeps people from using the pages that everyone comes to; see docs/accessibility.md."""

from __future__ import annotations

from tests.browser import page_states
from tests.browser.conftest import Look
from tests.browser.page_states import State
from tests.browser.states_for_everyone import EVERYONE
from tests.flow.conftest import Service


@page_states.named(EVERYONE)
def test_state_has_no_barriers(tab: Look, site: Service, state: State) -> None:
    page_states.judge(tab, state, site)
