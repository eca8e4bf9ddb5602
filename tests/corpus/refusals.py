"""The reason that a page gives for refusing a file."""

from __future__ import annotations

import html
import re

_SUMMARY = re.compile(r'<span class="usa-error-message" id="file-error">(.*?)</span>', re.DOTALL)


def find_page_refusal(page: str) -> str:
    """Return the reason beside the input for the file; else the text of the page."""
    found = _SUMMARY.search(page)
    text = found[1] if found else page[page.find("<main") : page.find("</main>")]
    return html.unescape(" ".join(re.sub(r"<[^>]*>", " ", text).split()))
