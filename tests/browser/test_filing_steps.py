"""The steps of a filing without script, and to the end with an old sign-in."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Look, lei_of
from tests.browser.filers import YEAR, employ, make_proof_old
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar

BROKEN, UNUSUAL = 1, 2


@pytest.fixture(scope="module")
def lei(site: Service) -> str:
    """An institution with a broken file, and one that is verified."""
    lei = lei_of("steps")
    employ(site, lei, "sky")
    with Filer.of(site, YEAR, lei) as filer:
        filer.file(lar(filer, rows=60) + b"2|three|fields\n", number=BROKEN)
        filer.file(lar(filer, rows=60, fail=("Q611:2", "Q637")), number=UNUSUAL)
        filer.verify("quality", number=UNUSUAL)
        filer.verify("macro", number=UNUSUAL)
        filer.begin()
    return lei


def test_the_sign_page_asks_who_signed_in_a_while_ago_to_sign_in_again(
    site: Service, look: Look, lei: str
):
    address = f"/filing/{lei}/{YEAR}/{UNUSUAL}/sign/"
    page = look.sign_in("sky", address, anew=True)
    expect(page.get_by_role("checkbox")).to_have_count(1)
    make_proof_old(site, page)
    look.at(address)
    expect(page.get_by_role("checkbox")).to_have_count(0)
    expect(page.get_by_role("status").first).to_contain_text("To sign, sign in again.")
    look.at(f"/filing/{lei}/{YEAR}/{BROKEN}/sign/", status=400)
    expect(page.locator("main")).to_contain_text(f"State of submission {BROKEN}: Formatting errors")


def test_the_whole_way_is_there_without_script(site: Service, without_script: Look, lei: str):
    with Filer.of(site, YEAR, lei) as filer:
        good = lar(filer, rows=60, fail=("Q611:2", "Q637"))
        wrong = lar(filer, rows=60, fail=("V617:2",))
    page = without_script.sign_in("sky", "/filing/")
    page.get_by_role("link", name=YEAR, exact=True).click()

    def send(content: bytes, then: str) -> str:
        file = {"name": "lar.txt", "mimeType": "text/plain", "buffer": content}
        page.locator("#file").set_input_files(file)
        page.get_by_role("button", name="Upload", exact=True).click()
        page.wait_for_url(re.compile(r"/\d+/$"))
        address, following = page.url, page.get_by_role("link", name=then).first
        for _ in range(120):
            if following.count():
                break
            page.wait_for_timeout(500)
            page.goto(address)
        following.click()
        return address

    def correct() -> None:
        page.locator("main .usa-button", has_text="Upload a corrected file").first.click()

    page.get_by_role("link", name="Upload a file").click()  # of the submission without one
    send(good + b"2|three|fields\n", "Review formatting errors")
    expect(page.locator("main")).to_contain_text("1 line has formatting errors")
    correct()
    send(wrong, "Review edits")
    page.get_by_role("link", name="V617", exact=True).click()
    expect(page.locator("main")).to_contain_text("Triggered by 2 records")
    page.get_by_role("link", name="All edits").click()
    correct()
    send(good, "Review and verify quality edits")
    for kind in ("quality edits only", "macro edits"):
        page.get_by_label("Reason").fill("The loan files were checked.")
        page.get_by_role("button", name=f"Verify {kind}", exact=True).click()
    page.wait_for_url("**/sign/")
    page.get_by_text("I am an authorized representative").click()
    page.get_by_role("button", name="Sign", exact=True).click()
    expect(page.locator("h1")).to_have_text("Filed")
    is_receipt = re.compile(rf"{lei}-{YEAR}-\d+-\d{{13}}")
    expect(page.locator("main")).to_contain_text(is_receipt)
