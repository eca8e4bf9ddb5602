"""Users, their roles and memberships, as staff keep them; the trail hears of each change."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from filing import access
from filing.models import AuditEvent, Identity, Institution, Mail, Membership, TrailEntry
from filing.people import users
from tests import make
from tests.conftest import LEI
from tests.filing.admin.change_forms import loaded
from tests.filing.admin.lists import LISTS

pytestmark = pytest.mark.django_db


@pytest.fixture
def administrator() -> User:
    return make.staff("administrator", username="admin", email="admin@service.example")


@pytest.fixture
def browser(administrator: User) -> Client:
    return make.browser(administrator)


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann", "ann@bank.example", "a long enough pass phrase")


def change(browser: Client, user: User, *groups: str, **changes: Any) -> Any:
    """Send the form of a user with these roles."""
    typed = {"username": user.username, "email": user.email, "is_active": "on", **LISTS, **changes}
    chosen = [Group.objects.get(name=name).pk for name in groups]
    page = reverse("admin:auth_user_change", args=[user.pk])
    typed = {"reason": "They asked for it.", **typed, **loaded(browser, page)}
    return browser.post(
        page,
        {name: value for name, value in typed.items() if value is not None} | {"groups": chosen},
    )


def entries(event: AuditEvent) -> list[dict[str, str]]:
    return list(
        TrailEntry.objects.filter(event=event).values(
            "actor_username", "address", "about", "reason", "lei"
        )
    )


@pytest.mark.servers
def test_who_gets_a_role_of_staff_may_open_the_admin_and_who_loses_it_may_not(
    browser: Client, ann: User
) -> None:
    assert change(browser, ann, "operator", "filer").status_code == 302
    ann.refresh_from_db()
    assert ann.is_staff
    assert change(browser, ann, "filer").status_code == 302
    ann.refresh_from_db()
    assert not ann.is_staff
    assert change(browser, ann, "filer", first_name="Ann").status_code == 302
    told = {"actor_username": "admin", "address": "127.0.0.1", "about": "ann", "lei": ""}
    assert entries(AuditEvent.ROLES_CHANGED) == [
        {**told, "reason": "Roles: filer, operator → filer"},
        {**told, "reason": "Roles: (blank) → filer, operator"},
    ]


def test_who_loses_a_role_can_use_no_token_that_names_it(
    browser: Client, ann: User, institution: Institution
) -> None:
    assert change(browser, ann, "administrator").status_code == 302
    client = make.program(ann)
    assert client.get(f"/v2/admin/institutions/{LEI}").status_code == 200
    assert change(browser, ann, "administrator", "filer").status_code == 302
    assert client.get(f"/v2/admin/institutions/{LEI}").status_code == 200
    assert change(browser, ann, "filer").status_code == 302
    assert client.get(f"/v2/admin/institutions/{LEI}").status_code == 401


def test_a_user_is_added_locked_out_and_let_in_again(browser: Client) -> None:
    added = browser.post(
        reverse("admin:auth_user_add"),
        {
            "username": "bob",
            "reason": "A new colleague.",
            "usable_password": "true",
            "password1": "a long enough pass phrase",
            "password2": "a long enough pass phrase",
        },
    )
    assert added.status_code == 302
    bob = User.objects.get(username="bob")
    assert Client().login(username="bob", password="a long enough pass phrase")
    for active in (None, "on"):
        assert change(browser, bob, is_active=active, reason="Asked.").status_code == 302
        bob.refresh_from_db()
        assert bob.is_active is bool(active)


def test_a_new_address_is_not_verified_and_ends_what_the_old_one_gave(
    browser: Client, ann: User, institution: Institution
) -> None:
    make.verify(ann)
    users.confirm_institutions(ann, [LEI], by=access.caller_of(ann))
    Membership.objects.create(user=ann, lei=f"{LEI[:-1]}9")
    assert change(browser, ann, email="ANN@bank.example", reason="Hers.").status_code == 302
    assert ann.memberships.count() == 2
    assert change(browser, ann, email="eve@bank.example", reason="").status_code == 200
    assert change(browser, ann, email="eve@bank.example", reason="Hers.").status_code == 302
    assert [each.source for each in ann.memberships.all()] == ["hand"]
    assert not Identity.objects.get().email_verified
    (told,) = entries(AuditEvent.MEMBERSHIP_REMOVED)
    assert (told["actor_username"], told["lei"]) == ("admin", LEI)
    assert told["reason"] == "The email address of the account is not verified."
    (entry,) = entries(AuditEvent.PROFILE_CHANGED)
    assert entry["about"] == "email of ann"
    assert entry["reason"] == "Email: ANN@bank.example → eve@bank.example\nHers."
    for kind, former in (("rights", "ann@bank.example"), ("account", "ANN@bank.example")):
        mails = Mail.objects.filter(kind=kind).order_by("to").values_list("to", flat=True)
        assert list(mails) == sorted([former, "eve@bank.example"])


def test_a_password_is_set_and_never_shown(browser: Client, ann: User) -> None:
    Identity.objects.create(user=ann, issuer="https://id.example", subject="8f1c")
    make.member(ann, LEI)
    page = browser.get(reverse("admin:auth_user_change", args=[ann.pk])).content.decode()
    assert "8f1c" in page
    assert LEI in page
    looking = make.browser(make.staff("help desk"))
    seen = looking.get(reverse("admin:auth_user_change", args=[ann.pk])).content.decode()
    assert "ann@bank.example" in seen
    assert "assword" not in seen.replace(reverse("admin:password_change"), "").replace(
        "Change password", ""
    )


def test_memberships_are_added_and_taken_away_by_hand(browser: Client, ann: User) -> None:
    asked = {"user": ann.pk, "lei": LEI, "reason": "They called."}
    assert browser.post(reverse("admin:filing_membership_add"), asked).status_code == 302
    membership = Membership.objects.get()
    assert (membership.user, membership.lei, membership.source) == (ann, LEI, "hand")
    again = browser.post(reverse("admin:filing_membership_add"), asked)
    assert "already exists" in again.content.decode()
    page = reverse("admin:filing_membership_delete", args=[membership.pk])
    assert browser.post(page, {"post": "yes", "reason": "They called."}).status_code == 302
    told = {
        "actor_username": "admin",
        "address": "127.0.0.1",
        "about": "ann (added by staff)",
        "reason": "They called.",
        "lei": LEI,
    }
    assert entries(AuditEvent.MEMBERSHIP_ADDED) == [told]
    assert entries(AuditEvent.MEMBERSHIP_REMOVED) == [told]


def test_nobody_adds_an_institution_for_themselves(browser: Client, administrator: User) -> None:
    asked = {"user": administrator.pk, "lei": LEI}
    answer = browser.post(reverse("admin:filing_membership_add"), asked)
    assert (
        "You cannot add institutions for yourself; ask another operator." in answer.content.decode()
    )
    assert not Membership.objects.exists()
    assert entries(AuditEvent.MEMBERSHIP_ADDED) == []
    assert len(entries(AuditEvent.ACCESS_REFUSED)) == 1


def test_superusers_keep_groups_of_others_but_no_role_is_deleted(admin_client: Client) -> None:
    asked = {"name": "auditors", "permissions": [], "reason": "An audit."}
    assert admin_client.post(reverse("admin:auth_group_add"), asked).status_code == 302
    role, group = (Group.objects.get(name=name) for name in ("operator", "auditors"))
    for each, status in ((role, 403), (group, 302)):
        page = reverse("admin:auth_group_delete", args=[each.pk])
        asked = {"post": "yes", "reason": "Done."}
        preview = admin_client.get(page)
        if preview.context and "digest" in preview.context:
            asked["digest"] = preview.context["digest"]
        assert admin_client.post(page, asked).status_code == status
    assert not Group.objects.filter(name="auditors").exists()
    page = reverse("admin:auth_group_change", args=[role.pk])
    admin_client.post(page, {"name": "renamed", "permissions": []})
    assert Group.objects.filter(name="operator").exists()


def test_the_trail_is_found_by_person_address_and_request(admin_client: Client) -> None:
    TrailEntry.objects.create(event=AuditEvent.SIGNED_OUT, actor_username="bob")
    TrailEntry.objects.create(
        event=AuditEvent.SIGNED_IN,
        actor_id="8f1c",
        actor_username="ann",
        actor_email="ann@bank.example",
        address="192.0.2.7",
        request_id="request-7",
        lei=LEI,
        about="GET /x",
    )
    for asked in ("8f1c", "ann", "ann@bank.example", "192.0.2.7", "request-7", LEI, "GET /x"):
        page = admin_client.get(reverse("admin:filing_trailentry_changelist"), {"q": asked})
        assert [entry.actor_username for entry in page.context["cl"].queryset] == ["ann"], asked
