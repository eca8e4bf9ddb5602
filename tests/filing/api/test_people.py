"""The people of an institution by the API: whole answers, and refusals in its format."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from filing import access, day_hours
from filing.access import Right
from filing.models import (
    AccessRequest,
    EndedRight,
    Invitation,
    Membership,
    PeopleList,
)
from filing.people import users
from tests.conftest import LEI
from tests.errors import error_of
from tests.filing.api.answers import milliseconds, post_json
from tests.filing.pages.test_people import ada, ben  # noqa: F401 -- fixtures
from tests.filing.people.test_invitations import add_user, emailed_link
from tests.make import program

pytestmark = pytest.mark.django_db
PATH = f"/institutions/{LEI}/people"
PEOPLE = f"/v2/filing{PATH}"


def key_of(user: User) -> int:
    return Membership.objects.get(user=user, lei=LEI).pk


def send(method: str, user: User, address: str, **body: Any) -> Any:
    return program(user).generic(method, address, json.dumps(body), "application/json")


def test_a_long_list_of_people_has_pages(ada: User, settings: Any) -> None:
    users = User.objects.bulk_create(
        User(username=f"pat{number:02d}", first_name="Pat", last_name=f"Z{number:02d}")
        for number in range(4)
    )
    Membership.objects.bulk_create(Membership(user=user, lei=LEI) for user in users)
    settings.HMDA_PAGE_SIZE = 2
    page = program(ada).get(f"{PEOPLE}?page=3").json()
    assert [person["name"] for person in page["people"]] == ["Pat Z03"]
    assert (page["count"], page["total"], page["hasAdministrator"]) == (1, 5, True)
    assert page["_links"]["prev"] == "?page=2"
    assert program(ada).get(f"{PEOPLE}?page=9").json()["people"] == []
    assert program(ada).get(f"{PEOPLE}?page=x").status_code == 400


def test_everyone_of_the_institution_lists_its_people(ada: User, ben: User) -> None:
    answer = program(ben).get(PEOPLE).json()
    people = answer.pop("people")
    assert answer == {
        "organizations": [],
        "hasAdministrator": True,
        "joinsByDomain": False,
        "confirmedAt": 0,
        "isConfirmationDue": False,
        "count": 2,
        "total": 2,
        "_links": {
            "href": f"{PATH}{{rel}}",
            **dict.fromkeys(("self", "first", "prev", "next", "last"), "?page=1"),
        },
    }
    membership = Membership.objects.get(user=ada)
    assert people[0] == {
        "id": membership.pk,
        "name": "Ada",
        "email": "ada@bank.example",
        "roles": ["administrator", "preparer", "signer"],
        "source": "hand",
        "addedAt": milliseconds(membership.added_at),
        "addedBy": "the help desk",
        "lastSignInAt": 0,
        "until": None,
        "confirmedAt": 0,
        "limits": "",
    }
    assert [each["email"] for each in people] == ["ada@bank.example", "ben@bank.example"]
    assert program(add_user("eve")).get(PEOPLE).status_code == 403


def test_only_administrators_change_the_list(ada: User, ben: User) -> None:
    for method, path in (
        ("PATCH", f"/{key_of(ada)}"),
        ("DELETE", f"/{key_of(ada)}?reason=x"),
        ("POST", "/invitations"),
        ("DELETE", "/invitations/1?reason=x"),
        ("GET", "/requests"),
        ("POST", "/requests/1"),
        ("POST", "/confirmation"),
    ):
        refused = send(method, ben, PEOPLE + path)
        assert refused.status_code == 403, path
        assert "administrator" in error_of(refused)["message"]
    assert Membership.objects.count() == 2


def test_a_person_is_invited_once_for_a_key_and_the_invitation_withdrawn(ada: User) -> None:
    until = day_hours.today() + timedelta(days=20)
    body = {"email": "New@bank.example", "roles": ["signer"], "until": f"{until}"}
    first, second = (
        post_json(program(ada), f"{PEOPLE}/invitations", body, headers={"Idempotency-Key": "k"})
        for _ in range(2)
    )
    invitation = Invitation.objects.get()
    assert (first.status_code, second.status_code) == (201, 201)
    assert (
        first.json()
        == second.json()
        == {
            "id": invitation.pk,
            "email": "new@bank.example",
            "roles": ["signer"],
            "until": f"{until}",
            "sentAt": milliseconds(invitation.invited_at),
            "expiresAt": milliseconds(invitation.expires_at),
        }
    )
    assert emailed_link("new@bank.example")
    listed = program(ada).get(f"{PEOPLE}/invitations").json()
    assert listed == {"invitations": [first.json()]}
    address = f"{PEOPLE}/invitations/{invitation.pk}"
    assert error_of(program(ada).delete(address))["httpStatus"] == 400
    assert program(ada).delete(f"{address}?reason=A+mistake.").status_code == 204
    assert error_of(program(ada).delete(f"{address}?reason=x"))["httpStatus"] == 404
    assert program(ada).get(f"{PEOPLE}/invitations").json() == {"invitations": []}


def test_a_role_that_does_not_exist_is_refused(ada: User) -> None:
    answer = send("POST", ada, f"{PEOPLE}/invitations", email="x@bank.example", roles=["boss"])
    assert answer.status_code == 400
    assert not Invitation.objects.exists()


def test_roles_change_and_what_is_left_out_stays(ada: User, ben: User) -> None:
    address = f"{PEOPLE}/{key_of(ben)}"
    until = day_hours.today()
    answer = send("PATCH", ada, address, until=f"{until}", reason="A temp.")
    assert answer.status_code == 200
    assert (answer.json()["roles"], answer.json()["until"]) == (
        ["preparer", "signer"],
        f"{until}",
    )
    answer = send("PATCH", ada, address, roles=["preparer"], reason="No signer.")
    assert (answer.json()["roles"], answer.json()["until"]) == (["preparer"], f"{until}")
    assert error_of(send("PATCH", ada, address, roles=["signer"]))["httpStatus"] == 400
    assert error_of(send("PATCH", ada, f"{PEOPLE}/99", reason="x")) == {
        "httpStatus": 404,
        "message": "This person is not on the institution's list any more.",
        "path": f"{PATH}/99",
    }


def test_access_ends_and_the_last_administrator_stays(ada: User, ben: User) -> None:
    address = f"{PEOPLE}/{key_of(ben)}"
    assert error_of(program(ada).delete(address))["message"].startswith("Enter a reason")
    assert program(ada).delete(f"{address}?reason=Left.").status_code == 204
    assert EndedRight.objects.get().reason == "Left."
    assert not access.find_rights(access.caller_of(ben), LEI)
    refused = program(ada).delete(f"{PEOPLE}/{key_of(ada)}?reason=Bye.")
    assert "only administrator" in error_of(refused)["message"]


def test_a_user_record_asks_for_an_institution_with_an_administrator(ada: User) -> None:
    cy = add_user("cy")
    record = {"firstName": "Cy", "lastName": "Example", "leis": [LEI]}
    answer = send("PUT", cy, "/hmda-auth/users/", **record)
    assert (answer.status_code, answer.json()) == (200, {**record, "leis": []})
    assert program(cy).get(PEOPLE).status_code == 403
    (asking,) = program(ada).get(f"{PEOPLE}/requests").json()["requests"]
    assert (asking["email"], asking["name"]) == ("cy@bank.example", "Cy Example")
    address = f"{PEOPLE}/requests/{asking['id']}"
    assert error_of(send("POST", ada, address, answer="refuse"))["httpStatus"] == 400
    assert send("POST", ada, address, answer="grant", roles=["preparer"]).status_code == 204
    rights = access.find_rights(access.caller_of(cy), LEI)
    assert rights - {Right.BELONG} == {Right.READ, Right.PREPARE}
    assert "answered already" in error_of(send("POST", ada, address, answer="grant"))["message"]
    assert AccessRequest.objects.get().answered_by == "ada"


def test_a_request_is_refused(ada: User) -> None:
    cy = add_user("cy")
    users.confirm_institutions(cy, [LEI], by=access.caller_of(cy))
    address = f"{PEOPLE}/requests/{AccessRequest.objects.get().pk}"
    assert send("POST", ada, address, answer="refuse", reason="Not ours.").status_code == 204
    assert AccessRequest.objects.get().reason == "Not ours."
    assert error_of(send("POST", ada, f"{PEOPLE}/requests/99", answer="grant"))["httpStatus"] == 404


def test_the_list_is_confirmed_without_those_who_left(ada: User, ben: User) -> None:
    answer = send("POST", ada, f"{PEOPLE}/confirmation", left=[key_of(ben)])
    assert answer.status_code == 200
    (person,) = answer.json()["people"]
    assert person["email"] == "ada@bank.example"
    assert person["confirmedAt"] == milliseconds(Membership.objects.get(user=ada).confirmed_at)
    assert answer.json()["confirmedAt"] == milliseconds(PeopleList.objects.get().confirmed_at)
    assert error_of(send("POST", ada, f"{PEOPLE}/confirmation", left=[99]))["httpStatus"] == 404
