"""The page of a refusal says who is signed in, what is missing, and what to do next."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import RequestFactory
from django.urls import reverse

from config.errors import handlers
from tests.addresses import ROUTES, table_of
from tests.filing.people.members import member, one_of_each, signed_in  # noqa: F401 -- a fixture

pytestmark = pytest.mark.django_db


def words(answer: Any) -> str:
    assert answer.status_code == 403
    return " ".join(re.sub(r"<[^>]+>", "", answer.content.decode().partition("<main")[2]).split())


def test_a_filer_is_told_that_the_admin_is_for_staff(settings: Any) -> None:
    settings.CONTACT_EMAIL = "help@hmda.example"
    user = User.objects.create(
        username="ann", first_name="Ann", last_name="Lee", email="ann@bank.example"
    )
    user.groups.add(Group.objects.get(name="filer"))
    answer = signed_in(user).get(reverse("admin:index"), follow=True)
    text = words(answer)
    assert "You are signed in as Ann Lee, ann@bank.example. Your role: filer." in text
    assert "This page needs one of these roles: help desk, operator, administrator." in text
    content = answer.content.decode()
    assert f'action="{reverse("sign-out")}"' in content.partition("<main")[2]
    assert f'href="{reverse("profile")}"' in content.partition("<main")[2]
    assert "mailto:help@hmda.example" in content.partition("<main")[2]


@pytest.mark.parametrize(
    ("role", "name", "right", "needed"),
    [
        ("help desk", "filing_institution_add", "Can add institution", "administrator, operator"),
        (
            "help desk",
            "filing_seasonopening_open",
            "Can add season opening",
            "administrator, operator",
        ),
        ("help desk", "filing_submission_retry", "", "administrator, operator"),
        ("operator", "auth_user_add", "Can add user", "administrator"),
        (
            "operator",
            "oauth2_provider_application_changelist",
            "Can view application",
            "administrator",
        ),
    ],
)
def test_staff_are_told_which_right_is_missing_and_which_roles_have_it(
    role: str, name: str, right: str, needed: str
) -> None:
    text = words(signed_in(member(role)).get(reverse(f"admin:{name}")))
    assert f"You are signed in as {role.replace(' ', '-')}. Your role: {role}." in text
    assert right in text
    assert re.search(rf"Roles? with this right: {needed}\.", text)


def test_every_refusal_of_the_admin_names_the_roles_that_are_let_in(
    one_of_each: Any,
) -> None:
    client, silent = signed_in(member("help desk")), []
    administrator = signed_in(member("administrator"))
    for name in sorted(name for name in ROUTES if name.startswith("admin:"))[::4]:
        where = ROUTES[name].format(key=one_of_each[table_of(name) or User].pk)
        refused, answer = client.get(where), administrator.get(where)
        for each in (refused, answer):
            b"".join(each)  # to its end: a file that is sent stays open otherwise
        if refused.status_code != 403 or answer.status_code == 403:
            continue
        if not re.search(r"with this right: [a-z, ]*administrator", words(refused)):
            silent.append(name)
    assert not silent


def test_who_is_not_signed_in_is_led_to_sign_in_and_back() -> None:
    answer = handlers.answer_forbidden(
        RequestFactory().get("/somewhere/?page=2"), PermissionError()
    )
    assert "You are not signed in." in words(answer)
    assert 'href="/sign-in/?next=/somewhere/%3Fpage%3D2"' in answer.content.decode()
