"""The permissions of staff groups in the admin, granted again after every migration.

Each app registers the permissions of roles on its tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.apps import AppConfig
from django.contrib.auth.models import Group, Permission, User
from django.db import transaction
from django.db.models import Q
from django.db.models.signals import post_migrate

from filing.access import ROLES, Role

LOOKING = ("view_*",)
ANYTHING = ("*",)
GROUPS = frozenset(role.group for role in ROLES)
RIGHTS: dict[str, RoleRights] = {}


@dataclass(frozen=True)
class RoleRights:
    """The permissions of roles on the tables of an app, by the code names of Django.

    A trailing asterisk matches anything. Operators have the permissions of the help desk, too, and
    administrators those of operators.
    """

    help_desk: tuple[str, ...] = LOOKING
    operator: tuple[str, ...] = ()
    administrator: tuple[str, ...] = ()

    def of(self, group: str) -> tuple[str, ...]:
        """Return the permissions of a group."""
        grants = {
            "help desk": self.help_desk,
            "operator": (*self.help_desk, *self.operator),
            "administrator": (*self.help_desk, *self.operator, *self.administrator),
        }
        return grants.get(group, ())


def register_rights(
    app: AppConfig,
    *,
    help_desk: tuple[str, ...] = LOOKING,
    operator: tuple[str, ...] = (),
    administrator: tuple[str, ...] = (),
) -> None:
    """Register the permissions of roles on the tables of an app. Call this when the app is ready.

    Raises: ValueError when other rights are registered for that app.
    """
    rights = RoleRights(help_desk=help_desk, operator=operator, administrator=administrator)
    if RIGHTS.setdefault(app.label, rights) != rights:
        raise ValueError(f"Other permissions are already registered for the tables of {app.label}.")
    # Only after a migration are there permissions for new tables.
    post_migrate.connect(grant_rights, sender=app, dispatch_uid="roles")


@transaction.atomic
def grant_rights(sender: AppConfig | None = None, **options: Any) -> None:
    """Create the groups of all roles and grant their permissions, for one app or for all.

    Permissions that staff have granted to a group are not removed. Called after each migration.
    """
    groups = {group.name: group for group in Group.objects.filter(name__in=GROUPS)}
    labels = RIGHTS if sender is None else [sender.label]
    for role in ROLES:
        group = groups.get(role.group) or Group.objects.get_or_create(name=role.group)[0]
        conditions = [
            _permission(label, pattern)
            for label in labels
            for pattern in RIGHTS[label].of(role.group)
        ]
        if conditions:
            group.permissions.add(*Permission.objects.filter(reduce(or_, conditions)))


def _permission(label: str, pattern: str) -> Q:
    prefix = pattern.removesuffix("*")
    name = Q(codename=pattern) if prefix == pattern else Q(codename__startswith=prefix)
    return Q(content_type__app_label=label) & name


def list_role_names(user: User) -> frozenset[str]:
    """Return the names of the roles that a user has."""
    return frozenset(user.groups.filter(name__in=GROUPS).values_list("name", flat=True))


def update_staff_status(user: User) -> None:
    """Let the user into the admin if they have a staff role, otherwise keep them out."""
    names = list_role_names(user)
    is_staff = user.is_superuser or any(role.is_staff for role in ROLES if role.group in names)
    if user.is_staff != is_staff:
        user.is_staff = is_staff
        user.save(update_fields=["is_staff"])


def assign_roles(user: User, roles: list[Role]) -> bool:
    """Give a user these roles and remove all others; tell whether anything changed.

    Groups that are not roles stay as they are.
    """
    before, was_staff = list_role_names(user), user.is_staff
    after = {role.group for role in roles}
    user.groups.remove(*Group.objects.filter(name__in=before - after))
    user.groups.add(*Group.objects.filter(name__in=after - before))
    update_staff_status(user)
    return before != after or was_staff != user.is_staff
