"""What the help desk is asked most, from the front page: each answer is three clicks away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Look, bank_of, lei_of
from tests.flow.conftest import ALWAYS, Service
from tests.flow.filer import Filer, lar

LEI, FAILED_LEI, YEAR = lei_of("help desk"), lei_of("failure"), "2024"
FRONT = "/admin/"
MOST_CLICKS = 3


class Clicks:
    """A member of the help desk on the front page, whose clicks are counted."""

    def __init__(self, look: Look) -> None:
        self.page = look.at(FRONT)
        self.clicks = 0

    def search(self, text: str) -> None:
        self.page.get_by_label("Find a submission").fill(text)
        self.press("Search")

    def press(self, name: str) -> None:
        self.clicks += 1
        self.page.get_by_role("button", name=name).click()

    def follow(self, name: str) -> None:
        self.clicks += 1
        self.page.get_by_role("link", name=name, exact=True).first.click()

    def reads(self, *texts: str) -> None:
        for text in texts:
            expect(self.page.locator("body")).to_contain_text(text, use_inner_text=True)


@pytest.fixture(scope="module")
def receipt(site: Service) -> str:
    """The receipt of the second submission of a filing; beside it the one of another has failed."""
    site.manage("load_census", YEAR, "--demo")
    site.manage("open_season", YEAR, *ALWAYS)
    with Filer.of(site, YEAR, LEI) as filer:
        first = lar(filer, rows=50, fail=("Q611:3",))
        filer.file(first)
        sheet, *loans = first.decode().splitlines()
        filer.file("\n".join([sheet.replace("|50|", "|49|"), *loans[1:], ""]).encode(), number=2)
        for kind in ("quality", "macro"):
            filer.verify(kind, number=2)
        signed = filer.sign(2).json()
    with Filer.of(site, YEAR, FAILED_LEI) as other:
        whole = lar(other, rows=50)
        assert other.file(whole[:-200] + b"\xff" + whole[-200:])["status"]["code"] == -1
    return str(signed["receipt"])


@pytest.fixture(scope="module")
def signed_in(site: Service, browser: Browser) -> list[Any]:
    """The cookies of the help desk, which signs in once."""
    context = browser.new_context()
    Look(context.new_page(), site.url).sign_in("desk", FRONT)
    cookies = context.cookies()
    context.close()
    return cookies


@pytest.fixture
def desk(
    look: Look,
    signed_in: list[Any],
    receipt: str,
    request: pytest.FixtureRequest,
) -> Iterator[Clicks]:
    """The front page; in the end not more was clicked than three times, and the page is sound.

    How long it took is printed: `pytest -s` shows it.
    """
    look.page.context.add_cookies(signed_in)
    clicks, began = Clicks(look), time.monotonic()
    yield clicks
    seconds = time.monotonic() - began
    print(f"{request.node.name}: {clicks.clicks} clicks, {seconds:.1f} s")
    assert 1 <= clicks.clicks <= MOST_CLICKS
    look.is_sound(after="load")


def test_a_submission_is_found_by_its_receipt(desk: Clicks, look: Look, receipt: str) -> None:
    look.picture("front-page")
    desk.search(receipt)
    desk.reads(f"Submission {LEI}-{YEAR}-2", receipt)


def test_it_is_told_why_one_stopped(desk: Clicks) -> None:
    desk.follow("Submissions that need attention")
    desk.follow(bank_of("failure"))
    desk.reads("Why it stopped", "is not UTF-8")


def test_it_is_told_who_signed_and_when(desk: Clicks, receipt: str) -> None:
    desk.search(f"{LEI}-{YEAR}-2")
    desk.reads("Signature and receipt", "Signed by", "ann@bank.example", "Signed at", receipt)


def test_it_is_told_what_changed_between_two_files(desk: Clicks) -> None:
    desk.search(f"{LEI}-{YEAR}-2")
    desk.follow("Compare")
    desk.page.get_by_label("Reason").fill("The filer asks what the new file changed.")
    desk.press("Open the records")
    desk.reads(f"From {LEI}-{YEAR}-1", "Removed\t1", "Added\t0", "The same in both\t49")


def test_a_receipt_is_sent_again(desk: Clicks, receipt: str) -> None:
    desk.search(receipt)
    desk.follow("Send the receipt again")
    desk.page.get_by_label("Reason").fill("The mail was lost.")
    desk.press("Send the receipt again")
    desk.reads("Done for 1 of 1.")


def test_it_is_told_who_has_not_filed(desk: Clicks, look: Look) -> None:
    desk.follow("Who has not filed")
    desk.reads(lei_of("has not filed"), bank_of("has not filed"))
    look.picture("who-has-not-filed")
