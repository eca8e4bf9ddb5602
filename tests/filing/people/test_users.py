"""Who acts for which institution, by their email domain; and the API with which one says so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from config.identity import tokens
from filing import access
from filing.models import AuditEvent, Identity, Institution, TrailEntry
from filing.people import institutions, personal_tokens, users
from tests import make
from tests.errors import error_of

pytestmark = pytest.mark.django_db
LEI, OTHER_LEI, FOREIGN_LEI = (f"529900EXAMPLELEI000{number}" for number in (1, 2, 3))


def add(lei: str, name: str, *domains: str, year: int = 2024) -> Institution:
    return make.institution(lei, year=year, name=name, email_domains=list(domains))


@pytest.fixture(autouse=True)
def _panel() -> None:
    add(LEI, "Example Bank", "bank.example", "mail.bank.example")
    add(OTHER_LEI, "Another Bank", "bank.example")
    add(FOREIGN_LEI, "Foreign Bank", "foreign.example")


@pytest.fixture
def ann() -> User:
    return make.user("ann", is_verified=True)


def leis(user: User) -> set[tuple[str, str]]:
    return set(user.memberships.values_list("lei", "source"))


def put(headers: dict[str, str], **record: Any) -> Any:
    body = {"firstName": "Ann", "lastName": "Example", "leis": [], **record}
    return Client().put("/hmda-auth/users/", json.dumps(body), headers=headers)


def test_institutions_are_found_by_the_whole_domain() -> None:
    for domain, names in [
        ("bank.example", ["Another Bank", "Example Bank"]),
        ("ank.example", []),
        ("sub.bank.example", []),
        ("b_nk.example", []),
        ("", []),
        ('bank.example"', []),
    ]:
        assert [found.name for found in institutions.find_by_email_domain(domain)] == names


def test_a_public_mail_domain_belongs_to_nobody() -> None:
    add(LEI, "Careless Bank", "gmail.com", year=2025)
    assert institutions.find_by_email_domain("gmail.com") == []


def test_what_is_confirmed_replaces_what_was_and_nothing_else(ann: User) -> None:
    make.member(ann, FOREIGN_LEI)
    by = access.caller_of(ann)
    users.confirm_institutions(ann, [LEI, FOREIGN_LEI], by=by)
    assert leis(ann) == {(FOREIGN_LEI, "hand"), (LEI, "domain")}
    users.confirm_institutions(ann, [OTHER_LEI], by=by)
    assert leis(ann) == {(FOREIGN_LEI, "hand"), (OTHER_LEI, "domain")}
    told = TrailEntry.objects.order_by("id").values_list("event", "lei")
    assert list(told) == [
        (AuditEvent.MEMBERSHIP_ADDED, LEI),
        (AuditEvent.MEMBERSHIP_REMOVED, LEI),
        (AuditEvent.MEMBERSHIP_ADDED, OTHER_LEI),
    ]


def test_a_record_that_is_saved_counts_at_once(ann: User) -> None:
    headers = make.bearer(ann)
    filings = f"/v2/filing/institutions/{LEI}/filings/2024"
    assert Client().get(filings, headers=headers).status_code == 403
    answer = put(headers, leis=[LEI])
    assert answer.status_code == 200
    assert answer.json() == {"firstName": "Ann", "lastName": "Example", "leis": [LEI]}
    assert leis(ann) == {(LEI, "domain")}
    ann.refresh_from_db()
    assert ann.get_full_name() == "Ann Example"
    assert Client().get(filings, headers=headers).status_code == 404


def test_institutions_of_another_domain_are_named_and_nothing_is_saved(ann: User) -> None:
    answer = put(make.bearer(ann), leis=[LEI, FOREIGN_LEI])
    assert answer.status_code == 400
    assert error_of(answer) == {
        "httpStatus": 400,
        "message": f"LEIs not allowed for the user's e-mail domain 'bank.example': {FOREIGN_LEI}",
        "path": "/users/",
    }
    assert leis(ann) == set()


def test_a_record_that_cannot_be_read_is_refused(ann: User) -> None:
    for record in [{"leis": "x"}, {"leis": [1, {}]}, {"firstName": None}, {"lastName": "x" * 200}]:
        answer = put(make.bearer(ann), **record)
        assert answer.status_code == 400
        assert next(iter(record)) in answer.json()["message"]


def test_a_record_needs_a_token() -> None:
    answer = put({})
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Bearer"
    assert answer.json()["path"] == ""


def test_a_personal_token_does_not_widen_itself(ann: User) -> None:
    caller = access.caller_of(ann)
    users.confirm_institutions(ann, [LEI], by=caller)
    text, _ = personal_tokens.create_token(ann, name="upload", leis=[LEI], days=1, by=caller)
    assert put({"authorization": f"Bearer {text}"}, leis=[OTHER_LEI]).status_code == 403
    assert leis(ann) == {(LEI, "domain")}


def test_a_token_of_no_account_saves_nothing() -> None:
    headers = make.bearer("x", sub=tokens.make_subject("mail:x"))
    assert put(headers, leis=[LEI]).status_code == 403
    assert not User.objects.exists()


@pytest.mark.parametrize(("verified", "status"), [(True, 200), (False, 400)])
def test_a_user_of_another_provider_need_not_have_signed_in(
    settings: Any, verified: bool, status: int
) -> None:
    settings.EMBEDDED_PROVIDER = False
    headers = make.bearer("ben", sub="subject-1", email_verified=verified)
    assert put(headers, leis=[LEI]).status_code == status
    identity = Identity.objects.get(subject="subject-1")
    assert leis(identity.user) == ({(LEI, "domain")} if verified else set())
