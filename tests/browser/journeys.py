"""Someone new to the pages: how often they click, and how long they take.

The seconds are those of the keystroke-level model, and of reading what the window shows of each new
page; what the service takes is measured.
Source: Card, Moran, Newell, "The Keystroke-Level Model", 1980, for a user of average skill at the
keyboard; Brysbaert, "How many words do we read per minute?", 2019, for silent reading.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Locator, Page

THINK, POINT, PRESS, HOME, KEY = 1.35, 1.1, 0.2, 0.4, 0.28  # seconds
WORDS_A_MINUTE = 238
DIALOG = 8.0  # seconds to find a file in the dialog of the system; our own estimate
EMAIL = 30.0  # seconds to go to the inbox and open an email; our own estimate
# The words of the main part that are in the window.
_WORDS = """() => {
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  let words = 0;
  while (texts.nextNode()) {
    const parent = texts.currentNode.parentElement;
    const { top, bottom, width } = parent.getBoundingClientRect();
    if (!width || bottom < 0 || top > innerHeight || !parent.checkVisibility()) continue;
    words += texts.currentNode.textContent.trim().split(/\\s+/).filter(Boolean).length;
  }
  return words;
}"""


@dataclass
class Journey:
    """A person at a page, from the first look to what they came for.

    clicks: with those in the dialog of the system for a file. seconds: of the person. waited:
    seconds of the service. pages: the pages they read.
    """

    page: Page
    clicks: int = 0
    seconds: float = 0
    waited: float = 0
    pages: list[str] = field(default_factory=list)

    def read(self) -> None:
        """Read what the window shows."""
        self.seconds += 60 * self.page.evaluate(_WORDS) / WORDS_A_MINUTE
        self.pages.append(self.page.title())

    def click(self, target: Locator, *, until: str | Locator | None = None) -> None:
        """Click on something. until: the address or part of a page that comes, which is read."""
        self.clicks += 1
        self.seconds += THINK + POINT + PRESS
        with self._waiting():
            target.click()
            if isinstance(until, str):
                self.page.wait_for_url(until)
            elif until is not None:
                until.wait_for()
        if until is not None:
            self.read()

    def fill(self, target: Locator, text: str) -> None:
        """Type into a field, which a click leads to for the first one and Tab for the next."""
        self.seconds += THINK + HOME + KEY * (len(text) + 1)
        target.fill(text)

    def select(self, target: Locator, value: str) -> None:
        """Choose from a list: one click opens it, one chooses."""
        self.clicks += 2
        self.seconds += THINK + 2 * (POINT + PRESS)
        target.select_option(value)

    def bring(self, target: Locator, path: Path) -> None:
        """Choose a file."""
        self.clicks += 1
        self.seconds += DIALOG
        target.set_input_files(path)

    def open_email(self, address: str) -> None:
        """Go to the inbox, open an email and follow its link."""
        self.clicks += 1
        self.seconds += EMAIL
        with self._waiting():
            self.page.goto(address)
        self.read()

    @property
    def minutes(self) -> float:
        """How long it takes, with what the service takes."""
        return (self.seconds + self.waited) / 60

    def summarize(self, name: str) -> str:
        """Return a line about the journey."""
        return (
            f"{name}: {self.clicks} clicks, {self.minutes:.1f} minutes, {len(self.pages)} pages"
            f" ({self.waited:.0f} s of them waiting)"
        )

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        begin = time.monotonic()
        yield
        self.waited += time.monotonic() - begin
