"""What keeps people from using a page, by axe and by what axe does not look for.

A page is judged once for all of it: in light and dark, on a wide screen and at 400 percent, on
paper, with the keyboard, in colors of the reader and without motion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from tests.browser.conftest import WIDE, Look

_SCRIPT = Path(__file__).with_suffix(".js").read_text().strip()
_FIND = f"""(kinds) => {{
  const barriers = {_SCRIPT};
  return kinds.flatMap((kind) => barriers[kind]().map((fault) => `${{kind}}: ${{fault}}`));
}}"""
_FOUR_TIMES = {"width": 320, "height": 256}  # 1280 by 1024 pixels at 400 percent
_SIZES = {"at 400 percent": _FOUR_TIMES, "wide": WIDE}
_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
_ALL_RULES = {"type": "tag", "values": _TAGS}
# What a dark page, or a narrow one, can break where a light and wide one does not.
_DARK_RULES, _NARROW_RULES = ["color-contrast", "link-in-text-block"], ["target-size"]
# Header, footer and navigation are the same on each page: they are judged where `by_hand` is.
_EVERYWHERE = ["header", "footer", "#header", "#nav-sidebar"]
_VIOLATIONS = """([rules, left]) => axe.run({ exclude: left.map((one) => [one]) },
  { runOnly: rules, resultTypes: ["violations"] }).then(
  ({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map((node) =>
    `${id} ${node.target}: ${node.html.slice(0, 200)} ${node.failureSummary.slice(0, 300)}`)))"""
_ON_EACH_SIZE = ("cutOff", "brokenTexts")
_BY_HAND = ("smallTargets", "clippedText", "unnamedRegions", "lostFocus")
MOST_SHIFT = 0.001


def find_faults(page: Page, *kinds: str) -> list[str]:
    """Return what is wrong with a page by functions of `barriers.js`."""
    return list(page.evaluate(_FIND, kinds))


def find_violations(
    page: Page, rules: Sequence[str] | dict[str, Any] = _ALL_RULES, *, left_out: Sequence[str] = ()
) -> list[str]:
    """Return where a page breaks rules of axe, but in some parts of it."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    return list(page.evaluate(_VIOLATIONS, [rules, list(left_out)]))


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
    find = partial(find_violations, page, left_out=() if by_hand else _EVERYWHERE)
    with _media(page, reduced_motion="reduce"):  # else colors come little by little
        wrong += find()
        with _media(page, color_scheme="dark"):
            wrong += [f"in the dark: {fault}" for fault in find(_DARK_RULES)]
        with _media(page, media="print"):
            wrong += find_faults(page, "wrongOnPaper")
        for size in _SIZES if fits_wide else ():
            page.set_viewport_size(_SIZES[size])  # type: ignore[arg-type]
            found = find_faults(page, *_ON_EACH_SIZE)
            if by_hand:
                page.keyboard.press("Tab")  # so that the focus is that of the keyboard
                found += find_faults(page, *_BY_HAND)
            if size != "wide":
                found += find(_NARROW_RULES)
            wrong += [f"{size}: {fault}" for fault in found]
        if by_hand:
            with _media(page, forced_colors="active"):
                page.keyboard.press("Tab")
                found = find_faults(page, "lostFocus", "unseenPictures", "moving")
                wrong += [f"in colors of the reader: {fault}" for fault in found]
    look.complaints = []  # axe tries a style of its own, and the policy refuses it
    assert not wrong, f"{page.url}:\n" + "\n".join(wrong)
