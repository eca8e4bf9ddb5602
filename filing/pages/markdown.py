"""Texts that staff write in Markdown, as HTML without HTML and pictures of their own."""

from __future__ import annotations

from threading import Lock

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

PARSING = Lock()  # the parser's tables of characters are made at their first use, by one thread
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable("image")


def render_markdown(text: str) -> SafeString:
    """Return a text as HTML; links lead to http, https and mailto addresses or this site."""
    with PARSING:
        html: str = _MARKDOWN.render(text)
    return mark_safe(html)  # noqa: S308 -- HTML in the text is escaped
