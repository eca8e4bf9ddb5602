"""What the groups of staff may do in the admin, granted anew with every migration."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.db import transaction
from django.db.models import Q

from filing.access import ROLES, Role

# What operators change by hand. Status, receipts and the trail are nobody's to change.
_KEPT_BY_OPERATORS = ("institution", "filingperiod", "filing", "membership", "announcement")
_OF_OPERATORS = (
    *(f"{verb}_{model}" for model in _KEPT_BY_OPERATORS for verb in ("add", "change", "delete")),
    "change_personaltoken",  # that is, to revoke one
    "act_on_submission",
    "add_seasonopening",
    "add_panelimport",
    "add_referencedata",
)
# What helps a caller and changes nothing that was filed.
_OF_ALL_STAFF = ("add_note", "resend_receipt", "download_file")
_OURS = Q(content_type__app_label="filing")
_LOOKING = Q(
    content_type__app_label__in=[
        "filing",
        "databrowser",
        "graphs",
        "ratespread",
        "auth",
        "auditlog",
    ],
    codename__startswith="view_",
)
_RATES = Q(content_type__app_label="ratespread", codename="add_aporload")
# To build data sets, to let them go live, to roll them back and to withdraw them.
_DATA_SETS = Q(content_type__app_label="databrowser", codename="add_version")
# To compute the graphs anew, and to say which version is shown.
_GRAPHS = Q(content_type__app_label="graphs", codename="add_computation")
# Users are locked out and not deleted, and what a group may do is written here.
_PEOPLE = Q(content_type__app_label="auth", codename__in=["add_user", "change_user"])
# The clients of the embedded provider, and who is signed in through them.
_CLIENTS = Q(content_type__app_label="oauth2_provider")

_HELPING = _LOOKING | (_OURS & Q(codename__in=_OF_ALL_STAFF))
_OPERATING = _HELPING | (_OURS & Q(codename__in=_OF_OPERATORS)) | _RATES | _DATA_SETS | _GRAPHS

GRANTS = {
    "filer": Q(pk__in=[]),
    "help desk": _HELPING,
    "operator": _OPERATING,
    "administrator": _OPERATING | _PEOPLE | _CLIENTS,
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


def of(user: User) -> frozenset[str]:
    """Return the names of the roles that a user has."""
    return frozenset(user.groups.filter(name__in=GRANTS).values_list("name", flat=True))


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
