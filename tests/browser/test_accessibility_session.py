"""A page warns before its session ends, and keeps what was typed when it has."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.conftest import NARROW, PASSWORD, WIDE, Look
from tests.browser.filers import end_session_in
from tests.flow.conftest import Service

pytestmark = pytest.mark.slow

PROFILE = reverse("profile")
WARNING, ENDED = "Your session is about to end", "You are signed out"


@pytest.mark.parametrize("path", [PROFILE, "/", reverse("admin:index")])
def test_a_page_warns_and_extends_its_session(site: Service, look: Look, path: str):
    page = look.sign_in("root", path, anew=True)
    expect(page.get_by_role("dialog")).to_have_count(0)
    end_session_in(site, page, 200)
    page.reload()
    dialog = page.get_by_role("dialog", name=WARNING)
    expect(dialog).to_contain_text("You will be signed out in 4 minutes.")
    stay = dialog.get_by_role("button", name="Stay signed in")
    expect(stay).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(page.locator("#session-news")).to_have_text("You are still signed in.")
    page.reload()
    assert int(str(page.locator("#session").get_attribute("data-seconds"))) > 24 * 3600


def test_a_warning_that_was_closed_comes_back_in_the_last_minute(site: Service, look: Look):
    page = look.sign_in("ann", PROFILE, anew=True)
    end_session_in(site, page, 66)
    page.reload()
    dialog = page.get_by_role("dialog", name=WARNING)
    expect(dialog).to_contain_text("2 minutes")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("seconds")
    dialog.get_by_role("button", name="Sign out").click()
    page.get_by_role("link", name="Sign in").first.wait_for()


def test_tabs_agree(site: Service, look: Look):
    first = look.sign_in("ann", PROFILE, anew=True)
    end_session_in(site, first, 200)
    second = first.context.new_page()
    for page in (first, second):
        page.goto(look.url + PROFILE)
        expect(page.get_by_role("dialog", name=WARNING)).to_be_visible()
    second.get_by_role("button", name="Stay signed in").click()
    for page in (first, second):
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_what_was_typed_outlives_the_session(site: Service, look: Look):
    page = look.sign_in("ann", PROFILE, anew=True)
    end_session_in(site, page, 4)
    page.reload()
    page.evaluate("document.getElementById('id_first_name').value = 'Anne'")
    dialog = page.get_by_role("dialog", name=ENDED)
    expect(dialog).to_be_visible()
    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    page.set_viewport_size(WIDE)
    dialog.get_by_role("button", name="Back to the page").click()
    page.get_by_role("button", name="Save name").click()
    expect(dialog).to_be_visible()  # nothing was sent
    with page.context.expect_page() as opened:
        dialog.get_by_role("link", name="Sign in").click()
    other = opened.value
    other.fill("[name=username]", "ann")
    other.fill("[name=password]", PASSWORD)
    other.click("main [type=submit]")
    other.get_by_role("heading", name="You are signed in").wait_for()
    other.close()
    page.bring_to_front()
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(dialog).to_be_hidden()
    expect(page.locator("#session-news")).to_contain_text("You are signed in again.")
    page.get_by_role("button", name="Save name").click()
    page.get_by_text("Your name was saved.").wait_for()
    assert page.locator("#id_first_name").input_value() == "Anne"
