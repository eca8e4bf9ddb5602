"""A person files with the keyboard alone, from signing in to the printed receipt.

Only the system's dialog for files is out of reach: the focused field is given its file.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PASSWORD, Look, lei_of
from tests.browser.filers import YEAR, employ, make_proof_old
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar

MOST_STOPS = 12  # from the top of the main part to the button that goes on
MANY = 60  # more stops than a page has

# The focused element: its name, its place on the page, and whether one sees where the focus is.
_FOCUS = """() => {
  const each = document.activeElement, box = each.getBoundingClientRect();
  const card = each.closest(".usa-card")?.getBoundingClientRect() ?? { top: box.top, left: 0 };
  const label = each.labels?.[0];
  const drawn = [[each, ""], ...(label ? [[label, "::before"]] : [])].some(([at, part]) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(at, part || null);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  });
  const part = each.classList.contains("usa-checkbox__input") ? label : each;
  const seen = part.getBoundingClientRect();
  return {
    name: (label?.textContent ?? each.ariaLabel ?? each.textContent).trim().replace(/\\s+/g, " "),
    text: each.outerHTML.slice(0, 150),
    place: [card.top + scrollY, card.left, box.top + scrollY], // cards stand side by side
    drawn,
    seen: seen.bottom > 0 && seen.top < innerHeight,
    main: Boolean(each.closest("main")),
  };
}"""


class Keyboard:
    """Walks through pages with the keys alone."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.press = page.keyboard.press
        self.type = page.keyboard.type

    def skip(self) -> None:
        """Skip to the main part, as the first stop of each page offers."""
        self.page.wait_for_load_state("load")
        if self.page.url.endswith("#main"):  # a redirect keeps it, and the browser begins there
            return
        self.press("Tab")
        expect(self.page.locator(".usa-skipnav")).to_be_in_viewport()  # it slides in
        focus = self.focus()
        assert focus["name"] == "Skip to main content", focus
        self.press("Enter")
        assert self.page.evaluate("document.activeElement.id") == "main"

    def to(self, name: str) -> int:
        """Go on to a part of the page; return how many stops there were."""
        places = []
        for stops in range(1, MANY):
            self.press("Tab")
            focus = self.focus()
            places.append(focus["place"])
            assert focus["main"], f"{self.page.url} has no {name!r}, last was {focus}"
            if re.match(name, focus["name"]):
                assert places == sorted(places), f"{self.page.url}: the order is {places}"
                return stops
        raise AssertionError(f"{self.page.url} has no {name!r}")

    def go(self, name: str, key: str = "Enter") -> None:
        """Skip to the main part, go on to what is the next step there, and press it."""
        self.skip()
        assert self.to(name) <= MOST_STOPS
        self.press(key)

    def focus(self) -> dict[str, object]:
        focus = dict(self.page.evaluate(_FOCUS))
        assert focus["drawn"], f"{self.page.url}: no focus is seen on {focus}"
        assert focus["seen"], f"{self.page.url}: {focus} is out of sight"
        return focus

    def sign_in(self, name: str) -> None:
        """Fill in the form of the provider, whose first field has the focus."""
        self.page.wait_for_selector("[name=username]:focus")
        self.type(name)
        self.press("Tab")
        self.type(PASSWORD)
        self.press("Enter")


@pytest.fixture(scope="module")
def lei(site: Service) -> str:
    lei = lei_of("keyboard")
    employ(site, lei, "kim")
    return lei


def test_a_person_files_with_the_keyboard_alone(site: Service, look: Look, lei: str):
    with Filer.of(site, YEAR, lei) as filer:
        content = lar(filer, rows=200, fail=("Q611:2", "Q637"))
    page, keys = look.page, Keyboard(look.page)
    look.at("/filing/")
    keys.sign_in("kim")
    page.wait_for_url("**/filing/")

    keys.go(f"Upload a file for {YEAR}")  # other tests may have opened other years
    page.wait_for_url(f"**/{YEAR}/upload/")
    keys.skip()
    keys.to(r"Loan Application Register")
    file = {"name": "lar.txt", "mimeType": "text/plain", "buffer": content}
    page.locator("input:focus").set_input_files(file)
    expect(page.locator("#file-news")).to_have_text("The transmittal sheet fits this filing.")
    assert keys.to("Upload$") == 1
    keys.press("Shift+Tab")
    assert page.evaluate("document.activeElement.id") == "file"
    keys.press("Tab")
    keys.press("Enter")
    page.wait_for_url(re.compile(r"/\d+/$"))
    address = re.compile(re.escape(page.url) + "(#main)?$")  # a redirect keeps the fragment

    page.wait_for_url("**/edits/")  # where it goes on by itself
    keys.skip()
    keys.to("Q611")
    keys.press("Enter")
    expect(page.locator("h1")).to_have_text("Quality edit Q611")
    keys.skip()
    keys.to("Submission 1")
    keys.press("Enter")
    page.wait_for_url(address)

    keys.go("Review and verify quality edits")
    page.wait_for_url(re.compile(r"/edits/(#main)?$"))
    keys.skip()
    keys.to("Review the first edit")
    keys.press("Enter")
    page.wait_for_url(re.compile(r"/edits/Q[0-9-]+/"))
    keys.skip()
    keys.to("Why the data is accurate")
    keys.type("The loan files say so.")
    assert keys.to("Mark as reviewed and go to the next") == 1
    keys.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("is marked as reviewed")
    keys.skip()
    keys.to("All edits")
    keys.press("Enter")
    expect(page.locator("#progress")).to_contain_text("1 of ")
    keys.to("Reason")  # from the edit on, at whose place the list opens
    keys.type("The macro edits were compared with the loan files.")
    assert keys.to("Verify quality and macro edits") == 1
    keys.press("Enter")
    page.wait_for_url(re.compile(r"/sign/(#.*)?$"))
    expect(page.get_by_role("status").first).to_contain_text("edits are verified.")

    make_proof_old(site, page)
    page.reload()
    expect(page.locator("main")).to_contain_text("To sign, sign in again.")
    keys.go("Sign in again")
    page.wait_for_selector("[name=password]:focus")  # who signs in is filled in
    expect(page.locator("[name=username]")).to_have_value("kim")
    keys.type(PASSWORD)
    keys.press("Enter")
    page.wait_for_url("**/sign/")
    expect(page.locator("main")).to_contain_text("The macro edits were compared")
    keys.go("I am an authorized representative", "Space")
    expect(page.get_by_role("checkbox")).to_be_checked()
    assert keys.to("Sign$") == 1
    keys.press("Enter")
    page.wait_for_url(re.compile(r"/receipt/(#main)?$"))
    expect(page.locator("main")).to_contain_text(f"{lei}-{YEAR}-1-")

    page.emulate_media(media="print")
    for left_out in ("header.usa-header", ".site-steps", ".usa-breadcrumb", "footer", "#next"):
        expect(page.locator(left_out)).to_be_hidden()
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.locator("main")).to_contain_text("SHA-256")
