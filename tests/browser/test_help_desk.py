"""What the help desk is asked most, from the front page: each answer is three clicks away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Look, lei_of
from tests.flow.conftest import ALWAYS, Service
from tests.flow.filer import Filer, lar

LEI, FAILED_LEI, YEAR = lei_of("help desk"), lei_of("failure"), "2024"
CALLS_LEI, FIRST = lei_of("calls"), "FLOWTEST000000000001"
FRONT = "/admin/"
MOST_CLICKS = 3
WRONG_QUARTER, FOREIGN, STUCK = 1, 2, 3  # numbers of the submissions of another institution
# A worker was lost with its job, an hour ago.
LEAVE_STUCK = """
from datetime import timedelta
from django.utils import timezone
from filing.models import Filing, Submission
filing = Filing.objects.get(institution__lei={lei!r}, period__year={year}, period__quarter="")
Submission.objects.create(filing=filing, sequence_number={number}, status=4, file_name="lar.txt",
    changed_at=timezone.now() - timedelta(hours=1))
"""


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

    def give_reason_if_asked(self) -> None:
        """Enter the reason for which staff see records, once an hour for each submission."""
        reason = self.page.get_by_label("Reason")
        if "/reason/" in self.page.url and reason.count():
            reason.fill("The filer calls.")
            self.press("Open the records")

    def reads(self, *texts: str) -> None:
        for text in texts:
            body = self.page.locator("body")
            expect(body).to_contain_text(text, use_inner_text=True, ignore_case=True)


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
        foreign = lar(filer, rows=25, fail=("Q611:2",))
    with Filer.of(site, YEAR, FAILED_LEI) as other:
        whole = lar(other, rows=50)
        assert other.file(whole[:-200] + b"\xff" + whole[-200:])["status"]["code"] == -1
    with Filer.of(site, f"{YEAR}-Q1", CALLS_LEI) as quarterly:
        quarter = lar(quarterly, rows=25)
    with Filer.of(site, YEAR, CALLS_LEI) as third:
        assert third.file(quarter, number=WRONG_QUARTER)["status"]["code"] == 9
        assert third.file(foreign, number=FOREIGN)["status"]["code"] in (9, 11)
    site.manage(
        "shell", "-v", "0", "-c",
        LEAVE_STUCK.format(lei=CALLS_LEI, year=YEAR, number=STUCK),
    )  # fmt: skip
    return str(signed["receipt"])


@pytest.fixture(scope="module")
def cookies(site: Service, browser: Browser) -> dict[str, list[Any]]:
    """The cookies of the help desk and of an operator, who sign in once."""
    found = {}
    for person in ("desk", "root"):
        context = browser.new_context()
        Look(context.new_page(), site.url).sign_in(person, FRONT)
        found[person] = context.cookies()
        context.close()
    return found


@pytest.fixture
def desk(
    look: Look,
    cookies: dict[str, list[Any]],
    receipt: str,
    request: pytest.FixtureRequest,
) -> Iterator[Clicks]:
    """The front page; in the end not more was clicked than three times, and the page is sound.

    How long it took is printed: `pytest -s` shows it.
    """
    look.page.context.add_cookies(cookies[getattr(request, "param", "desk")])
    clicks, began = Clicks(look), time.monotonic()
    yield clicks
    seconds = time.monotonic() - began
    print(f"{request.node.name}: {clicks.clicks} clicks, {seconds:.1f} s")
    assert 1 <= clicks.clicks <= MOST_CLICKS


def test_a_submission_is_found_by_its_receipt(desk: Clicks, look: Look, receipt: str) -> None:
    look.picture("front-page")
    desk.search(receipt)
    desk.reads(f"Submission {LEI}-{YEAR}-2", receipt)


CALLS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "My file is stuck": (
        f"{CALLS_LEI}-{YEAR}-{STUCK}",
        (),
        ("Waiting for the service", "What to do", "An operator"),
    ),
    "I lost my receipt": (LEI, (f"{LEI}-{YEAR}-2",), ("Receipt number", "Send the receipt again")),
    "I signed the wrong file": (
        f"{LEI}-{YEAR}-2",
        (),
        ("uploads the right file in a new submission",),
    ),
    "It says an error occurred": (f"{FAILED_LEI}-{YEAR}-1", (), ("Why it stopped", "is not UTF-8")),
    "Which edits had we last year": (LEI, ("Edits",), ("Q611",)),
    "A colleague has left": ("ann@bank1.example", ("Rights",), ("ann", "Why")),
    "Why this edit": (f"{LEI}-{YEAR}-2", ("Q611",), ("Q611", "HOEPA Status")),
    "The counts differ": (f"{LEI}-{YEAR}-2", ("Compare",), ("Removed", "Added")),
    "We sent the wrong quarter": (
        f"{CALLS_LEI}-{YEAR}-{WRONG_QUARTER}",
        (),
        ("Triggered:", "uploads it in a new submission"),
    ),
    "We sent the file of another bank": (
        f"{CALLS_LEI}-{YEAR}-{FOREIGN}",
        (),
        ("of another institution", LEI),
    ),
    "I got no email": ("ann@bank.example", (), ("Emails", "To ann@bank.example, sent")),
    "Send me my file": (f"{LEI}-{YEAR}-2", ("Download the file",), ("reason",)),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_answered_from_one_search(desk: Clicks, call: str) -> None:
    text, links, answers = CALLS[call]
    desk.search(text)
    for link in links:
        desk.follow(link)
    if not call.startswith("Send me"):
        desk.give_reason_if_asked()
    desk.reads(*answers)


NOT_FILED = lei_of("has not filed")
OPERATORS_CALLS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "Where is my submission": (f"{LEI}-{YEAR}-2", (), ("Since", "Next:")),
    "What did we upload": (f"{LEI}-{YEAR}-2", (), ("File", "SHA-256", "Records")),
    "Who may file for us": (FIRST, ("People",), ("ann", "Bank")),
    "Add a colleague": (FIRST, ("People", "Add membership"), ("Reason",)),
    "Cancel our filing": (
        NOT_FILED,
        (f"{YEAR} (not started)", "Cancel the filing"),
        ("no longer expected", "Go back"),
    ),
    "Why are we late": (NOT_FILED, (f"{YEAR} (not started)",), ("Filing deadline",)),
    "What did you publish": ("", ("Data set versions", "2021-1"), ("Published", "since")),
}


@pytest.mark.parametrize("desk", ["root"], indirect=True)
@pytest.mark.parametrize("call", OPERATORS_CALLS)
def test_a_call_for_operators_is_answered_from_the_front_page(desk: Clicks, call: str) -> None:
    text, links, answers = OPERATORS_CALLS[call]
    if text:
        desk.search(text)
    for link in links:
        desk.follow(link)
    desk.reads(*answers)
