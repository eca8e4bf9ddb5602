"""What the tests of the filer's pages share: people, files, and how far a page is from fitting."""

from __future__ import annotations

import re

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

# What sticks out of the window on the right, but for what lies in a region that is scrolled.
_CUT_OFF = """() => [...document.querySelectorAll("main *")].filter((each) => {
  const box = each.getBoundingClientRect();
  if (!box.width || !box.height || box.right <= innerWidth + 1) return false;
  for (let at = each; at; at = at.parentElement) {
    const { overflowX, position } = getComputedStyle(at);
    if (at !== each && ["auto", "scroll"].includes(overflowX) && at.tabIndex === 0) return false;
    if (position === "absolute" && at.className.includes("sr-only")) return false;
  }
  return true;
}).map((each) => each.outerHTML.slice(0, 200))"""


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


def start(page: Page) -> None:
    """Go from the page of a filing to that on which a file is uploaded."""
    page.locator("main .usa-button", has_text=re.compile("Upload a")).first.click()
    page.wait_for_url("**/upload/")


def is_whole(page: Page) -> None:
    """Fail where a page is scrolled sideways, or something on it is cut off."""
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= window, f"{page.url} is {width} pixels wide of {window}"
    cut_off = page.evaluate(_CUT_OFF)
    assert not cut_off, f"{page.url}: {cut_off}"
