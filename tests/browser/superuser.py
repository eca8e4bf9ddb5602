"""A browser that the superuser has signed in with."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Look
from tests.flow.conftest import Service


def sign_in_superuser(site: Service, browser: Browser) -> list[Any]:
    """Return the cookies of the superuser once signed in."""
    context = browser.new_context()
    Look(context.new_page(), site.url).sign_in("root", "/admin/")
    cookies = context.cookies()
    context.close()
    return cookies


@pytest.fixture(scope="module")
def signed_in(site: Service, browser: Browser) -> list[Any]:
    """The cookies of the superuser, who signs in once."""
    return sign_in_superuser(site, browser)


@pytest.fixture
def look(look: Look, signed_in: list[Any]) -> Look:
    look.page.context.add_cookies(signed_in)
    return look
