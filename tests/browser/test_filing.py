"""A person files in Chromium, from the card of a filing to the receipt."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Look, lei_of
from tests.browser.filers import YEAR, employ, register, start, upload  # noqa: F401 -- fixtures
from tests.flow.conftest import Service


@pytest.fixture(scope="module")
def lei(site: Service) -> str:
    lei = lei_of("filing")
    employ(site, lei, "fay")
    return lei


def test_a_dirty_file_is_corrected_verified_and_signed(site, look: Look, lei, register):
    page = look.sign_in("fay", "/filing/")
    page.get_by_role("link", name=YEAR, exact=True).click()
    filing = page.url

    broken = register("broken", rows=200)
    broken.write_bytes(broken.read_bytes() + b"2|three|fields\n")
    upload(page, broken)
    page.wait_for_url("**/formatting-errors/")
    expect(page.locator("main")).to_contain_text("1 line has formatting errors")
    page.locator("main .usa-button", has_text="Upload a corrected file").first.click()
    page.locator("#file").set_input_files(register("wrong", "V617:3"))
    expect(page.locator("#file-report")).to_contain_text("The transmittal sheet fits this filing.")
    page.get_by_role("button", name="Upload", exact=True).click()
    page.wait_for_url("**/edits/")
    page.get_by_role("link", name="V617").click()
    expect(page.locator("main")).to_contain_text("3 records")

    page.goto(filing)
    upload(page, register("unusual", "Q611:40", "Q631:25"))
    page.wait_for_url("**/edits/")
    page.get_by_role("link", name="Review the first edit").click()
    page.get_by_role("button", name="Mark as reviewed and go to the next").click()
    page.get_by_role("link", name="All edits").click()
    expect(page.locator("#progress")).to_contain_text("1 of ")
    page.get_by_role("button", name=re.compile("^Verify quality (and macro )?edits$")).click()
    page.wait_for_url("**/sign/")
    page.get_by_text("I am an authorized representative").click()
    page.get_by_role("button", name="Sign", exact=True).click()
    page.wait_for_url("**/receipt/")
    expect(page.locator("main")).to_contain_text(re.compile(rf"{lei}-{YEAR}-3-\d{{13}}"))
    look.at("/filing/")
    expect(page.locator("main")).to_contain_text("Filed on")
