"""The idempotency key of a form, in a hidden field."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from filing import idempotency

register = template.Library()


@register.simple_tag
def idempotency_key() -> SafeString:
    """Return a hidden field with a new key: the form has one effect, however often it is sent."""
    return format_html(
        '<input type="hidden" name="{}" value="{}">', idempotency.KEY_FIELD, idempotency.make_key()
    )
