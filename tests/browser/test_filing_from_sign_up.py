"""A person who has nothing signs up and files 5,000 records, by mouse, to the printed receipt."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Look, bank_of, email_of, emailed_path
from tests.browser.filers import YEAR
from tests.browser.journeys import Journey
from tests.flow.conftest import ALWAYS, Service

PASSWORD = "quiet lake 9 morning"
BANK, EMAIL = bank_of("sign-up"), email_of("sign-up", "wanda")
ROWS = 5_000


def sign_up(site: Service, walk: Journey) -> None:
    """Create an account from the home page, and confirm it by the link of the email."""
    page = walk.page
    create = page.locator("header").get_by_role("link", name="Create an account")
    walk.click(create, until="**/sign-up/")
    walk.fill(page.locator("#id_first_name"), "Wanda")
    walk.fill(page.locator("#id_last_name"), "Example")
    walk.fill(page.locator("#id_email"), EMAIL)
    walk.fill(page.locator("#id_password"), PASSWORD)
    walk.click(page.get_by_role("button", name="Create account"), until="**/sign-up/sent/")
    walk.open_email(site.url + emailed_path(site, EMAIL, r"/sign-up/\S+/\S+"))
    walk.fill(page.locator("#id_password"), PASSWORD)
    confirm = page.get_by_role("button", name="Confirm and sign in")
    walk.click(confirm, until="**/filing/institutions/")


def test_from_sign_up_to_the_printed_receipt(site: Service, look: Look, tmp_path: Path) -> None:
    site.manage_all(
        ["load_census", YEAR, "--demo"], ["open_season", YEAR, "--no-quarters", *ALWAYS]
    )
    walk = Journey(look.at("/"))
    walk.read()
    page = walk.page
    sign_up(site, walk)
    expect(page.get_by_role("checkbox", name=re.compile(BANK))).to_be_checked()  # the only one
    save = page.get_by_role("button", name="Save and continue")
    walk.click(save, until=page.get_by_text("Your institutions were saved."))
    several = not page.url.endswith("/upload/")  # of periods that wait for a file
    if several:
        upload = page.get_by_role("link", name=f"Upload a file for {YEAR}, {BANK}")
        walk.click(upload, until="**/upload/")
    lei = page.url.split("/filing/")[1].split("/")[0]
    register = tmp_path / "lar.txt"
    words = ("--year", YEAR, "--lei", lei, "--rows", str(ROWS), "--fail", "Q611:40")
    site.manage("make_lar", str(register), *words)
    walk.bring(page.locator("#file"), register)
    expect(page.locator("#file-report")).to_contain_text("The transmittal sheet fits this filing.")
    verify = page.get_by_role("button", name=re.compile("^Verify quality (and macro )?edits$"))
    walk.click(page.get_by_role("button", name="Upload", exact=True), until=verify)
    walk.click(verify, until="**/sign/")
    walk.click(page.get_by_text("I am an authorized representative"))
    walk.click(page.get_by_role("button", name="Sign", exact=True), until="**/receipt/")
    print(walk.summarize("first receipt"))
    assert walk.clicks <= (11 if several else 10)
    assert walk.seconds / 60 <= (6 if several else 5)
    receipt = page.locator("main code").first.inner_text()
    assert re.fullmatch(rf"{lei}-{YEAR}-1-\d{{13}}", receipt)
    expect(page.locator("main")).to_contain_text(f"{ROWS:,} records")

    page.emulate_media(media="print")
    expect(page.get_by_text(receipt)).to_be_visible()
    expect(page.get_by_role("button", name="Send the receipt by email again")).not_to_be_visible()
    assert page.pdf().startswith(b"%PDF")
