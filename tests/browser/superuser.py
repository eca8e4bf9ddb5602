"""A browser that the superuser has signed in with."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Look


@pytest.fixture
def look(look: Look) -> Look:
    look.begin_session("root")
    return look
