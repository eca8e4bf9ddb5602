"""The record of the institution by the API: what the panel has, proposals, and refusals."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from filing.access import caller_of
from filing.models import Case, Institution, RecordProposal
from filing.panel import proposal_answers
from tests import make
from tests.conftest import LEI
from tests.errors import error_of
from tests.filing.api.answers import milliseconds, post_json
from tests.filing.panel.proposing import WHY, add_staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("institution")]
PATH = f"/institutions/{LEI}/record"
RECORD = f"/v2/filing{PATH}"
PROPOSALS = f"{RECORD}/proposals"


def propose(program: Client, reason: str = WHY, **changes: Any) -> Any:
    return post_json(program, PROPOSALS, {"changes": changes, "reason": reason})


def test_the_record_is_read(program: Client) -> None:
    body = program.get(RECORD).json()
    assert body["institution"]["taxId"] == "12-3456789"
    assert body["institution"]["notes"] == ""
    assert body["years"] == [2024]
    assert body["comparedBy"] == ["S303"]
    assert body["comparedFields"] == ["lei", "agency", "taxId"]
    assert body["filedLast"] is None
    assert (body["count"], body["total"]) == (1, 1)
    assert body["history"][0]["event"] == "added"
    assert body["history"][0]["by"] == "staff"
    assert error_of(program.get(RECORD, {"year": "2019"}))["httpStatus"] == 404
    assert program.get(RECORD, {"year": "2024"}).json()["institution"] == body["institution"]


def test_a_change_is_proposed_listed_and_withdrawn(program: Client) -> None:
    answer = propose(program, taxId="98-7654321", emailDomains=["bank.example", "b.example"])
    assert answer.status_code == 201
    proposal = RecordProposal.objects.get()
    body = answer.json()
    assert body == {
        "id": proposal.pk,
        "number": proposal.number,
        "state": "open",
        "activityYear": 2024,
        "changes": [
            {"field": "taxId", "before": "12-3456789", "after": "98-7654321"},
            {
                "field": "emailDomains",
                "before": ["bank.example"],
                "after": ["bank.example", "b.example"],
            },
        ],
        "reason": WHY,
        "proposedAt": milliseconds(proposal.at),
        "written": [],
        "answeredAt": 0,
        "answer": "",
    }
    assert program.get(PROPOSALS).json()["proposals"] == [body]
    assert program.delete(f"{PROPOSALS}/{proposal.pk}").status_code == 204
    assert program.get(PROPOSALS).json()["proposals"][0]["state"] == "withdrawn"
    again = error_of(program.delete(f"{PROPOSALS}/{proposal.pk}"))
    assert again["httpStatus"] == 400
    assert "withdrawn already" in again["message"]
    assert error_of(program.delete(f"{PROPOSALS}/{proposal.pk + 1}"))["httpStatus"] == 404


def test_the_answer_is_read(program: Client) -> None:
    propose(program, city="Springfield", quarterlyFiler=False, rssd=7)
    proposal = RecordProposal.objects.get()
    proposal_answers.accept_proposal(
        proposal, by=caller_of(add_staff("olga")), reason="Thank you.", values={"rssd": 8}
    )
    answer = program.get(PROPOSALS)
    (body,) = answer.json()["proposals"]
    assert (body["state"], body["answer"]) == ("changed", "Thank you.")
    assert {"field": "rssd", "before": 0, "after": 8} in body["written"]
    assert "olga" not in answer.text
    assert Institution.objects.get().quarterly_filer is False


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({}, "at least one"),
        ({"taxId": "12-3456789"}, "at least one"),
        ({"taxId": "1"}, "99-9999999"),
        ({"agency": 4}, "not an agency"),
        ({"emailDomains": ["gmail.com"]}, "public email domain"),
        ({"emailDomains": "bank.example"}, "list"),
        ({"lei": "529900OTHERBANK00017"}, "cannot be proposed"),
        ({"notes": "x"}, "cannot be proposed"),
        ({"city": "A\nB"}, "control character"),
        ({"name": ""}, "blank"),
    ],
)
def test_what_cannot_be_proposed_is_refused(
    program: Client, changes: dict[str, Any], part: str
) -> None:
    refusal = error_of(propose(program, **changes))
    assert refusal["httpStatus"] == 400
    assert part in str(refusal)
    assert not Case.objects.exists()


def test_a_reason_is_needed(program: Client) -> None:
    for reason in ("", " ", "x" * 2001):
        assert error_of(propose(program, reason=reason, city="X"))["httpStatus"] == 400


def test_a_year_is_chosen(program: Client) -> None:
    make.institution(year=2025)
    body = {"changes": {"city": "X"}, "reason": WHY, "activityYear": 2024}
    assert post_json(program, PROPOSALS, body).status_code == 201
    assert RecordProposal.objects.get().activity_year == 2024
    body["activityYear"] = 2019
    missing = post_json(program, PROPOSALS, body)
    assert error_of(missing)["httpStatus"] == 404


def test_with_an_administrator_only_they_propose(program: Client) -> None:
    make.user("bea", lei=LEI, administrator=True)
    refusal = error_of(propose(program, city="X"))
    assert refusal["httpStatus"] == 403
    assert "administrator" in refusal["message"]
    assert program.get(RECORD).status_code == 200


def test_without_the_lei_nothing_is_read(institution: Institution) -> None:
    other = make.program(leis=["529900OTHERBANK00017"])
    for answer in (other.get(RECORD), other.get(PROPOSALS), propose(other, city="X")):
        assert error_of(answer)["httpStatus"] == 403
    own = other.get("/v2/filing/institutions/529900OTHERBANK00017/record")
    assert "not in the panel" in error_of(own)["message"]
