"""Plain text as HTML: backticks in API documents, headings and lists in operators' texts."""

from __future__ import annotations

import re

from django import template
from django.utils.html import conditional_escape, format_html, format_html_join, urlize
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.filter
def marked(text: str) -> SafeString:
    """Return the text as escaped HTML, with code between backticks."""
    escaped = re.sub(r"`([^`]+)`", r"<code>\1</code>", conditional_escape(text))
    return mark_safe("<br><br>".join(re.split(r"\n\s*\n", escaped)))  # noqa: S308 -- escaped above


@register.filter
def paragraphs(text: str) -> SafeString:
    """Return an operator's text as HTML: blank lines separate blocks, addresses become links.

    A block that begins with "# " is a heading; one whose lines all begin with "- " is a list.
    """
    blocks = [block.strip().splitlines() for block in re.split(r"\n\s*\n", text.strip())]
    return format_html_join("\n", "{}", ((_block(lines),) for lines in blocks))


def _block(lines: list[str]) -> SafeString:
    if lines and all(line.startswith("- ") for line in lines):
        items = format_html_join("", "<li>{}</li>", ((_linked(line[2:]),) for line in lines))
        return format_html('<ul class="usa-list">{}</ul>', items)
    whole = " ".join(line.strip() for line in lines)
    if whole.startswith("# "):
        return format_html("<h2>{}</h2>", whole[2:])
    return format_html("<p>{}</p>", _linked(whole))


def _linked(text: str) -> SafeString:
    return mark_safe(urlize(text, autoescape=True))  # noqa: S308 -- escaped by it
