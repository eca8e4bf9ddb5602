"""What a state of a page is, and the words in which tables say how it is reached.

State(CHECK_DIGIT, fill("Loan identifier or ULI", "A1"), press("Validate ULI"), see("not valid"))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, Response

from tests.browser import barriers
from tests.browser.conftest import NARROW, WIDE, Look
from tests.flow.conftest import Service

Step = Callable[[Page], Any]
# What is known of the service once it is filled, by name: numbers, links and files.
KNOWN: dict[str, str] = {}
MOST_BYTES = 150_000  # on the wire, of a page whose browser knows nothing of the site


@dataclass(frozen=True, kw_only=True)
class State:
    """A page as a person meets it, which is opened once and judged for all barriers.

    path: where it is, with the names of facts that are known once the service is there.
    who: is signed in.
    before: what happens to the session before the page is opened.
    steps: what the person does there.
    status: of the answer.
    picture: the name of the picture that documents have of it.
    narrow: whether it is seen on a narrow screen only.
    by_hand: whether each of its parts gets the focus and is measured; once for each kind of page.
    heavy: whether it may be larger than a page of ours.
    """

    path: str
    who: str = ""
    before: Callable[[Service, Page], None] | None = None
    steps: tuple[Step, ...] = field(default=(), repr=False)
    status: int = 200
    picture: str = ""
    narrow: bool = False
    by_hand: bool = False
    heavy: bool = True


def named(states: Mapping[str, State]) -> pytest.MarkDecorator:
    """Return the mark of a test that judges each of these."""
    return pytest.mark.parametrize("state", states.values(), ids=states.keys())


def pages(*names: str, **facts: Any) -> dict[str, State]:
    """Return the pages of these names of addresses, by their names."""
    return {name: State(path=reverse(name), **facts) for name in names}


def reach(look: Look, state: State) -> None:
    """Open a page and bring it into a state; fail if it moves, or is too large, as it is opened."""
    page = look.page
    page.set_viewport_size(NARROW if state.narrow else WIDE)  # type: ignore[arg-type]
    with nullcontext() if state.heavy else require_light(page):
        look.at(state.path.format_map(KNOWN), state.status)
        assert not barriers.find_shifts(look)
    for step in state.steps:
        step(page)
    if state.picture:
        look.wait_until_idle()
        look.picture(state.picture)


def judge(look: Look, state: State, site: Service) -> None:
    """Fail for every barrier of a state."""
    if state.before:
        look.begin_session(state.who, anew=True)
        state.before(site, look.page)
    elif state.who:
        look.begin_session(state.who)
    reach(look, state)
    if not state.heavy:
        assert look.page.locator("h1").count() == 1
        assert not barriers.find_faults(look.page, "skippedHeadings")
    barriers.judge(look, by_hand=state.by_hand, fits_wide=not state.narrow)


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


def fill(label: str, value: str) -> Step:
    """Type into a field, by its label or, with a # or [, by what the page calls it."""
    return lambda page: find_field(page, label).fill(value)


def choose(label: str, value: str) -> Step:
    """Choose from a list."""
    return lambda page: find_field(page, label).select_option(value)


def find_field(page: Page, label: str) -> Any:
    return page.locator(label) if label[0] in "#[" else page.get_by_label(label).first


def press(name: str | re.Pattern[str]) -> Step:
    """Press a button of the main part."""
    return lambda page: (
        page.locator("main, #content, #content-start")
        .get_by_role("button", name=name, exact=isinstance(name, str))
        .first.click()
    )


def follow(name: str) -> Step:
    """Follow the first link of this name in the main part."""

    def go(page: Page) -> None:
        main = page.locator("main, #content, #content-start")
        with page.expect_navigation():
            main.get_by_role("link", name=name, exact=True).first.click()

    return go


def click(selector: str) -> Step:
    """Click on the first of what is selected."""
    return lambda page: page.locator(selector).first.click()


def bring(content: bytes | str, name: str = "lar.txt", field: str = "#file") -> Step:
    """Choose a file with this content."""
    buffer = content.encode() if isinstance(content, str) else content
    file = {"name": name, "mimeType": "", "buffer": buffer}
    return lambda page: page.locator(field).set_input_files(file)  # type: ignore[arg-type]


def see(text: str | re.Pattern[str]) -> Step:
    """Wait until a text is seen."""
    return lambda page: page.get_by_text(text).filter(visible=True).first.wait_for()


def see_heading(name: str | re.Pattern[str]) -> Step:
    """Wait until a heading is there, where its words stand elsewhere on the page, too."""
    return lambda page: page.get_by_role("heading", name=name).first.wait_for()


def see_errors(page: Page) -> None:
    """Wait for the summary of what is wrong in a form."""
    page.locator(".site-errors").first.wait_for()


def remove(selector: str) -> Step:
    """Take parts away that are made like others: the first ones say for all what is wrong."""
    script = "all => all.forEach((element) => element.remove())"
    return lambda page: page.locator(selector).evaluate_all(script)


def let_pass(page: Page) -> None:
    """Let a form be sent as it is."""
    page.evaluate("for (const form of document.forms) form.noValidate = true")


def empty_form(page: Page) -> None:
    """Take from all fields what they have, and let the form be sent so."""
    page.evaluate(
        """() => {
          for (const field of document.querySelectorAll("#content input, #content textarea")) {
            if (field.type === "checkbox") field.checked = false;
            else if (!["radio", "hidden", "submit"].includes(field.type)) field.value = "";
          }
        }"""
    )
    let_pass(page)
