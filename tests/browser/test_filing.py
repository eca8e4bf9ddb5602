"""A person files in Chromium, from the card of a filing to the receipt; without script, too."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import Look
from tests.browser.filing_pages import YEAR, lei, register, sound, upload  # noqa: F401 -- fixtures


def test_a_dirty_file_is_corrected_verified_and_signed(site, look: Look, lei, register):
    page = look.sign_in("fay", "/filing/")
    sound(look)
    page.get_by_role("link", name=YEAR, exact=True).click()
    filing = page.url
    sound(look)

    broken = register("broken", rows=200)
    broken.write_bytes(broken.read_bytes() + b"2|three|fields\n")
    upload(page, broken)
    page.wait_for_url("**/formatting-errors/")
    expect(page.locator("main")).to_contain_text("1 line has formatting errors")
    sound(look)
    page.locator("main .usa-button", has_text="Upload a corrected file").first.click()
    sound(look)
    page.locator("#file").set_input_files(register("wrong", "V617:3"))
    expect(page.locator("#file-report")).to_contain_text("The transmittal sheet fits this filing.")
    page.get_by_role("button", name="Upload", exact=True).click()
    page.wait_for_url("**/edits/")
    sound(look)
    page.get_by_role("link", name="V617").click()
    expect(page.locator("main")).to_contain_text("3 records")
    sound(look)

    page.goto(filing)
    upload(page, register("unusual", "Q611:40", "Q631:25"))
    page.wait_for_url("**/edits/")
    sound(look)
    page.get_by_role("link", name="Review the first edit").click()
    sound(look)
    page.get_by_role("button", name="Mark as reviewed and go to the next").click()
    sound(look)
    page.get_by_role("link", name="All edits").click()
    expect(page.locator("#progress")).to_contain_text("1 of ")
    sound(look)
    page.get_by_role("button", name=re.compile("^Verify quality (and macro )?edits$")).click()
    page.wait_for_url("**/sign/")
    sound(look)
    page.get_by_text("I am an authorized representative").click()
    page.get_by_role("button", name="Sign", exact=True).click()
    page.wait_for_url("**/receipt/")
    expect(page.locator("main")).to_contain_text(re.compile(rf"{lei}-{YEAR}-3-\d{{13}}"))
    sound(look)
    look.at("/filing/")
    expect(page.locator("main")).to_contain_text("Filed on")
    sound(look)
    look.at("/filing/deadlines/")
    sound(look)


def test_a_sheet_of_another_year_is_named_before_it_is_sent(site, look: Look, lei, register):
    page = look.sign_in("fay", f"/filing/{lei}/{YEAR}/")
    page.locator("main .usa-button", has_text=re.compile("Upload a")).first.click()
    path = register("other-year", rows=50)
    path.write_bytes(path.read_bytes().replace(f"|{YEAR}|".encode(), b"|2019|", 1))
    page.locator("#file").set_input_files(path)
    expect(page.locator("#file-report")).to_contain_text(
        f"The transmittal sheet is for 2019; this filing is for {YEAR}."
    )
    sound(look)


def test_everything_works_without_script(site, without_script: Look, lei, register):
    page = without_script.sign_in("fay", f"/filing/{lei}/{YEAR}/")
    address = upload(page, register("clean", rows=500))
    for _ in range(60):
        if page.get_by_role("link", name="Certify and sign").count():
            break
        page.wait_for_timeout(1000)
        page.goto(address)
    page.get_by_role("link", name="Certify and sign").click()
    reason = page.get_by_label("Reason for filing again")  # if a test before has filed
    if reason.count():
        reason.fill("The loan files were checked.")
    page.get_by_text("I am an authorized representative").click()
    page.get_by_role("button", name="Sign", exact=True).click()
    expect(page.locator("main h1")).to_have_text("Filed")
