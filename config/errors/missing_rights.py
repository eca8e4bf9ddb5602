"""What the 403 page shows: the user's roles, the missing right, and the roles that have it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group, Permission, User
from django.http import HttpRequest
from django.urls import reverse

from filing.access import ROLES
from filing.people import roles

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


def reasons(request: HttpRequest, refusal: Exception) -> dict[str, Any]:
    """Return the context of the page: the user's roles, the missing right, the roles with it."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    context = {"own_roles": sorted(roles.of(user))}
    if not request.path.startswith(reverse("admin:index")):
        return context
    if not user.is_staff:
        return context | {"staff_roles": [role.group for role in ROLES if role.is_staff]}
    missing = next(_missing(user, [*_named(refusal), *_of_address(request)]), None)
    if missing is None:
        return context
    holders = Group.objects.filter(permissions=missing).order_by("name")
    return context | {
        "right": missing.name,
        "holders": list(holders.values_list("name", flat=True)),
    }


def _missing(user: User, needed: Sequence[str]) -> Iterator[Permission]:
    """Yield the rights that the user lacks."""
    for right in needed:
        app, _, codename = right.partition(".")
        if not user.has_perm(right):
            yield from Permission.objects.filter(content_type__app_label=app, codename=codename)


def _named(refusal: Exception) -> list[str]:
    return [right for right in refusal.args if isinstance(right, str)]


def _of_address(request: HttpRequest) -> Iterator[str]:
    """Yield the rights that the admin requires at an address of a table."""
    name = getattr(request.resolver_match, "url_name", None) or ""
    for model in apps.get_models():
        app, table = model._meta.app_label, model._meta.model_name
        verb = _VERBS.get(name.removeprefix(f"{app}_{table}_"))
        if verb:
            yield f"{app}.{verb}_{table}"
            if request.method == "POST" and verb == "view":
                yield f"{app}.change_{table}"
