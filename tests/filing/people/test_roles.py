"""What each role may do, tried in the admin by a member of its group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import AppConfig, apps
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.core.management.sql import emit_post_migrate_signal
from django.db.models import Model
from django.db.models.signals import post_migrate
from django.test import Client
from django.urls import reverse

from filing.access import ROLES, roles_of
from filing.people import roles
from tests import make
from tests.filing.admin.change_forms import loaded
from tests.filing.admin.lists import LISTS
from tests.filing.people.members import RIGHTS, STAFF, one_of_each  # noqa: F401 -- fixtures

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def address(model: type[Model], page: str, *arguments: object) -> str:
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_{page}", args=arguments)


@pytest.mark.parametrize("role", STAFF)
def test_a_role_may_do_in_the_admin_what_the_table_says(role: str, one_of_each: Any) -> None:
    client = make.browser(make.staff(role))
    found = {}
    for model in RIGHTS:
        key = one_of_each[model].pk
        pages = {
            "v": client.get(address(model, "changelist")),
            "a": client.get(address(model, "add")),
            "d": client.get(address(model, "delete", key)),
        }
        # What a legal hold keeps is not deleted: who else may is sent back to its page.
        assert {page.status_code for page in pages.values()} <= {200, 302, 403}
        shown = client.get(address(model, "change", key))
        assert shown.status_code == pages["v"].status_code
        may = {verb for verb, page in pages.items() if page.status_code != 403}
        if shown.status_code == 200 and shown.context["has_change_permission"]:
            may.add("c")
        found[model] = "".join(verb for verb in "vacd" if verb in may)
    assert found == {model: rights[role] for model, rights in RIGHTS.items()}


@pytest.mark.parametrize("role", STAFF)
def test_what_a_role_may_not_do_cannot_be_posted_either(role: str, one_of_each: Any) -> None:
    client = make.browser(make.staff(role))
    for model, rights in RIGHTS.items():
        key = one_of_each[model].pk
        refused = {
            "a": ("add", ()),
            "c": ("change", (key,)),
            "d": ("delete", (key,)),
        }
        for verb, (page, arguments) in refused.items():
            if verb not in rights[role]:
                answer = client.post(address(model, page, *arguments), {"post": "yes"})
                assert answer.status_code == 403, (model, page)
        chosen = {"action": "delete_selected", "_selected_action": [key], "post": "yes"}
        if "d" not in rights[role]:
            client.post(address(model, "changelist"), chosen)
        assert model._default_manager.filter(pk=key).exists()


def test_every_table_with_pages_in_the_admin_stands_in_the_rights() -> None:
    assert set(admin.site._registry) == set(RIGHTS)


def test_filers_and_the_signed_out_do_not_come_into_the_admin(client: Client) -> None:
    filer = User.objects.create(username="ann")
    filer.groups.add(Group.objects.get(name="filer"))
    for visitor in (client, make.browser(filer)):
        answer = visitor.get(reverse("admin:index"))
        assert answer.status_code == 302
        assert answer["Location"].startswith(reverse("admin:login"))


@pytest.mark.parametrize("role", STAFF)
def test_no_role_makes_itself_more_than_it_is(role: str) -> None:
    user = make.staff(role, email="me@service.example")
    client = make.browser(user)
    everything = Permission.objects.values_list("pk", flat=True)
    before = user.get_all_permissions()
    page = address(User, "change", user.pk)
    saved = {"reason": "Asked.", **loaded(client, page)} if role == "administrator" else {}
    changed = client.post(
        page,
        {
            **LISTS,
            **saved,
            "username": user.username,
            "email": user.email,
            "is_active": "on",
            "is_staff": "on",
            "is_superuser": "on",
            "groups": [Group.objects.get(name=role).pk],
            "user_permissions": list(everything),
        },
    )
    assert changed.status_code == (302 if role == "administrator" else 403)
    client.post(
        address(Group, "change", user.groups.get().pk),
        {"name": role, "permissions": list(everything)},
    )
    again = User.objects.get(pk=user.pk)
    assert not again.is_superuser
    assert again.get_all_permissions() == before


def test_an_administrator_does_not_take_over_a_superuser() -> None:
    boss = User.objects.create_superuser("boss", "boss@service.example", "the old pass phrase")
    client = make.browser(make.staff("administrator"))
    assert client.post(address(User, "change", boss.pk), {"username": "x"}).status_code == 403
    password = reverse("admin:auth_user_password_change", args=[boss.pk])
    asked = {
        "password1": "a new pass phrase 9",
        "password2": "a new pass phrase 9",
        "reason": "Lost.",
    }
    assert client.post(password, asked).status_code == 403
    boss.refresh_from_db()
    assert boss.check_password("the old pass phrase")


def test_the_grants_of_a_migration_may_be_repeated() -> None:
    before = {group: set(group.permissions.all()) for group in Group.objects.all()}
    roles.grant_rights()
    assert before == {group: set(group.permissions.all()) for group in Group.objects.all()}
    assert {group.name for group in before} == {role.group for role in ROLES}


def test_roles_of_a_token_become_groups_and_those_it_no_longer_names_go() -> None:
    user = User.objects.create(username="ann")
    other = Group.objects.create(name="bowling")
    user.groups.add(other)
    assert roles.assign_roles(user, roles_of(["hmda-operator", "offline_access"]))
    assert (roles.list_role_names(user), user.is_staff) == ({"operator"}, True)
    assert not roles.assign_roles(user, roles_of(["hmda-operator"]))
    assert roles.assign_roles(user, roles_of(["hmda-filer"]))
    user.refresh_from_db()
    assert (roles.list_role_names(user), user.is_staff) == ({"filer"}, False)
    assert other in user.groups.all()


def test_a_superuser_stays_staff_whatever_a_token_says() -> None:
    user = User.objects.create_superuser("boss")
    roles.assign_roles(user, [])
    user.refresh_from_db()
    assert user.is_staff


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> Iterator[AppConfig]:
    """An app with a table for which no rights are registered, nor are they after the test."""
    monkeypatch.setattr(roles, "RIGHTS", dict(roles.RIGHTS))
    app = apps.get_app_config("sessions")
    yield app
    post_migrate.disconnect(sender=app, dispatch_uid="roles")


def test_the_rights_of_another_area_are_granted_after_a_migration(sessions: AppConfig) -> None:
    for _ in range(2):  # the same once more is no other
        roles.register_rights(sessions, operator=("add_session",), administrator=("delete_*",))
    emit_post_migrate_signal(verbosity=0, interactive=False, db="default")
    of_sessions = Permission.objects.filter(content_type__app_label="sessions")
    held = {
        role: set(of_sessions.filter(group__name=role).values_list("codename", flat=True))
        for role in ("filer", *STAFF)
    }
    assert held == {
        "filer": set(),
        "help desk": {"view_session"},
        "operator": {"view_session", "add_session"},
        "administrator": {"view_session", "add_session", "delete_session"},
    }


def test_an_app_has_one_set_of_rights(sessions: AppConfig) -> None:
    roles.register_rights(sessions, operator=("add_session",))
    with pytest.raises(
        ValueError, match="Other permissions are already registered for the tables of sessions"
    ):
        roles.register_rights(sessions)
