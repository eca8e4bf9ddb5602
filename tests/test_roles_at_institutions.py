"""Every address of an institution, asked by each role of it, own and of others, lent and ended.

Whoever has the right that an address needs gets what `tests/matrix.py` says for its filers; all
others are refused, whether they may read or not.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.identity import provider, tokens
from filing import access, day_hours
from filing.access import Right
from filing.models import (
    Delegation,
    EndedRight,
    FilingPeriod,
    Membership,
    Organization,
    OrganizationMember,
)
from filing.people import personal_tokens
from filing.submissions import watching
from tests.addresses import METHODS, OTHER_LEI, ROUTES, filed  # noqa: F401 -- a fixture
from tests.conftest import LEI
from tests.matrix import UNKNOWN, expected
from tests.test_matrix import ask

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

READ, PREPARE, SIGN, BELONG, MANAGE, CONNECT = Right
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)

# Who has which rights at the institution of the addresses.
CALLERS: dict[str, frozenset[Right]] = {
    "administrator": frozenset({READ, BELONG, MANAGE, CONNECT}),
    "preparer": frozenset({READ, BELONG, PREPARE}),
    "signer": frozenset({READ, BELONG, SIGN}),
    "both": frozenset({READ, BELONG, PREPARE, SIGN}),
    "reader": frozenset({READ, BELONG}),
    "not confirmed": frozenset({READ, BELONG}),
    "vendor": frozenset({READ, PREPARE}),
    "vendor who signs": frozenset({READ, PREPARE, SIGN}),
    "vendor's reader": frozenset({READ}),
    "vendor of another period": frozenset(),
    "vendor until yesterday": frozenset(),
    "vendor of ended organization": frozenset(),
    "vendor's former member": frozenset(),
    "until yesterday": frozenset(),
    "ended": frozenset(),
    "ended, of a vendor": frozenset(),
    "administrator of another": frozenset(),
    "token for preparing": frozenset({READ, PREPARE}),
    "token of a signer": frozenset({READ, BELONG, SIGN}),
}
# What an address needs where it is not to read for GET, and to prepare for all else.
NEEDS: dict[tuple[str, str], Right] = {
    ("GET", "*filing-upload"): PREPARE,
    ("GET", "*filing-new-upload"): PREPARE,
    ("GET", "*filing-discard"): PREPARE,
    ("*", "filing-webhook*"): CONNECT,
    ("*", "filing:webhook*"): CONNECT,
    ("*", "filing:deliveries"): CONNECT,
    ("*", "filing:replay"): CONNECT,
    ("POST", "*filing-sign"): SIGN,
    ("POST", "filing:*sign"): SIGN,
    ("POST", "*filing-notify"): READ,
    ("POST", "*filing-receipt"): READ,
    ("*", "filing-people-leave"): BELONG,
    ("*", "filing-people-administer"): BELONG,
    ("GET", "filing-people"): BELONG,
    ("GET", "filing-record"): BELONG,
    ("GET", "filing:record"): BELONG,
    ("GET", "filing:proposals"): BELONG,
    ("*", "filing:proposal*"): MANAGE,  # as there is an administrator
    ("*", "filing-delegation-end"): MANAGE,
    ("GET", "filing-delegation*"): BELONG,
    ("*", "filing-delegation*"): MANAGE,
    ("GET", "filing:delegation*"): BELONG,
    ("*", "filing:delegation*"): MANAGE,
    ("GET", "filing:people-requests"): MANAGE,
    ("*", "filing-people-*"): MANAGE,
    ("POST", "filing-record*"): MANAGE,  # as there is an administrator
    ("GET", "filing:people*"): BELONG,
    ("*", "filing:people*"): MANAGE,
    ("*", "filing:person"): MANAGE,
}
# What these answer depends on how one came to act for the institution.
DIFFERENT = ("filing-people-leave", "filing-people-administer")
OF_INSTITUTIONS = [
    (method, name)
    for name, address in ROUTES.items()
    for method in METHODS
    if LEI in address
    and not name.startswith("operators:")
    and (line := expected(method, name))
    and (line["other"], line["anonymous"]) in {(403, 401), (403, 302)}
]


def find_needed_right(method: str, name: str) -> Right:
    """Return the right that a method of an address needs."""
    for (verb, family), right in NEEDS.items():
        if fnmatchcase(method, verb) and fnmatchcase(name, family):
            return right
    return READ if method == "GET" else PREPARE


def make_user(name: str) -> User:
    username = name.replace(" ", "-").replace(",", "").replace("'", "")
    return User.objects.create(username=username, email=f"{username}@bank.example")


def join_institution(user: User, **facts: Any) -> Membership:
    facts = {"source": "invite", "added_at": LONG_AGO, "confirmed_at": timezone.now()} | facts
    return Membership.objects.create(user=user, lei=LEI, **facts)


def lend_to_vendor(user: User, **facts: Any) -> tuple[Delegation, OrganizationMember]:
    organization = Organization.objects.create(
        name=f"Vendor of {user}", code=f"ORG-{user.pk:06}", made_by="desk"
    )
    member = OrganizationMember.objects.create(
        organization=organization, user=user, is_preparer=True, is_signer=True
    )
    delegation = Delegation.objects.create(
        organization=organization, lei=LEI, agreed_by="boss", **facts
    )
    return delegation, member


@pytest.fixture
def callers(settings: Any, filed: None) -> dict[str, tuple[Client, Client]]:
    """Of each caller a browser that is signed in, and a program with a token."""
    settings.LIMITS = dict.fromkeys(settings.LIMITS)
    provider.prepare_provider()
    # The service would ask itself for this, with requests that end the connection of the test.
    cache.set(
        f"provider:{settings.OIDC_ISSUER}", Client().get(reverse("identity:discovery")).json()
    )
    opened = day_hours.today() - timedelta(days=30)
    FilingPeriod.objects.update(opens=opened)
    people = {name: make_user(name) for name in CALLERS}
    yesterday = day_hours.today() - timedelta(days=1)
    neither = {"is_preparer": False, "is_signer": False}
    join_institution(people["administrator"], **neither, administrator_since=LONG_AGO)
    join_institution(people["preparer"], is_signer=False)
    join_institution(people["signer"], is_preparer=False)
    join_institution(people["both"])
    join_institution(people["reader"], **neither)
    join_institution(people["not confirmed"], confirmed_at=None)
    join_institution(people["until yesterday"], until=yesterday)
    join_institution(people["token for preparing"])
    join_institution(people["token of a signer"], is_preparer=False)
    lend_to_vendor(people["vendor"])
    lend_to_vendor(people["vendor who signs"], may_sign=True, periods=["2024", "2024-Q1"])
    _, member = lend_to_vendor(people["vendor's reader"], may_sign=True)
    OrganizationMember.objects.filter(pk=member.pk).update(**neither)
    lend_to_vendor(people["vendor of another period"], may_sign=True, periods=["2023"])
    lend_to_vendor(people["vendor until yesterday"], until=yesterday)
    delegation, _ = lend_to_vendor(people["vendor of ended organization"])
    Organization.objects.filter(pk=delegation.organization_id).update(ended_at=timezone.now())
    _, member = lend_to_vendor(people["vendor's former member"])
    OrganizationMember.objects.filter(pk=member.pk).update(ended_at=timezone.now())
    join_institution(people["ended"])
    lend_to_vendor(people["ended, of a vendor"])
    for name in ("ended", "ended, of a vendor"):
        EndedRight.objects.create(user=people[name], lei=LEI, by_staff=False, reason="Left.")
    Membership.objects.create(
        user=people["administrator of another"], lei=OTHER_LEI, administrator_since=LONG_AGO
    )
    return {name: (sign_in(user), make_program(name, user)) for name, user in people.items()}


def sign_in(user: User) -> Client:
    browser = Client()
    browser.force_login(user)
    return browser


def make_program(name: str, user: User) -> Client:
    if name.startswith("token"):
        token, _ = personal_tokens.create_token(
            user,
            name="nightly",
            leis=[LEI],
            days=1,
            by=access.caller_of(user),
            is_prepare_only="preparing" in name,
        )
    else:
        token = tokens.issue_token(tokens.claims_of_user(user), seconds=600)
    return Client(headers={"authorization": f"Bearer {token}"})


def is_of_programs(name: str) -> bool:
    return ROUTES[name].startswith("/v2/")


GROUPS = 6


@pytest.mark.parametrize("some", range(GROUPS))
def test_each_role_gets_what_its_rights_say(
    some: int, callers: dict[str, tuple[Client, Client]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "LISTEN_SECONDS", 0)  # whoever follows gets the first event
    wrong = {}
    for method, name in OF_INSTITUTIONS[some::GROUPS]:
        right, line = find_needed_right(method, name), expected(method, name)
        assert line
        for caller, rights in CALLERS.items():
            if caller.startswith("token") and not is_of_programs(name):
                continue  # a token opens no page
            if caller == "vendor of another period" and not is_of_period(name):
                rights = frozenset({READ, PREPARE, SIGN})
            with transaction.atomic():
                found = ask(callers, caller, method, ROUTES[name]).status_code
                transaction.set_rollback(True)
            if right not in rights:
                is_right = found == 403
            elif right in (MANAGE, CONNECT) or name in DIFFERENT:
                is_right = found != 403
            else:
                is_right = found == line["filer"]
            if not is_right:
                wrong[f"{method} {name}, {caller}"] = f"{found}, needs {right}"
    assert not wrong, "\n".join(f"{where}: {what}" for where, what in wrong.items())


def is_of_period(name: str) -> bool:
    return "2024" in ROUTES[name]


def test_an_address_that_the_table_leaves_out_answers_no_method(
    callers: dict[str, tuple[Client, Client]],
) -> None:
    known = set(OF_INSTITUTIONS)
    of_institutions = {name for _, name in OF_INSTITUTIONS}
    for name in of_institutions:
        for method in METHODS:
            if (method, name) not in known and not expected(method, name):
                with transaction.atomic():
                    found = ask(callers, "administrator", method, ROUTES[name]).status_code
                    transaction.set_rollback(True)
                assert found in UNKNOWN, (method, name)


def test_a_period_that_is_closed_to_confirming_is_that_of_the_newest_season(
    callers: dict[str, tuple[Client, Client]],
) -> None:
    address = ROUTES["filing:submissions"]
    assert ask(callers, "not confirmed", "POST", address).status_code == 403
    FilingPeriod.objects.update(opens=LONG_AGO.date())  # the administrator was not there before
    assert ask(callers, "not confirmed", "POST", address).status_code == 201
