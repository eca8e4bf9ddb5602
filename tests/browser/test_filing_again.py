"""A person who has filed corrects a file, discards it, and files again with fewer records."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Look, lei_of
from tests.browser.filers import YEAR, employ, start
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar

FILES = (30, 10)  # records of what is filed first, and of what is filed again


@pytest.fixture(scope="module")
def lei(site: Service) -> str:
    lei = lei_of("filing again")
    employ(site, lei, "gil")
    return lei


def test_a_filing_stays_filed_until_another_file_is_signed(site: Service, lei: str, look: Look):
    with Filer.of(site, YEAR, lei) as filer:
        first, again = (lar(filer, rows=rows) for rows in FILES)
        filer.begin()
        filer.upload(first)
        filer.rest()
        assert filer.sign().status_code == 200
        filing = f"/filing/{lei}/{YEAR}/"
        page = look.sign_in("gil", filing)
        start(page)
        same = {"name": "same.txt", "mimeType": "text/plain", "buffer": first}
        page.locator("#file").set_input_files(same)
        expect(page.locator("#file-news")).to_contain_text("filed this file already")
        expect(page.locator("#file-checks")).to_contain_text("the same as what you filed")
        filer.begin()
        for address in (filing, "/filing/", f"/filing/{lei}/"):
            main = look.at(address).locator("main")
            expect(main).to_contain_text("Filed on")
            expect(main).to_contain_text("In progress: submission 2, Waiting for a file")
        look.at(filing).get_by_role("link", name="Discard submission 2").click()
        page.get_by_role("button", name="Discard submission 2").click()
        page.wait_for_url(f"**{filing}")
        expect(page.get_by_role("row").filter(has_text="Discarded on")).to_have_count(1)

        filer.begin()
        filer.upload(again, number=3)
        filer.rest(3)
        look.at(f"{filing}3/sign/")
        expect(page.locator(".usa-alert--warning")).to_contain_text("30 → 10 records")
        page.get_by_label("Reason for filing again").fill("20 records were of another bank.")
        page.get_by_text("I am an authorized representative").click()
        page.get_by_role("button", name="Sign", exact=True).click()
        page.wait_for_url("**/receipt/")
        expect(page.locator("main")).to_contain_text("20 records were of another bank.")
        for rest in ("1/", "1/receipt/", ""):
            expect(look.at(filing + rest).locator("main")).to_contain_text("Replaced by submission")
