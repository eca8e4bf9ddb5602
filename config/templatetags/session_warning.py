"""The warning before a session ends, on the pages of people who are signed in."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.context import Context

from config.identity import session_end
from filing.people import sign_ins

register = template.Library()


@register.inclusion_tag("components/session.html", takes_context=True)
def session_warning(context: Context) -> dict[str, Any]:
    """Show what the script of the page needs; nothing to visitors."""
    request = context.get("request")
    user = getattr(request, "user", None)
    if request is None or user is None or not user.is_authenticated:
        return {}
    return {
        "user_id": user.pk,
        "login_hint": sign_ins.name_login_hint(user),
        "seconds": session_end.seconds_left(request.session),
        "warning": int(session_end.WARNING.total_seconds()),
    }
