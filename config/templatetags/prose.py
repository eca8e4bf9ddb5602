"""Short texts of ours in the little Markdown that API documents have: backticks and paragraphs."""

from __future__ import annotations

import re

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.filter
def marked(text: str) -> SafeString:
    """Return the text as HTML, what stands in backticks as code; all else is escaped."""
    escaped = re.sub(r"`([^`]+)`", r"<code>\1</code>", conditional_escape(text))
    return mark_safe("<br><br>".join(re.split(r"\n\s*\n", escaped)))  # noqa: S308 -- escaped above
