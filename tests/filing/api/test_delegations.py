"""Delegations by the API: whole answers, and each refusal."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from config.identity import tokens
from filing.access import caller_of
from filing.models import Delegation, FilingPeriod, Institution, Organization
from filing.people import personal_tokens
from tests import make
from tests.conftest import LEI
from tests.errors import error_of
from tests.filing.api.answers import milliseconds, post_json

pytestmark = pytest.mark.django_db
PATH = f"/institutions/{LEI}/delegations"
DELEGATIONS = f"/v2/filing{PATH}"
JSON = "application/json"


@pytest.fixture
def administrator(institution: Institution, open_period: FilingPeriod) -> Client:
    """A program of someone who looks after the people of the institution."""
    user = make.user("ada", lei=LEI, administrator=True)
    tokens.known_identity(user)
    text, _ = personal_tokens.create_token(
        user, name="people", leis=[LEI], days=5, by=caller_of(user)
    )
    return Client(headers={"authorization": f"Bearer {text}"})


@pytest.fixture
def organization() -> Organization:
    return Organization.objects.create(
        name="Prairie Data", code="ORG-7K2M9Q", email_domain="vendor.example", made_by="vera"
    )


def agree(program: Client, **more: Any) -> Any:
    return post_json(program, DELEGATIONS, {"code": "ORG-7K2M9Q"} | more)


def test_a_delegation_is_agreed_changed_and_ended(
    administrator: Client, organization: Organization
) -> None:
    answer = agree(administrator, periods=["2024"])
    assert answer.status_code == 201, answer.content
    row = Delegation.objects.get()
    body = {
        "id": row.pk,
        "code": "ORG-7K2M9Q",
        "organization": "Prairie Data",
        "emailDomain": "vendor.example",
        "maySign": False,
        "periods": ["2024"],
        "until": None,
        "agreedAt": milliseconds(row.agreed_at),
        "endedAt": 0,
        "reason": "",
    }
    assert answer.json() == body
    assert administrator.get(DELEGATIONS).json() == {"delegations": [body]}
    change = {"maySign": True, "until": "2099-01-31", "reason": "They sign now."}
    own = f"{DELEGATIONS}/{row.pk}"
    changed = administrator.patch(own, change, content_type=JSON)
    assert changed.json() == {**body, "maySign": True, "until": "2099-01-31"}
    assert administrator.delete(f"{own}?reason=Over").status_code == 204
    (ended,) = administrator.get(DELEGATIONS).json()["delegations"]
    assert ended["endedAt"] > 0
    assert ended["reason"] == "Over"


def test_each_refusal_says_what_would_be_right(
    administrator: Client, organization: Organization
) -> None:
    assert error_of(agree(administrator, code="ORG-222222"))["httpStatus"] == 404
    assert "1999" in error_of(agree(administrator, periods=["1999"]))["message"]
    assert "is past" in error_of(agree(administrator, until="2001-01-01"))["message"]
    assert agree(administrator, periods="2024").status_code == 400
    assert agree(administrator).status_code == 201
    assert "already" in error_of(agree(administrator))["message"]
    own = f"{DELEGATIONS}/{Delegation.objects.get().pk}"
    assert "reason" in error_of(administrator.delete(own))["message"]
    assert administrator.patch(own, {"maySign": True}, content_type=JSON).status_code == 400
    missing = f"{DELEGATIONS}/999"
    assert error_of(administrator.delete(f"{missing}?reason=x"))["httpStatus"] == 404
    assert administrator.patch(missing, {"reason": "x"}, content_type=JSON).status_code == 404
    administrator.delete(f"{own}?reason=Over")
    assert "no longer" in error_of(administrator.delete(f"{own}?reason=Over"))["message"]


def test_only_administrators_of_the_institution_delegate(
    program: Client, organization: Organization
) -> None:
    assert program.get(DELEGATIONS).status_code == 200
    assert agree(program).status_code == 403
    assert make.program(leis=["529900OTHERBANK00017"]).get(DELEGATIONS).status_code == 403
    assert not Delegation.objects.exists()
