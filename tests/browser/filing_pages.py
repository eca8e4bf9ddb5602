"""A filer with a register to file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import PASSWORD, Look, lei_of
from tests.flow.conftest import ALWAYS, Service

YEAR = "2024"
FILER = """
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from filing.models import Membership
user, _ = User.objects.get_or_create(username="fay", email="fay@bank0.example")
user.password = make_password({password!r}); user.save()
Membership.objects.get_or_create(user=user, lei={lei!r})
"""


@pytest.fixture(scope="module")
def lei(site: Service) -> str:
    lei = lei_of("filing")
    site.manage_all(["load_census", YEAR, "--demo"], ["open_season", YEAR, *ALWAYS])
    site.manage("shell", "-v", "0", "-c", FILER.format(password=PASSWORD, lei=lei))
    return lei


@pytest.fixture(scope="module")
def register(
    site: Service, lei: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Path]:
    folder = tmp_path_factory.mktemp("registers")

    def make(name: str, *fails: str, rows: int = 5_000) -> Path:
        path = folder / f"{name}.txt"
        options = [word for fail in fails for word in ("--fail", fail)]
        words = ("--year", YEAR, "--lei", lei, "--rows", str(rows), *options)
        site.manage("make_lar", str(path), *words)
        return path

    return make


def sound(look: Look) -> None:
    look.is_sound()
    look.fits()


def upload(page: Page, path: Path) -> str:
    """Start a submission and upload a file; return the address of the submission."""
    page.locator("main .usa-button", has_text=re.compile("Upload a")).first.click()
    page.locator("#file").set_input_files(path)
    page.get_by_role("button", name="Upload", exact=True).click()
    page.wait_for_url(re.compile(r"/\d+/$"))
    return page.url
