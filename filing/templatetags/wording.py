"""How templates name a person and a moment."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import template

from filing import access, day_hours

register = template.Library()
register.filter("person_name", access.person_name)
register.filter("person_with_email", access.person_with_email)


@register.filter
def moment(at: Any) -> str:
    """Return a time to the minute, in the filing time zone; blank if there is none."""
    return day_hours.moment_in_words(at) if isinstance(at, datetime) else ""


@register.filter
def moment_with_seconds(at: Any) -> str:
    """Return a time to the second, as of a signature; blank if there is none."""
    return day_hours.moment_in_words(at, seconds=True) if isinstance(at, datetime) else ""
