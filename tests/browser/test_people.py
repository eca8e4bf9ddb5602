"""The people of an institution: an administrator invites a person, who signs up and accepts."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PASSWORD, Look, email_of, emailed_path, lei_of
from tests.browser.filers import YEAR
from tests.browser.test_filing_by_keyboard import Keyboard
from tests.flow.conftest import ALWAYS, Service

NEW = "ivy@vendor.example"
PEOPLE = f"/filing/{lei_of('people')}/people/"
_ADMINISTRATOR = """
from django.contrib.auth.models import User
from django.utils import timezone
from filing.models import Membership
ada = User.objects.create_user("ida", {email!r}, {password!r}, first_name="Ida")
Membership.objects.create(user=ada, lei={lei!r}, administrator_since=timezone.now())
"""


@pytest.fixture(scope="module")
def ada(site: Service) -> str:
    """The administrator."""
    site.manage_all(["load_census", YEAR, "--demo"], ["open_season", YEAR, *ALWAYS])
    email = email_of("people", "ida")
    code = _ADMINISTRATOR.format(lei=lei_of("people"), email=email, password=PASSWORD)
    site.manage("shell", "-v", "0", "-c", code)
    return "ida"


def fill_in(page: Page, **values: str) -> None:
    for name, value in values.items():
        page.fill(f"#id_{name}", value)


def test_an_invited_person_signs_up_accepts_and_is_ended(
    site: Service, look: Look, open_page: Callable[[str], Look], ada: str
) -> None:
    page = look.sign_in(ada, PEOPLE)
    keys = Keyboard(page)
    keys.go("Invite a person")
    page.wait_for_url("**/people/invite/")
    keys.skip()
    keys.to("Email address")
    keys.type(NEW)
    keys.to("Signer")
    keys.press("Space")
    keys.to("Send invitation")
    keys.press("Enter")
    page.wait_for_url(re.compile(rf"{PEOPLE}(#main)?$"))  # a redirect keeps the fragment
    expect(page.locator("main")).to_contain_text(NEW)

    ivy = open_page(site.url)
    link = emailed_path(site, NEW, r"/filing/invitation/[\w-]+/")
    visitor = ivy.at(link)
    expect(visitor.locator("main")).to_contain_text("Ida")
    visitor.get_by_role("link", name="Create an account").last.click()
    expect(visitor.locator("#id_email")).to_have_value(NEW)
    fill_in(visitor, first_name="Ivy", last_name="Example", password="quiet lake 9 morning")
    visitor.get_by_role("button", name="Create account").click()
    visitor.wait_for_url("**/sign-up/sent/")
    ivy.at(emailed_path(site, NEW, r"/sign-up/\S+/\S+"))
    fill_in(visitor, password="quiet lake 9 morning")
    visitor.get_by_role("button", name="Confirm and sign in").click()
    visitor.wait_for_url(f"**{link}")  # back where she began
    visitor.get_by_role("button", name="Accept invitation").click()
    expect(visitor.locator("main")).to_contain_text("You accepted the invitation")
    ivy.at(PEOPLE)
    expect(visitor.locator("main")).to_contain_text("preparer, signer")
    ivy.at(link, 410)

    look.at(PEOPLE)
    page.get_by_role("link", name=f"Change roles of Ivy Example, {NEW}").click()
    page.get_by_text("Signer", exact=False).first.click()
    page.get_by_role("button", name="Save roles").click()
    expect(page.locator("#id_reason")).to_be_visible()  # it has to be given
    fill_in(page, reason="She prepares only.")
    page.get_by_role("button", name="Save roles").click()
    page.wait_for_url(f"**{PEOPLE}")
    row = page.get_by_role("row", name=re.compile("Ivy Example"))
    expect(row).to_contain_text("preparer")
    expect(row).not_to_contain_text("signer")
    row.get_by_role("link", name=re.compile("End access")).click()
    fill_in(page, reason="Her contract is over.")
    page.get_by_role("button", name="End access").click()
    page.wait_for_url(f"**{PEOPLE}")
    expect(page.locator("main table")).not_to_contain_text("Ivy Example")
    visitor.goto(site.url + PEOPLE)
    visitor.wait_for_url("**login**")  # signed out everywhere
