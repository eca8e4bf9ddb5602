"""What error pages say: a status, an outage with the time to try again, or a missing right.

An outage is answered with 503; the log has one line about it. The page of a 403 shows the user's
roles, the missing right, and the roles that have it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group, Permission, User
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader
from django.urls import reverse

from config.pages import navigation
from config.requests.clients import request_id
from filing.access import ROLES
from filing.outages import OutagePart
from filing.people import roles

log = logging.getLogger(__name__)

RETRY_SECONDS = 30

# The right that each admin page of a table needs. Pages of our own name it when they refuse:
# `PermissionDenied("filing.add_seasonopening")`.
_VERBS = {
    "changelist": "view",
    "history": "view",
    "change": "view",
    "add": "add",
    "delete": "delete",
    "password_change": "change",
}


def render_problem(
    request: HttpRequest, status: int, *, template: str = "", **values: Any
) -> HttpResponse:
    """Return the error page of a status."""
    context = {"request_id": request_id(request), **values}
    return render(request, template or f"{status}.html", context, status=status)


def render_failure(request: HttpRequest, *, status: int = 500, message: str = "") -> HttpResponse:
    """Return the page of an unexpected error or an outage.

    It uses neither the session nor the database: either may be down.
    """
    context = {
        "request_id": request_id(request),
        "message": message,
        "shell": navigation.site_facts(),
        "layout": "plain.html",
    }
    content = loader.get_template(f"{status}.html").render(context)
    return HttpResponse(content, status=status)


def describe_outage(part: OutagePart, *, may_have_changed: bool) -> str:
    """Return the message for callers. may_have_changed: whether they asked for a change."""
    message = (
        f"The service cannot {part.value} at the moment. Try again in {RETRY_SECONDS} seconds."
    )
    return f"{message} What you sent may not have been saved." if may_have_changed else message


def log_outage(part: OutagePart, error: BaseException) -> None:
    """Log the outage in one line, and let the next request connect again."""
    log.warning("The service cannot %s: %s", part.value, _first_line(error))
    if part is OutagePart.DATABASE and not connection.in_atomic_block:
        # SQLite too, whose connection would keep using a file that was moved away.
        try:
            connection.close()
        except Error as failure:
            log.warning("The connection to the database was not closed: %s", _first_line(failure))


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def explain_missing_right(request: HttpRequest, refusal: Exception) -> dict[str, Any]:
    """Return the context of the page: the user's roles, the missing right, the roles with it."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    context = {"own_roles": sorted(roles.list_role_names(user))}
    if not request.path.startswith(reverse("admin:index")):
        return context
    if not user.is_staff:
        return context | {"staff_roles": [role.group for role in ROLES if role.is_staff]}
    named_rights = [right for right in refusal.args if isinstance(right, str)]
    missing = next(_missing_rights(user, [*named_rights, *_rights_of_address(request)]), None)
    if missing is None:
        return context
    holders = Group.objects.filter(permissions=missing).order_by("name")
    return context | {
        "right": missing.name,
        "holders": list(holders.values_list("name", flat=True)),
    }


def _missing_rights(user: User, needed: Sequence[str]) -> Iterator[Permission]:
    """Yield the rights that the user lacks."""
    for right in needed:
        app, _, codename = right.partition(".")
        if not user.has_perm(right):
            yield from Permission.objects.filter(content_type__app_label=app, codename=codename)


def _rights_of_address(request: HttpRequest) -> Iterator[str]:
    """Yield the rights that the admin requires at an address of a table."""
    name = getattr(request.resolver_match, "url_name", None) or ""
    for model in apps.get_models():
        app, table = model._meta.app_label, model._meta.model_name
        verb = _VERBS.get(name.removeprefix(f"{app}_{table}_"))
        if verb:
            yield f"{app}.{verb}_{table}"
            if request.method == "POST" and verb == "view":
                yield f"{app}.change_{table}"
