"""An LEI is read aloud and compared as a whole, so no line of a page breaks in it."""

from __future__ import annotations

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()
_LEI = re.compile(r"(?<![A-Z0-9])([A-Z0-9]{18}[0-9]{2})(?![A-Z0-9])")


@register.filter
def leis(text: object) -> SafeString:
    """Return the text as HTML in which each LEI stays on one line."""
    escaped = text if isinstance(text, SafeString) else escape(str(text))
    return mark_safe(_LEI.sub(r'<span class="lei">\1</span>', escaped))  # noqa: S308 -- escaped
