"""A browser that the superuser has signed in with."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Look
from tests.flow.conftest import Service


@pytest.fixture(scope="module")
def signed_in(site: Service, browser: Browser) -> list[Any]:
    """The cookies of the superuser, who signs in once."""
    context = browser.new_context()
    Look(context.new_page(), site.url).sign_in("root", "/admin/")
    cookies = context.cookies()
    context.close()
    return cookies


@pytest.fixture
def look(look: Look, signed_in: list[Any]) -> Look:
    look.page.context.add_cookies(signed_in)
    return look
