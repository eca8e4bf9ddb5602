"""What the groups of staff may do in the admin, granted anew with every migration."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.db import transaction
from django.db.models import Q

from filing.access import ROLES, Role

# What operators change by hand. Status, receipts and the trail are nobody's to change.
_KEPT_BY_OPERATORS = ("institution", "filingperiod", "filing", "membership")
_OF_OPERATORS = tuple(
    f"{verb}_{model}" for model in _KEPT_BY_OPERATORS for verb in ("add", "change", "delete")
)
_OURS = Q(content_type__app_label="filing")
_LOOKING = _OURS & Q(codename__startswith="view_")
# Who signs in, with what, and through which client.
_OF_IDENTITY = Q(
    content_type__app_label__in=["auth", "oauth2_provider", "admin", "auditlog", "identity"]
)

GRANTS = {
    "filer": Q(pk__in=[]),
    "help desk": _LOOKING,
    "operator": _LOOKING | (_OURS & Q(codename__in=_OF_OPERATORS)),
    "administrator": _OURS | _OF_IDENTITY,
}


@transaction.atomic
def grant(**options: Any) -> None:
    """Make the groups of all roles and give each its permissions.

    Others that somebody has given to a group by hand stay. Called after each migration: before it
    there are no permissions for new tables.
    """
    for role in ROLES:
        group, _ = Group.objects.get_or_create(name=role.group)
        group.permissions.add(*Permission.objects.filter(GRANTS[role.group]))


def assign(user: User, roles: list[Role]) -> bool:
    """Give a user these roles and take others away; tell whether that changed anything.

    Groups that are no roles stay as they are.
    """
    named = {role.group for role in ROLES}
    before = set(user.groups.filter(name__in=named).values_list("name", flat=True))
    after = {role.group for role in roles}
    is_staff = any(role.is_staff for role in roles)
    if before == after and user.is_staff == is_staff:
        return False
    user.groups.remove(*Group.objects.filter(name__in=before - after))
    user.groups.add(*Group.objects.filter(name__in=after - before))
    user.is_staff = is_staff
    user.save(update_fields=["is_staff"])
    return True
