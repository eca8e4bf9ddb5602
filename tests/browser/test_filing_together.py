"""Two people of one institution work on the same submission at the same time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Look, lei_of
from tests.browser.filers import YEAR, employ, start
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar


@dataclass
class Two:
    """Two people, each in a browser of their own, and what a program does for them."""

    pat: Look
    lou: Look
    filer: Filer
    number: int

    @property
    def filing(self) -> str:
        return f"/filing/{self.filer.lei}/{YEAR}/"

    @property
    def address(self) -> str:
        return f"{self.filing}{self.number}/"

    def both_at(self, rest: str) -> tuple[Page, Page]:
        return self.pat.at(self.address + rest), self.lou.at(self.address + rest)


@pytest.fixture(scope="module")
def lei(site: Service) -> str:
    lei = lei_of("together")
    employ(site, lei, "pat", "lou")
    return lei


@pytest.fixture
def two(site: Service, lei: str, open_page: Callable[[str], Look]) -> Iterator[Two]:
    """Two people and a new submission with two quality edits to verify."""
    looks = [open_page(site.url), open_page(site.url)]
    for look, name in zip(looks, ("pat", "lou"), strict=True):
        look.sign_in(name, "/filing/")
    with Filer.of(site, YEAR, lei) as filer:
        number = filer.begin()["id"]["sequenceNumber"]
        filer.upload(lar(filer, rows=60, fail=("Q611:2", "Q631")), number=number)
        filer.rest(number)
        yield Two(*looks, filer, number)


def sign(page: Page) -> None:
    page.get_by_text("I am an authorized representative").click()
    page.get_by_role("button", name="Sign", exact=True).click()
    page.wait_for_url("**/receipt/")


def receipts(page: Page) -> list[str]:
    return re.findall(rf"FLOWTEST\d{{12}}-{YEAR}-\d+-\d{{13}}", page.locator("main").inner_text())


def test_both_verify_and_sign(two: Two):
    first, second = two.both_at("verify/quality/")
    for page, name in ((first, "Pat"), (second, "Lou")):
        page.get_by_label("Reason").fill(f"{name} checked the loan files.")
        page.get_by_role("button", name="Verify quality edits").click()
        page.wait_for_url("**/sign/")
        expect(page.get_by_role("status").first).to_contain_text("The quality edits are verified.")
    for page in two.both_at("sign/"):
        expect(page.locator("main")).to_contain_text(re.compile("Verified by .*pat@bank0.example"))
        expect(page.locator("main")).to_contain_text("Pat checked the loan files.")
        expect(page.locator("main")).not_to_contain_text("Lou checked")

    sign(first)
    sign(second)
    (receipt,) = set(receipts(first) + receipts(second))
    expect(second.locator("main")).to_contain_text("pat, pat@bank0.example")
    expect(second.locator("main")).not_to_contain_text("lou@bank0.example")
    page = two.lou.at(two.filing)
    row = page.get_by_role("row").filter(has_text=receipt)
    expect(row).to_have_count(1)


def test_one_removes_what_the_other_is_about_to_sign(two: Two):
    two.filer.verify("quality", number=two.number)
    page = two.pat.at(two.address + "sign/")
    other = two.lou.at(two.address + "verify/quality/")
    other.get_by_role("button", name="Remove verification").click()
    expect(other.get_by_role("status").first).to_contain_text("no longer verified")
    reason = page.get_by_label("Reason for filing again")  # if a test before has filed
    if reason.count():
        reason.fill("The loan files were checked.")
    page.get_by_text("I am an authorized representative").click()
    page.get_by_role("button", name="Sign", exact=True).click()
    expect(page.locator("h1")).to_have_text("You cannot do this now")
    expect(page.locator("main")).to_contain_text("Quality edits to verify")
    page.get_by_role("link", name="Back to submission").click()
    expect(page.get_by_role("link", name="Review and verify quality edits")).to_be_visible()


def test_the_second_file_is_refused_and_both_people_see_the_first(two: Two):
    first, second = (each.at(two.filing) for each in (two.pat, two.lou))
    start(first)
    start(second)
    content = lar(two.filer, rows=30)
    for page, name in ((first, "first.txt"), (second, "second.txt")):
        file = {"name": name, "mimeType": "text/plain", "buffer": content}
        page.locator("#file").set_input_files(file)
        expect(page.locator("#file-news")).to_have_text("The transmittal sheet fits this filing.")
    first.get_by_role("button", name="Upload", exact=True).click()
    first.wait_for_url(re.compile(r"/\d+/$"))
    second.get_by_role("button", name="Upload", exact=True).click()
    problem = second.get_by_role("alert")
    expect(problem).to_contain_text("Someone else may have uploaded a file")
    assert second.locator("#file").evaluate("each => each.files[0].name") == "second.txt"
    two.lou.complaints.clear()  # of the 409
    problem.get_by_role("link", name="Open the filing").click()
    second.wait_for_url("**" + two.filing)
    expect(second.locator("main")).to_contain_text("first.txt")
    expect(second.locator("main")).not_to_contain_text("second.txt")
    two.filer.rest(two.number + 1)


def test_one_corrects_while_the_other_verifies(two: Two):
    second = two.lou.at(two.address + "verify/quality/")
    assert two.filer.begin()["id"]["sequenceNumber"] == two.number + 1
    second.get_by_role("button", name="Verify quality edits").click()
    expect(second.get_by_role("status").first).to_contain_text("The quality edits are verified.")
    expect(second.locator("h1")).to_have_text("Certify and sign")
    page = two.pat.page
    page.goto(f"{two.pat.url}{two.filing}{two.number + 1}/")
    expect(page.locator("h1")).to_contain_text(f"Submission {two.number + 1}: Waiting for a file")
    row = two.pat.at(two.filing).get_by_role("row").filter(has_text="Ready to certify and sign")
    expect(row.first).to_be_visible()
