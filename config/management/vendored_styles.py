"""The styles of the design system as pages load them: what they use, in the site's colors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# Components, each with its elements and modifiers. Other classes of the design system are left out.
COMPONENTS = re.compile(
    r"usa-(accordion|alert|breadcrumb|button|button-group|card|card-group|checkbox|current"
    r"|error-message|fieldset|file-input|focus|footer|form|form-group|header|hint|input|intro"
    r"|js-mobile-nav|js-no-click|label|legend|link|list|logo"
    r"|menu-btn|nav|nav-container|navbar|overlay|pagination|paragraph|process-list|prose|radio"
    r"|select|sidenav|skipnav|sr-only|step-indicator|summary-box|table|table-container|tag|textarea)"
    r"((__|--).*)?"
)
# Of the grid, and what scripts set on a component that opens, is drawn or refuses a file.
UTILITIES = re.compile(
    r"grid-(container|row|gap)|(tablet:|desktop:)?grid-col(-\d+|-auto|-fill)?"
    r"|is-visible|is-loading|has-invalid-file"
)
# Forms of components that no page has.
VARIANTS = re.compile(
    r"usa-\S*--(dark|inverse|accent-\w+|big|basic-megamenu|megamenu|emergency|success-header"
    r"|counters\S*|center|no-labels|social)\b|usa-dark-background"
)
CLASS = re.compile(r"\.((?:\\.|[\w-])+)")
HEX = re.compile(r"#[0-9a-f]{3,8}\b")
# The site's color (config/static/site.css) for each color of the design system, by what it colors.
TEXT = {
    "ink": "1b1b1b 000 3d4551",
    "quiet": "565c65 454545 757575 71767a 919191 a9aeb1 adadad 5c5c5c",
    "on-primary": "fff f0f0f0 dfe1e2 e6e6e6 f9f9f9 c9c9c9",
    "link": "005ea2 0050d8 2672de 2378c3",
    "link-hover": "1a4480 162e51 0b4778",
    "link-visited": "54278f",
    "good": "00a91c 216e1f",
    "bad": "b50909 8b0a03 d54309 d83933 9c3d10",
}
BACKGROUND = {
    "paper": "fff",
    "ink": "1b1b1b",
    "fill": "f0f0f0 dfe1e2 dcdee0 e6e6e6 c9c9c9 f9f9f9 edeff0",
    "edge": "565c65 71767a 757575 3d4551 454545 a9aeb1 919191 c6cace",
    "primary": "005ea2 0050d8",
    "primary-hover": "1a4480 162e51",
    "info-fill": "e7f6f8 e1f3f8 d9e8f6 cfe8ff 97d4ea e7f2f5 c3ebfa",
    "warn-fill": "faf3d1",
    "good-fill": "ecf3ec",
    "bad-fill": "f4e3db f8dfe2",
    "danger": "b50909 d83933 d54309",
    "danger-hover": "8b0a03",
}
LINE = {
    "ink": "1b1b1b 000",
    "paper": "fff",
    "line": "dfe1e2 dcdee0 d9e8f6 a9aeb1 e6e6e6 f0f0f0 c9c9c9 adadad",
    "edge": "565c65 71767a 757575 3d4551 454545 919191 5c5c5c",
    "link": "005ea2 0050d8 73b3e7",
    "link-hover": "1a4480 162e51",
    "focus": "2491ff",
    "info-line": "00bde3 97d4ea 99deea 009ec1",
    "warn-line": "ffbe2e fee685 e5a000 fa9441",
    "good": "00a91c",
    "bad": "b50909 d54309 8b0a03 9c3d10 d83933",
}


class Rule(NamedTuple):
    """A rule of a style sheet: what stands before its braces, and between them."""

    prelude: str
    body: str | None  # None: a statement such as @charset


def derive_styles(css: str) -> str:
    """Return the rules that pages use, each color a custom property of the site.

    A font that is not there when a page is drawn waits for the next page: no text moves under a
    reader's eyes.
    """
    return "".join(_derived(css)).replace("font-display:fallback", "font-display:optional")


def _derived(css: str) -> Iterator[str]:
    for prelude, body in _rules(css):
        if body is None:
            yield f"{prelude};"
        elif prelude.startswith(("@media", "@supports")):
            if inner := "".join(_derived(body)):
                yield f"{prelude}{{{inner}}}"
        elif prelude.startswith("@"):
            yield f"{prelude}{{{body}}}"
        elif kept := [each for each in _selectors(prelude) if _is_used(each)]:
            yield f"{','.join(kept)}{{{_recolor(body)}}}"


def _rules(css: str) -> Iterator[Rule]:
    start = at = depth = opened = 0
    quote = ""
    while at < len(css):
        char = css[at]
        if quote:
            at += char == "\\"
            quote = "" if char == quote else quote
        elif css.startswith("/*", at):
            at = css.index("*/", at) + 1
        elif char in "\"'":
            quote = char
        elif char == "{":
            opened = opened if depth else at
            depth += 1
        elif char == "}":
            depth -= 1
            if not depth:
                yield Rule(css[start:opened].strip(), css[opened + 1 : at])
                start = at + 1
        elif char == ";" and not depth:
            yield Rule(css[start:at].strip(), None)
            start = at + 1
        at += 1


def _selectors(prelude: str) -> list[str]:
    """Return the selectors of a list, split at commas outside parentheses."""
    return re.split(r",(?![^()]*\))", prelude)


def _is_used(selector: str) -> bool:
    names = (name.replace("\\", "") for name in CLASS.findall(selector))
    return not VARIANTS.search(selector) and all(
        COMPONENTS.fullmatch(name) or UTILITIES.fullmatch(name) for name in names
    )


def _recolor(body: str) -> str:
    """Return declarations with the colors of the design system replaced by the site's."""
    return ";".join(_recolored(each) for each in re.split(r";(?![^()]*\))", body))


def _recolored(declaration: str) -> str:
    name, _, value = declaration.partition(":")
    if name in {"color", "fill", "text-decoration-color", "-webkit-text-fill-color"}:
        names = TEXT
    elif name.startswith("background"):
        names = BACKGROUND
    else:
        names = LINE
    return f"{name}:{HEX.sub(lambda found: _named(found[0], names), value)}" if value else name


def _named(color: str, names: dict[str, str]) -> str:
    return next(
        (f"var(--{name})" for name, colors in names.items() if color[1:] in colors.split()), color
    )
