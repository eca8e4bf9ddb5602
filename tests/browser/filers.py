"""What the tests of the filer's pages share: people, sessions that end, and files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import PASSWORD
from tests.flow.conftest import ALWAYS, Service

YEAR = "2024"
_PERSON = """
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from filing.models import Membership
user, _ = User.objects.get_or_create(username={name!r}, email="{name}@bank0.example")
user.password = make_password({password!r}); user.save()
Membership.objects.get_or_create(user=user, lei={lei!r})
"""
_STALE = """
import time
from importlib import import_module
from django.conf import settings
from filing.people import sign_ins
session = import_module(settings.SESSION_ENGINE).SessionStore({key!r})
assert sign_ins.read_authentication_time(session), "not signed in"
sign_ins.record_authentication(session, time.time() - 16 * 60); session.save()
"""

_ENDS = """
from datetime import timedelta
from importlib import import_module
from django.conf import settings
from django.utils import timezone
session = import_module(settings.SESSION_ENGINE).SessionStore({key!r})
session.set_expiry(timezone.now() + timedelta(seconds={seconds})); session.save()
"""


def employ(site: Service, lei: str, *names: str) -> None:
    """Let people file for an institution, whose filing season is open."""
    site.manage_all(["load_census", YEAR, "--demo"], ["open_season", YEAR, *ALWAYS])
    code = "".join(_PERSON.format(name=name, password=PASSWORD, lei=lei) for name in names)
    site.manage("shell", "-v", "0", "-c", code)


def make_proof_old(site: Service, page: Page) -> None:
    """Let the person of a page have signed in 16 minutes ago."""
    keys = {each["name"]: each["value"] for each in page.context.cookies()}
    (key,) = (value for name, value in keys.items() if "session" in name.lower())
    site.manage("shell", "-v", "0", "-c", _STALE.format(key=key))


def end_session_in(site: Service, page: Page, seconds: float) -> None:
    """Let the session of a page end so soon."""
    keys = {each["name"]: each["value"] for each in page.context.cookies()}
    code = _ENDS.format(key=keys["sessionid"], seconds=seconds)
    site.manage("shell", "-v", "0", "-c", code)


def start(page: Page) -> None:
    """Go from the page of a filing to that on which a file is uploaded."""
    page.locator("main .usa-button", has_text=re.compile("Upload a")).first.click()
    page.wait_for_url("**/upload/")


def upload(page: Page, path: Path) -> str:
    """Start a submission and upload a file; return the address of the submission."""
    start(page)
    page.locator("#file").set_input_files(path)
    page.get_by_role("button", name="Upload", exact=True).click()
    page.wait_for_url(re.compile(r"/\d+/$"))
    return page.url


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
