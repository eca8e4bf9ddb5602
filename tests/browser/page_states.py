"""What a state of a page is, and the words in which tables say how it is reached.

at(CHECK_DIGIT, *enter("Validate ULI", "#answer [role=status]", identifier="A1"))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Response, expect

from tests.browser import barriers
from tests.browser.conftest import NARROW, WIDE, Look
from tests.flow.conftest import Service

Step = Callable[[Page], Any]
# What is known of the service once it is filled, by name: numbers, links and files.
KNOWN: dict[str, str] = {}
MOST_BYTES = 150_000  # on the wire, of a page whose browser knows nothing of the site
MAIN = "main, #content"
ERRORS = ".site-errors"
_LET_PASS = "for (const form of document.forms) form.noValidate = true"
_IS_FIELD_EMPTIED = """all => all.forEach((field) => {
  if (field.type === "checkbox") field.checked = false;
  else if (!["radio", "hidden", "submit"].includes(field.type)) field.value = "";
})"""


@dataclass(frozen=True, kw_only=True)
class State:
    """A page as a person meets it, which is opened once and judged for all barriers.

    path: where it is, with the names of facts that are known once the service is there.
    steps: what the person does there.
    who: is signed in.
    before: what happens to the session before the page is opened.
    status: of the answer.
    narrow: whether it is seen on a narrow screen only.
    by_hand: whether each of its parts gets the focus and is measured; once for each kind of page.
    light: whether it has one heading and no more bytes than a page of ours may have.
    picture: the name of the picture that documents have of it.
    """

    path: str
    steps: tuple[Step, ...] = field(default=(), repr=False)
    who: str = ""
    before: Callable[[Service, Page], None] | None = None
    status: int = 200
    narrow: bool = False
    by_hand: bool = False
    light: bool = False
    picture: str = ""


def at(path: str, *steps: Step, **facts: Any) -> State:
    """Return the state of a page after some steps."""
    return State(path=path, steps=steps, **facts)


def with_pictures(states: Mapping[str, State], pictures: Mapping[str, str]) -> dict[str, State]:
    """Return the states, some with the names of the pictures that documents have of them."""
    assert pictures.keys() <= states.keys()
    return {name: replace(state, picture=pictures.get(name, "")) for name, state in states.items()}


def named(states: Mapping[str, State]) -> pytest.MarkDecorator:
    """Return the mark of a test that judges each of these."""
    return pytest.mark.parametrize("state", states.values(), ids=states.keys())


def judge(look: Look, state: State, site: Service) -> None:
    """Bring a page into a state; fail for every barrier there, and if it moved as it was opened."""
    page = look.page
    if state.who:
        look.begin_session(state.who, anew=state.before is not None)
    if state.before:
        state.before(site, page)
    page.set_viewport_size(NARROW if state.narrow else WIDE)  # type: ignore[arg-type]
    with require_light(page) if state.light else nullcontext():
        look.at(state.path.format_map(KNOWN), state.status)
        shifts = barriers.find_shifts(look)
        # Widgets of Django's own are made by scripts.
        assert not shifts or state.path.startswith("/admin/"), shifts
    for step in state.steps:
        step(page)
    if state.picture:
        look.wait_until_idle()
        look.picture(state.picture)
    if page.locator(ERRORS).count():
        require_summary(page)
    if state.light:
        assert page.locator("h1").count() == 1
        skipped = barriers.find_faults(page, "skippedHeadings")
        assert not skipped, skipped
    barriers.judge(look, by_hand=state.by_hand, fits_wide=not state.narrow)


def require_summary(page: Page) -> None:
    """Fail unless what is wrong in a form has the focus and leads to fields that say so."""
    summary = page.locator(ERRORS)
    expect(summary).to_be_focused()
    expect(page).to_have_title(re.compile("^Error: (?!.*Error:)"))
    number = summary.locator("li").count()
    heading = "There is a problem" if number < 2 else f"There are {number} problems"
    expect(summary.get_by_role("heading")).to_have_text(heading)
    unmarked = barriers.find_faults(page, "unmarkedErrors")
    assert not unmarked, unmarked
    for link in summary.locator("a[href^='#']").all():
        link.press("Enter")
        target = str(link.get_attribute("href"))
        field = page.locator(target).locator("..")
        assert field.evaluate("each => each.contains(document.activeElement)"), target


def count_bytes(response: Response) -> int:
    """Return the bytes of a response as they came, compressed."""
    sizes = response.request.sizes()
    return sizes["responseBodySize"] + sizes["responseHeadersSize"]


@contextmanager
def require_light(page: Page) -> Iterator[None]:
    """Fail where a browser that knows nothing of the site loads more than a page may have."""
    responses: list[Response] = []

    def note(response: Response) -> None:
        responses.append(response)

    session = page.context.new_cdp_session(page)
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.on("response", note)
    yield
    page.remove_listener("response", note)
    session.detach()
    sizes = {each.url: count_bytes(each) for each in responses}
    assert sum(sizes.values()) <= MOST_BYTES, sizes


def set_field(page: Page, name: str, value: str) -> None:
    """Fill in, choose from or, without a value, click on a field of this name."""
    field = page.locator(MAIN).locator(f"[name='{name}']").first
    if not value:
        field.evaluate("each => each.click()")
    elif field.evaluate("each => each.tagName") == "SELECT":
        field.select_option(value)
    else:
        field.fill(value)


def enter(button: str | re.Pattern[str], shows: str = ERRORS, **fields: str) -> tuple[Step, ...]:
    """Fill in fields by their names, and send them, whatever the browser says to them."""
    steps = [lambda page, each=each: set_field(page, *each) for each in fields.items()]
    return (*steps, lambda page: page.evaluate(_LET_PASS), press(button), see(shows))


def send_empty(button: str, shows: str = ERRORS) -> tuple[Step, ...]:
    """Send a form without anything."""
    fields = "#content input, #content textarea"
    empty: Step = lambda page: page.locator(fields).evaluate_all(_IS_FIELD_EMPTIED)  # noqa: E731
    return (empty, *enter(button, shows))


def press(name: str | re.Pattern[str]) -> Step:
    """Press a button of the main part."""
    exact = isinstance(name, str)
    return lambda page: find_in_main(page, "button", name, exact=exact).click()


def follow(name: str) -> Step:
    """Follow the first link of this name in the main part."""
    return lambda page: find_in_main(page, "link", name, exact=True).click()


def find_in_main(page: Page, role: Any, name: str | re.Pattern[str], *, exact: bool) -> Locator:
    return page.locator(MAIN).get_by_role(role, name=name, exact=exact).first


def click(selector: str) -> Step:
    """Click on the first of what is selected."""
    return lambda page: page.locator(selector).first.click()


def bring(content: bytes | str, name: str = "lar.txt", field: str = "#file") -> Step:
    """Choose a file with this content."""
    buffer = content.encode() if isinstance(content, str) else content
    file = {"name": name, "mimeType": "", "buffer": buffer}
    return lambda page: page.locator(field).set_input_files(file)  # type: ignore[arg-type]


def see(selector: str) -> Step:
    """Wait until something is seen: what is selected, or a text with = before it."""
    selector = selector.replace("=", "text=", 1) if selector.startswith("=") else selector
    return lambda page: page.locator(selector).filter(visible=True).first.wait_for()


def remove(selector: str) -> Step:
    """Take parts away that are made like others: the first ones say for all what is wrong."""
    script = "all => all.forEach((element) => element.remove())"
    return lambda page: page.locator(selector).evaluate_all(script)


def open_all(page: Page) -> None:
    """Open all that is folded."""
    page.locator("main details").evaluate_all("all => all.forEach((each) => each.open = true)")
