"""A service with something in every table, and a browser that staff signed in with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Look, lei_of
from tests.browser.superuser import (
    look,  # noqa: F401 -- a fixture
    sign_in_superuser,
)
from tests.flow.conftest import ALWAYS, Service

LEI, YEAR = lei_of("staff"), "2025"


@pytest.fixture(scope="module")
def filled(site: Service, tmp_path_factory: pytest.TempPathFactory) -> Service:
    """The service after a filing: with rows in every table of the admin."""
    register: Path = tmp_path_factory.mktemp("register") / "lar.txt"
    site.manage("load_census", YEAR, "--demo")
    site.manage("open_season", YEAR, *ALWAYS)
    made = ("--year", YEAR, "--lei", LEI)
    site.manage("make_lar", *made, "--rows", "40", "--fail", "Q611", str(register))
    site.manage(
        "file_lar", str(register), *made, "--url", site.url, "--token", site.tokens[LEI],
        "--verify", "--sign", "--reason", "Each module of tests files it again.",
    )  # fmt: skip
    return site


@pytest.fixture(scope="module")
def signed_in(filled: Service, browser: Browser) -> list[Any]:
    """The cookies of the superuser, who signs in once."""
    return sign_in_superuser(filled, browser)


@pytest.fixture
def staff_tab(tab: Look, signed_in: list[Any]) -> Look:
    tab.page.context.add_cookies(signed_in)
    return tab
