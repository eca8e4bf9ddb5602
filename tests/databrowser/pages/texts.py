"""The texts of a page."""

from __future__ import annotations

import html
import re

DEMO_BANNER = "Demo: these loans are made up"
NOTHING_PUBLISHED = "Nothing is published yet"


def words(page: str) -> str:
    """Return what stands on a page, without marks, in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())
