"""What the groups of staff may do in the admin, granted anew with every migration.

Each app registers what roles may do with its tables, also those of areas above.
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


@dataclass(frozen=True)
class Rights:
    """What roles may do with the tables of an app, by the code names of Django's permissions.

    An asterisk at the end stands for any rest. What the help desk may, operators may, too, and what
    these may, administrators.
    """

    help_desk: tuple[str, ...] = LOOKING
    operator: tuple[str, ...] = ()
    administrator: tuple[str, ...] = ()

    def of(self, group: str) -> tuple[str, ...]:
        """Return what a group may do."""
        grants = {
            "help desk": self.help_desk,
            "operator": (*self.help_desk, *self.operator),
            "administrator": (*self.help_desk, *self.operator, *self.administrator),
        }
        return grants.get(group, ())


RIGHTS: dict[str, Rights] = {}


def register(
    app: AppConfig,
    *,
    help_desk: tuple[str, ...] = LOOKING,
    operator: tuple[str, ...] = (),
    administrator: tuple[str, ...] = (),
) -> None:
    """Say what roles may do with the tables of an app. To be called when an app is ready.

    Raises: ValueError when other rights are registered for that app.
    """
    rights = Rights(help_desk=help_desk, operator=operator, administrator=administrator)
    if RIGHTS.setdefault(app.label, rights) != rights:
        raise ValueError(f"Other rights are registered for the tables of {app.label}.")
    # Before it there are no permissions for new tables.
    post_migrate.connect(grant, sender=app, dispatch_uid="roles")


@transaction.atomic
def grant(sender: AppConfig | None = None, **options: Any) -> None:
    """Make the groups of all roles and give each its permissions: of one app or, by none, of all.

    Others that somebody has given to a group by hand stay. Called after each migration.
    """
    there = {group.name: group for group in Group.objects.filter(name__in=GROUPS)}
    labels = RIGHTS if sender is None else [sender.label]
    for role in ROLES:
        group = there.get(role.group) or Group.objects.get_or_create(name=role.group)[0]
        granted = [
            _permission(label, pattern)
            for label in labels
            for pattern in RIGHTS[label].of(role.group)
        ]
        if granted:
            group.permissions.add(*Permission.objects.filter(reduce(or_, granted)))


def _permission(label: str, pattern: str) -> Q:
    begin = pattern.removesuffix("*")
    name = Q(codename=pattern) if begin == pattern else Q(codename__startswith=begin)
    return Q(content_type__app_label=label) & name


def of(user: User) -> frozenset[str]:
    """Return the names of the roles that a user has."""
    return frozenset(user.groups.filter(name__in=GROUPS).values_list("name", flat=True))


def follow(user: User) -> None:
    """Let the user into the admin if one of their roles is of staff, else keep them out."""
    names = of(user)
    is_staff = user.is_superuser or any(role.is_staff for role in ROLES if role.group in names)
    if user.is_staff != is_staff:
        user.is_staff = is_staff
        user.save(update_fields=["is_staff"])


def assign(user: User, roles: list[Role]) -> bool:
    """Give a user these roles and take others away; tell whether that changed anything.

    Groups that are no roles stay as they are.
    """
    before, was_staff = of(user), user.is_staff
    after = {role.group for role in roles}
    user.groups.remove(*Group.objects.filter(name__in=before - after))
    user.groups.add(*Group.objects.filter(name__in=after - before))
    follow(user)
    return before != after or was_staff != user.is_staff
