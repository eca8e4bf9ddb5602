"""What keeps people from using a page, by axe and by what axe does not look for.

A page is judged once for all of it: in light and dark, on a wide screen and at 400 percent, on
paper, with the keyboard, in colors of the reader and without motion.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from tests.browser.conftest import WIDE, Look

_SCRIPT = Path(__file__).with_suffix(".js").read_text().strip()
_FOUR_TIMES = {"width": 320, "height": 256}  # 1280 by 1024 pixels at 400 percent
_SIZES = {"wide": WIDE, "at 400 percent": _FOUR_TIMES}
_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
_ALL_RULES = {"runOnly": {"type": "tag", "values": _TAGS}, "resultTypes": ["violations"]}
# Of these a dark page can break what a light one does not.
_COLOR_RULES = _ALL_RULES | {"runOnly": ["color-contrast", "link-in-text-block"]}
_VIOLATIONS = "options => axe.run(options).then((results) => results.violations)"
MOST_SHIFT = 0.001


def find_faults(page: Page, kind: str) -> list[str]:
    """Return what is wrong with a page by one function of `barriers.js`."""
    return [f"{kind}: {fault}" for fault in page.evaluate(f"{_SCRIPT}.{kind}()")]


def find_violations(page: Page, rules: dict[str, Any] = _ALL_RULES) -> list[str]:
    """Return where a page breaks rules of axe."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    return [
        f"{rule['id']} {node['target']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for rule in page.evaluate(_VIOLATIONS, rules)
        for node in rule["nodes"]
    ]


def find_lost_focus(page: Page) -> list[str]:
    """Return where the focus is covered, or cannot be seen, for people who use the keyboard."""
    page.keyboard.press("Tab")
    return find_faults(page, "lostFocus")


def find_shifts(look: Look) -> list[str]:
    """Return what moved after it was drawn, without being asked to."""
    look.wait_until_idle()
    shifts = look.page.evaluate("window.shifts")
    return [f"moved: {shifts}"] if sum(each["value"] for each in shifts) > MOST_SHIFT else []


@contextmanager
def _media(page: Page, **media: Any) -> Iterator[None]:
    """Let a page be of a reader or for a medium of another kind."""
    usual = {"color_scheme": "light", "media": "screen", "forced_colors": "none"}
    usual |= {"reduced_motion": "no-preference"}
    page.emulate_media(**media)
    yield
    page.emulate_media(**{name: usual[name] for name in media})  # type: ignore[arg-type]


def judge(look: Look, *, by_hand: bool = False, fits_wide: bool = True) -> None:
    """Fail for anything the page complained of, and for every barrier on it.

    by_hand: whether each part of it gets the focus and is measured, which ends many a state.
    fits_wide: whether it is judged on a wide screen, too; else as it is shown now.
    """
    page = look.page
    look.wait_until_idle()
    wrong, look.complaints = look.complaints, []
    wrong += find_violations(page)
    with _media(page, color_scheme="dark"):
        wrong += [f"in the dark: {fault}" for fault in find_violations(page, _COLOR_RULES)]
    with _media(page, media="print"):
        wrong += find_faults(page, "wrongOnPaper")
    for size in _SIZES if fits_wide else ():
        page.set_viewport_size(_SIZES[size])  # type: ignore[arg-type]
        found = [fault for kind in ("cutOff", "brokenTexts") for fault in find_faults(page, kind)]
        if by_hand:
            found += _find_barriers_by_hand(page)
        wrong += [f"{size}: {fault}" for fault in found]
    if by_hand:
        with _media(page, forced_colors="active", reduced_motion="reduce"):
            found = [*find_lost_focus(page), *find_faults(page, "unseenPictures")]
            wrong += [f"in colors of the reader: {fault}" for fault in found]
            wrong += find_faults(page, "moving")
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    look.complaints = []  # axe tries a style of its own, and the policy refuses it
    assert not wrong, f"{page.url}:\n" + "\n".join(wrong)


def _find_barriers_by_hand(page: Page) -> list[str]:
    """Return what is too small or cut off, has no name, or hides the focus."""
    with _media(page, reduced_motion="reduce"):
        kinds = ("smallTargets", "clippedText", "unnamedRegions")
        found = [fault for kind in kinds for fault in find_faults(page, kind)]
        return found + find_lost_focus(page)
