"""A person who has nothing signs up and files 5,000 records, by mouse, to the printed receipt."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Look, bank_of, email_of, emailed_path
from tests.browser.filers import YEAR
from tests.browser.journeys import Journey
from tests.flow.conftest import ALWAYS, Service

PASSWORD = "quiet lake 9 morning"
BANK, EMAIL = bank_of("sign-up"), email_of("sign-up", "wanda")
ROWS = 5_000


def sign_up(site: Service, look: Look) -> Page:
    """Create an account from the home page, and confirm it by the link of the email."""
    page = look.at("/")
    page.locator("header").get_by_role("link", name="Create an account").click()
    page.locator("#id_first_name").fill("Wanda")
    page.locator("#id_last_name").fill("Example")
    page.locator("#id_email").fill(EMAIL)
    page.locator("#id_password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    page.wait_for_url("**/sign-up/sent/")
    look.at(emailed_path(site, EMAIL, r"/sign-up/\S+/\S+"))
    page.locator("#id_password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm and sign in").click()
    page.wait_for_url("**/filing/institutions/")
    return page


def test_from_sign_up_to_the_printed_receipt(site: Service, look: Look, tmp_path: Path) -> None:
    site.manage_all(["load_census", YEAR, "--demo"], ["open_season", YEAR, *ALWAYS])
    page = sign_up(site, look)
    walk = Journey(page)
    walk.read()
    look.is_sound()
    look.fits()
    expect(page.get_by_role("checkbox", name=re.compile(BANK))).to_be_checked()  # the only one
    save = page.get_by_role("button", name="Save and continue")
    walk.click(save, until=page.get_by_text("Your institutions were saved."))
    look.is_sound()
    if not page.url.endswith("/upload/"):  # more than one period waits for a file
        upload = page.get_by_role("link", name=f"Upload a file for {YEAR}, {BANK}")
        walk.click(upload, until="**/upload/")
    lei = page.url.split("/filing/")[1].split("/")[0]
    register = tmp_path / "lar.txt"
    words = ("--year", YEAR, "--lei", lei, "--rows", str(ROWS), "--fail", "Q611:40")
    site.manage("make_lar", str(register), *words)
    walk.bring(page.locator("#file"), register)
    expect(page.locator("#file-report")).to_contain_text("The transmittal sheet fits this filing.")
    verify = page.get_by_role("link", name="Review and verify quality edits")
    walk.click(page.get_by_role("button", name="Upload", exact=True), until=verify)
    assert walk.clicks <= 4

    button = page.get_by_role("button", name=re.compile("^Verify quality (and macro )?edits$"))
    walk.click(verify, until=button)
    walk.click(button, until="**/sign/")
    walk.click(page.get_by_text("I am an authorized representative"))
    walk.click(page.get_by_role("button", name="Sign", exact=True), until="**/receipt/")
    assert walk.clicks <= 10, walk.summarize("From the confirmed email to the receipt")
    receipt = page.locator("main code").first.inner_text()
    assert re.fullmatch(rf"{lei}-{YEAR}-1-\d{{13}}", receipt)
    expect(page.locator("main")).to_contain_text(f"{ROWS:,} records")
    look.is_sound()

    page.emulate_media(media="print")
    expect(page.get_by_text(receipt)).to_be_visible()
    expect(page.get_by_role("button", name="Send the receipt by email again")).not_to_be_visible()
    assert page.pdf().startswith(b"%PDF")
