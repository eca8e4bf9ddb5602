"""The page of a submission and those below it, as the help desk sees them."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Look, lei_of, save_download
from tests.browser.states_for_staff import SIGNED, STOPPED, UNREADABLE, file_submissions
from tests.flow.conftest import Service

pytestmark = pytest.mark.slow

LEI, YEAR = lei_of("submission page"), "2024"
SUBMISSIONS = "/admin/filing/submission/"


@pytest.fixture(scope="module")
def filed(site: Service) -> Service:
    """The service with four submissions of a filing: signed, with edits, unreadable, and empty."""
    file_submissions(site, LEI)
    return site


@pytest.fixture(scope="module")
def signed_in(filed: Service, browser: Browser) -> tuple[list[Any], dict[int, str]]:
    """The cookies of the help desk, and the address of each submission's page by its number."""
    context = browser.new_context()
    look = Look(context.new_page(), filed.url)
    look.sign_in("desk", "/admin/")
    page = look.at(f"{SUBMISSIONS}?q={LEI}-{YEAR}")
    links = page.locator("#result_list tbody tr").evaluate_all(
        "rows => rows.map(row => row.querySelector('a').getAttribute('href'))"
    )
    pages = {}
    for link in links:
        address = link.partition("?")[0]
        title = look.at(address).locator("h1").last.inner_text()
        pages[int(title.rpartition("-")[2])] = address.removesuffix("change/")
    for address in pages.values():  # the session keeps the reason for each submission
        look.at(f"{address}as-filer/")
        page.get_by_label("Reason").fill("The filer asks about line 17.")
        page.get_by_role("button", name="Open the records").click()
        expect(page.locator("#content pre").first).to_be_visible()
    cookies = context.cookies()
    context.close()
    return cookies, pages


@pytest.fixture
def look(look: Look, signed_in: tuple[list[Any], dict[int, str]]) -> Look:
    look.page.context.add_cookies(signed_in[0])
    return look


@pytest.fixture
def pages(signed_in: tuple[list[Any], dict[int, str]]) -> dict[int, str]:
    return signed_in[1]


def test_the_reason_for_opening_records_is_asked_by_keyboard(
    look: Look, pages: dict[int, str]
) -> None:
    key = pages[UNREADABLE].rstrip("/").rpartition("/")[2]
    page = look.at(f"/filing/reason/{key}/?next={pages[UNREADABLE]}format-errors/")
    page.evaluate("document.querySelector('main form').noValidate = true")
    page.get_by_label("Reason").press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("at least 10 characters")
    page.get_by_role("alert").get_by_role("link").press("Enter")
    page.keyboard.type("The filer asks about line 7.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Lines with formatting errors")).to_be_visible()


def test_who_looked_is_listed(look: Look, pages: dict[int, str]) -> None:
    page = look.at(pages[SIGNED] + "change/")
    page.get_by_role("link", name="Who looked").click()
    expect(page.get_by_role("region", name="Entries, newest first")).to_contain_text(
        "as the filer sees it"
    )


def test_why_did_this_one_stop(look: Look, pages: dict[int, str]) -> None:
    page = look.at(pages[STOPPED] + "change/")
    expect(page.locator(".stopped")).to_contain_text("V611 (30)")
    expect(page.locator(".helps")).to_contain_text("uploads it in a new submission")
    look.picture("why-it-stopped")
    page.get_by_role("link", name="V611").click()
    expect(page.locator("#content tbody th")).to_have_count(20)
    page.get_by_role("link", name="Next").click()
    expect(page.locator("#content tbody th")).to_have_count(10)


def test_who_signed_and_when(look: Look, pages: dict[int, str]) -> None:
    page = look.at(pages[SIGNED] + "change/")
    signature = page.get_by_role("region", name="Signature and receipt")
    expect(signature).to_contain_text(f"{LEI}-{YEAR}-1-")
    expect(signature).to_contain_text("ann@bank.example")
    look.picture("who-signed")
    signature.get_by_role("link", name="Check the stored file").click()
    expect(page.locator(".helps")).to_contain_text("The stored file is the one that was signed.")


def test_what_changed_between_two(look: Look, pages: dict[int, str]) -> None:
    page = look.at(pages[STOPPED] + "change/")
    page.get_by_role("link", name="Compare", exact=True).click()
    loans = page.get_by_role("region", name="Records", exact=True)
    expect(loans.get_by_role("row", name="Removed")).to_contain_text("2")
    expect(loans.get_by_role("row", name="Changed")).to_contain_text("30")
    look.picture("what-changed")
    page.get_by_label("Compare with").select_option(index=1)
    page.get_by_role("button", name="Compare").click()
    name, _ = save_download(page, page.get_by_role("link", name="All changes of records as CSV"))
    assert name.endswith(".csv")


def test_the_file_is_downloaded_with_a_reason(look: Look, pages: dict[int, str]) -> None:
    page = look.at(pages[SIGNED] + "file/")
    page.get_by_label("Reason").fill("The filer asks about line 17.")
    name, _ = save_download(page, page.get_by_role("button", name="Download"))
    assert name == "lar.txt"
    page = look.at(pages[SIGNED] + "change/")
    told = page.get_by_role("region", name="Timeline")
    expect(told).to_contain_text("The filer asks about line 17.")


def test_why_a_person_cannot_sign_is_asked_by_keyboard(look: Look, pages: dict[int, str]) -> None:
    page = look.at(pages[SIGNED] + "change/")
    page.get_by_role("link", name="Why can this person not sign?").press("Enter")
    page.get_by_label("Person").fill("nobody")
    page.get_by_label("Person").press("Enter")
    expect(page.locator("#id_person_error")).to_contain_text("No one person has this name")
    page.get_by_label("Person").fill("desk")
    page.get_by_label("Person").press("Enter")
    expect(page.get_by_text("Cannot sign.")).to_be_visible()
    expect(page.get_by_role("row", name="Is it checked, with its edits verified?")).to_contain_text(
        "signed already"
    )
