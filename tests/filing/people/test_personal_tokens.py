"""Personal tokens: made once, good for what they name, and useless when they should be."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.db.models import F
from django.test import Client

from filing import access
from filing.errors import BadInput, NotFound
from filing.models import AuditEvent, Identity, Institution, Membership, PersonalToken, TrailEntry
from filing.people import personal_tokens
from tests.at_once import call_at_once
from tests.conftest import LEI
from tests.errors import error_of

pytestmark = pytest.mark.django_db
OTHER_LEI = "529900OTHERBANK00017"
LET_IN = 400  # who gets past the door hears that there is no such institution
REFUSED = {"httpStatus": 401, "message": "Authorization Token could not be verified", "path": ""}


@pytest.fixture
def ann() -> User:
    user = User.objects.create(username="ann", email="ann@bank.example")
    Identity.objects.create(user=user, issuer="https://id.example", subject="8f1c")
    for lei in (LEI, OTHER_LEI):
        Membership.objects.create(user=user, lei=lei)
    return user


def make(user: User, *leis: str, days: int = 30, name: str = "nightly") -> tuple[str, Any]:
    by = access.caller_of(user)
    return personal_tokens.create_token(user, name=name, leis=leis or [LEI], days=days, by=by)


def call(text: str, lei: str = LEI) -> Any:
    return Client().get(
        f"/v2/filing/institutions/{lei}/filings/2024",
        headers={"authorization": f"Bearer {text}"},
    )


@pytest.mark.django_db(transaction=True)
def test_tokens_made_at_the_same_time_are_not_more_than_a_user_may_have(ann: User) -> None:
    def make_or_not() -> bool:
        try:
            make(ann)
        except BadInput:
            return False
        return True

    for _ in range(17):
        make(ann)
    assert sum(call_at_once(make_or_not, 8)) == 3
    assert personal_tokens.find_usable_tokens().filter(user=ann).count() == 20


def test_a_token_acts_for_its_user_and_only_for_the_institutions_that_it_names(
    ann: User, institution: Institution, open_period: Any
) -> None:
    text, _ = make(ann, LEI)
    started = Client().post(
        f"/v2/filing/institutions/{LEI}/filings/2024",
        headers={"authorization": f"Bearer {text}"},
    )
    assert started.status_code == 200
    entry = TrailEntry.objects.get(event=AuditEvent.FILING_STARTED)
    assert (entry.actor_id, entry.actor_username) == ("8f1c", "ann")
    assert call(text, OTHER_LEI).status_code == 403
    assert call(make(ann, LEI, OTHER_LEI)[0], OTHER_LEI).status_code == LET_IN


def test_only_a_hash_is_kept(ann: User) -> None:
    text, token = make(ann)
    assert text.startswith("hmda_pat_")
    assert len(text) == len("hmda_pat_") + 43
    assert token.sha256 == hashlib.sha256(text.encode()).hexdigest()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            assert text not in str(cursor.fetchall()), table


def _change(**fields: Any) -> Callable[[User, str, Any], str]:
    def change(user: User, text: str, settings: Any) -> str:
        PersonalToken.objects.update(**fields)
        return text

    return change


def _revoke(user: User, text: str, settings: Any) -> str:
    personal_tokens.revoke_token(user, user.personal_tokens.get().pk, by=access.caller_of(user))
    return text


def _lock_out(user: User, text: str, settings: Any) -> str:
    User.objects.filter(pk=user.pk).update(is_active=False)
    return text


def _switch_off(user: User, text: str, settings: Any) -> str:
    settings.PERSONAL_TOKENS_ENABLED = False
    return text


USELESS: dict[str, Callable[[User, str, Any], str]] = {
    "revoked": _revoke,
    "expired": _change(
        made_at=F("made_at") - timedelta(days=31), expires_at=F("expires_at") - timedelta(days=30)
    ),
    "of a user who is locked out": _lock_out,
    "switched off by the site": _switch_off,
    "of a user who is gone": lambda user, text, settings: (user.delete(), text)[1],
    "with another prefix": lambda user, text, settings: text.replace("hmda_pat_", "hmda_pta_"),
    "truncated": lambda user, text, settings: text[:-1],
    "in other case": lambda user, text, settings: text.swapcase(),
    "only its shown beginning": lambda user, text, settings: user.personal_tokens.get().start,
    "its hash": lambda user, text, settings: "hmda_pat_" + user.personal_tokens.get().sha256,
}


@pytest.mark.parametrize("spoil", USELESS.values(), ids=USELESS.keys())
def test_a_token_is_useless(
    ann: User, settings: Any, spoil: Callable[[User, str, Any], str]
) -> None:
    text, _ = make(ann)
    assert call(text).status_code == LET_IN
    answer = call(spoil(ann, text, settings))
    assert (answer.status_code, error_of(answer)) == (401, REFUSED)
    assert answer["WWW-Authenticate"] == 'Bearer error="invalid_token"'
    entry = TrailEntry.objects.get(event=AuditEvent.TOKEN_REFUSED)
    assert (entry.address, entry.request_id) == ("127.0.0.1", answer["X-Request-ID"])


def test_a_token_does_not_bring_the_roles_of_its_user(ann: User) -> None:
    ann.groups.add(Group.objects.get(name="operator"))
    caller = personal_tokens.find_bearer(make(ann, LEI)[0])
    assert caller is not None
    assert (caller.roles, caller.leis) == (frozenset(), {LEI})
    assert not access.may_read(caller, OTHER_LEI)
    assert access.find_leis(caller) == {LEI}


def test_a_token_that_cannot_be_is_not_made(ann: User) -> None:
    for changes, message in [
        ({"name": " "}, "Enter a name of 1 to 100 characters."),
        ({"name": "n" * 101}, "Enter a name of 1 to 100 characters."),
        ({"days": 0}, "Enter 1 to 366 days."),
        ({"days": 367}, "Enter 1 to 366 days."),
        ({"leis": []}, "Choose from the institutions you can file for."),
        ({"leis": [LEI, "529900NOSUCHBANK0000"]}, "Choose from the institutions"),
        ({"leis": [LEI.lower()]}, "Choose from the institutions"),
    ]:
        asked = {
            "name": "nightly",
            "leis": [LEI],
            "days": 30,
            "by": access.caller_of(ann),
            **changes,
        }
        with pytest.raises(BadInput, match=message):
            personal_tokens.create_token(ann, **asked)
        assert not PersonalToken.objects.exists()


def test_twenty_tokens_are_enough(ann: User) -> None:
    tokens = [make(ann, name=f"{number}")[1] for number in range(20)]
    with pytest.raises(BadInput, match=r"You have 20 tokens\. Revoke one"):
        make(ann)
    personal_tokens.revoke_token(ann, tokens[0].pk, by=access.caller_of(ann))
    make(ann)


def test_nobody_revokes_the_token_of_another(ann: User) -> None:
    text, token = make(ann)
    bob = User.objects.create(username="bob")
    with pytest.raises(NotFound):
        personal_tokens.revoke_token(bob, token.pk, by=access.caller_of(bob))
    assert personal_tokens.find_bearer(text) is not None


def test_making_and_revoking_are_each_told_once(ann: User) -> None:
    _, token = make(ann)
    for _ in range(2):
        personal_tokens.revoke_token(ann, token.pk, by=access.caller_of(ann))
    told = TrailEntry.objects.values_list("event", "actor_id", "about").order_by("id")
    assert list(told) == [
        (AuditEvent.PERSONAL_TOKEN_MADE, "8f1c", str(token)),
        (AuditEvent.PERSONAL_TOKEN_REVOKED, "8f1c", str(token)),
    ]
