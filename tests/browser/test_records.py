"""The record of an institution: proposed by keyboard, answered by staff; a new one registered."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Look, lei_of
from tests.browser.filers import employ
from tests.flow.conftest import Service

LEI = lei_of("records")
PAGE = f"/filing/{LEI}/record/"
ADMIN = "/admin/filing/recordproposal/"
NEW_LEI = "529900NEWBANK0000047"
VERIFY = """
from django.contrib.auth.models import User
from filing.models import Identity
user = User.objects.get(username="rita")
Identity.objects.get_or_create(
    user=user, issuer="https://id.example", subject="rita", defaults={"email_verified": True}
)
"""


@pytest.fixture(scope="module")
def staffed(site: Service) -> Service:
    """The service with a filer whose address is verified."""
    employ(site, LEI, "rita")
    site.manage("shell", "-v", "0", "-c", VERIFY)
    return site


@pytest.fixture
def desk(staffed: Service, open_page: Callable[[str], Look]) -> Look:
    """The browser of someone who answers."""
    desk = open_page(staffed.url)
    desk.sign_in("root", "/admin/")
    return desk


def press_tab_until(page: Page, selector: str, *, most: int = 80) -> None:
    """Go on by keyboard until an element has the focus."""
    for _ in range(most):
        if page.locator(selector).evaluate("each => each === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} is not reached by keyboard.")


def test_a_change_is_proposed_by_keyboard_and_accepted(
    staffed: Service, look: Look, desk: Look
) -> None:
    page = look.sign_in("rita", PAGE)
    page.emulate_media(media="print")
    expect(page.locator("#propose")).to_be_hidden()
    expect(page.get_by_role("heading", name="History")).to_be_visible()
    page.emulate_media(media="screen")
    press_tab_until(page, "#id_tax_id")
    page.keyboard.press("Control+A")
    page.keyboard.type("1")
    press_tab_until(page, "#id_reason")
    page.keyboard.type("The IRS gave us a new one.")
    press_tab_until(page, "#propose ~ form button[type=submit]")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("99-9999999")
    page.fill("#id_tax_id", "98-7654321")
    page.get_by_role("button", name="Propose the change").click()
    expect(page.locator("main")).to_contain_text("Waiting for staff")

    staff = desk.at(f"{ADMIN}?q={LEI}")
    staff.get_by_role("link", name="CASE-").first.click()
    expect(staff.locator("body")).to_contain_text("98-7654321")
    staff.get_by_role("link", name="Accept with changes").click()
    staff.fill("#id_tax_id", "98-7654320")
    staff.get_by_role("button", name="Preview").click()
    expect(staff.locator("body")).to_contain_text("What will be written")
    staff.fill("#id_reason", "The last digit was a 0 in the letter.")
    staff.get_by_role("button", name="Accept CASE-").click()
    expect(staff.locator("body")).to_contain_text("is accepted")

    page = look.at(PAGE)
    expect(page.locator("main")).to_contain_text("Accepted with changes")
    expect(page.locator("main")).to_contain_text("The last digit was a 0")


def test_an_institution_is_registered(staffed: Service, look: Look, desk: Look) -> None:
    page = look.sign_in("rita", "/filing/register/")
    page.get_by_role("button", name="Send to the help desk").click()
    expect(page.locator("main")).to_contain_text("Enter the LEI")
    page.fill("#id_lei", NEW_LEI)
    page.fill("#id_name", "New Bank")
    page.fill("#id_tax_id", "98-7654321")
    page.select_option("#id_agency", label="FDIC")
    page.fill("#id_reason", "We were founded last year.")
    page.get_by_role("button", name="Send to the help desk").click()
    expect(page.locator("main")).to_contain_text("Waiting for staff")

    staff = desk.at(f"{ADMIN}?q={NEW_LEI}")
    staff.get_by_role("link", name="CASE-").first.click()
    staff.get_by_role("link", name="Accept", exact=True).click()
    expect(staff.locator("body")).to_contain_text(f"Adds {NEW_LEI}")
    staff.get_by_label("Answer").fill("Welcome.")
    staff.get_by_role("button", name="Accept").click()
    expect(staff.locator("body")).to_contain_text("can file")

    page = look.at(f"/filing/{NEW_LEI}/")
    expect(page.get_by_role("heading", level=1)).to_have_text("New Bank")
