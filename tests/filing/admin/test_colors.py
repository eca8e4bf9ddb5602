"""The admin has the colors of all other pages, by day and in the dark."""

from __future__ import annotations

import re

from django.conf import settings

_COLOR = re.compile(r"--([\w-]+): (#[0-9a-f]{3,6})\b")


def read_colors(name: str, *, dark: bool) -> dict[str, str]:
    """Return the colors that a style sheet defines, by name."""
    text = (settings.BASE_DIR / "config" / "static" / name).read_text()
    day, _, night = text.partition("@media screen and (prefers-color-scheme: dark)")
    return dict(_COLOR.findall(night if dark else day))


def test_both_style_sheets_define_the_same_colors() -> None:
    for dark in (False, True):
        shared, admin = (read_colors(name, dark=dark) for name in ("site.css", "admin.css"))
        assert len(shared) > 20
        assert shared.items() <= admin.items()


def test_colors_stand_in_definitions_alone() -> None:
    text = (settings.BASE_DIR / "config" / "static" / "admin.css").read_text()
    rules = re.sub(r":root \{.*?\n *\}", "", text, flags=re.S)
    assert not re.findall(r"#[0-9a-f]{3,6}\b", rules)
