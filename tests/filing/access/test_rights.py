"""What roles, days, seasons, organizations and tokens let a person do, and the reasons given."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from filing import access, day_hours
from filing.access import AccessDenied, Caller, Right, RightMissing, caller_of
from filing.lar.years import Period
from filing.models import (
    Delegation,
    EndedRight,
    FilingPeriod,
    Identity,
    Membership,
    Organization,
    OrganizationMember,
)

pytestmark = pytest.mark.django_db

LEI, ISSUER = "529900EXAMPLELEI0001", "https://id.example/realms/hmda2"
READ, PREPARE, SIGN, BELONG, MANAGE, CONNECT = Right
BEFORE = timezone.now() - timedelta(days=400)


@pytest.fixture
def ann() -> User:
    user = User.objects.create(username="ann", email="ann@bank.example")
    Identity.objects.create(user=user, issuer=ISSUER, subject="8f1c")
    return user


@pytest.fixture
def boss() -> Membership:
    """An administrator of the institution, for more than a year."""
    user = User.objects.create(username="boss")
    facts = {"is_preparer": False, "is_signer": False, "administrator_since": BEFORE}
    return Membership.objects.create(user=user, lei=LEI, added_at=BEFORE, **facts)


@pytest.fixture
def season() -> FilingPeriod:
    """A season that opened a month ago."""
    opened = day_hours.today() - timedelta(days=30)
    closes = opened + timedelta(days=300)
    return FilingPeriod.objects.create(year=2024, opens=opened, timely_until=closes, closes=closes)


def rights_of(user: User, period: Period | None = None) -> set[Right]:
    by_key = access.find_rights(caller_of(user), LEI, period)
    identity = user.identities.first()
    if identity:  # a program of the same person may do the same
        caller = Caller(id=identity.subject, issuer=identity.issuer, has_account=True)
        assert access.find_rights(caller, LEI, period) == by_key
    return set(by_key)


def lend(user: User, **facts: Any) -> Delegation:
    organization = Organization.objects.create(name="Vendor", code="ORG-1", made_by="x")
    OrganizationMember.objects.create(
        organization=organization, user=user, is_preparer=True, is_signer=True
    )
    return Delegation.objects.create(organization=organization, lei=LEI, agreed_by="x", **facts)


def test_a_row_of_the_former_release_prepares_signs_and_keeps_its_webhooks(ann: User) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO filing_membership (user_id, lei, source, email, added_at)"
            " VALUES (%s, %s, 'hand', '', %s)",
            [ann.pk, LEI, timezone.now()],
        )
    assert rights_of(ann) == {READ, PREPARE, SIGN, BELONG, CONNECT}


def test_webhooks_are_for_administrators_once_there_is_one(ann: User, boss: Membership) -> None:
    Membership.objects.create(user=ann, lei=LEI)
    assert rights_of(ann) == {READ, PREPARE, SIGN, BELONG}
    assert rights_of(boss.user) == {READ, BELONG, MANAGE, CONNECT}
    User.objects.filter(pk=boss.user.pk).update(is_active=False)
    assert rights_of(ann) == {READ, PREPARE, SIGN, BELONG, CONNECT}


def test_the_last_day_counts_and_the_next_does_not(ann: User) -> None:
    row = Membership.objects.create(user=ann, lei=LEI, until=day_hours.today())
    assert SIGN in rights_of(ann)
    Membership.objects.filter(pk=row.pk).update(until=day_hours.today() - timedelta(days=1))
    assert rights_of(ann) == set()


@pytest.mark.parametrize("days", [90, 91])
def test_the_list_can_be_confirmed_for_ninety_days_before_the_season(
    ann: User, boss: Membership, season: FilingPeriod, days: int
) -> None:
    confirmed = day_hours.find_start_of_day(season.opens - timedelta(days=days))
    Membership.objects.create(user=ann, lei=LEI, added_at=BEFORE, confirmed_at=confirmed)
    assert (SIGN in rights_of(ann)) is (days <= 90)


@pytest.mark.parametrize(
    ("facts", "period", "rights"),
    [
        ({}, None, {READ, PREPARE}),
        ({"may_sign": True}, None, {READ, PREPARE, SIGN}),
        ({"may_sign": True, "periods": ["2024"]}, Period(2024), {READ, PREPARE, SIGN}),
        ({"may_sign": True, "periods": ["2024"]}, Period(2024, 1), set()),
        (
            {"may_sign": True, "periods": ["2024-Q1"]},
            Period(2024, 1),
            {READ, PREPARE, SIGN},
        ),
        ({"until": date(2020, 1, 1)}, None, set()),
        ({"ended_at": BEFORE}, None, set()),
    ],
)
def test_an_organization_may_do_what_the_institution_lets_it(
    ann: User, facts: dict[str, Any], period: Period | None, rights: set[Right]
) -> None:
    lend(ann, **facts)
    assert rights_of(ann, period) == rights
    assert access.find_leis(caller_of(ann)) == ({LEI} if rights_of(ann) else set())


def test_an_organization_never_lends_more_than_its_member_has(ann: User) -> None:
    lend(ann, may_sign=True)
    OrganizationMember.objects.update(is_signer=False)
    assert rights_of(ann) == {READ, PREPARE}
    OrganizationMember.objects.update(is_preparer=False, administrator_since=BEFORE)
    assert rights_of(ann) == {READ}


def test_an_ended_right_outweighs_each_source(ann: User) -> None:
    lend(ann, may_sign=True)
    Membership.objects.create(user=ann, lei=LEI)
    EndedRight.objects.create(user=ann, lei=LEI, by_staff=False, reason="Left.")
    assert rights_of(ann) == set()
    named = Caller(id="8f1c", issuer=ISSUER, leis=frozenset({LEI}))
    assert access.find_rights(named, LEI) == set()
    assert access.find_leis(named) == access.find_leis(caller_of(ann)) == set()


@pytest.mark.parametrize(
    ("roles", "rights"),
    [
        (set(), {READ, BELONG, PREPARE, SIGN, CONNECT}),
        ({"offline_access"}, {READ, BELONG, PREPARE, SIGN, CONNECT}),
        ({"hmda-preparer"}, {READ, BELONG, PREPARE, CONNECT}),
        ({"hmda-signer"}, {READ, BELONG, SIGN}),
        ({"hmda-institution-administrator"}, {READ, BELONG, MANAGE, CONNECT}),
        ({"hmda-admin"}, {READ, BELONG, PREPARE, SIGN, CONNECT}),
    ],
)
def test_claims_of_another_provider_say_which_roles(roles: set[str], rights: set[Right]) -> None:
    caller = Caller(id="x", issuer=ISSUER, leis=frozenset({LEI}), roles=frozenset(roles))
    assert access.find_rights(caller, LEI) == rights
    assert access.find_rights(caller, "529900EXAMPLELEI0002") == set()


def test_a_personal_token_carries_at_most_the_roles_of_its_user(ann: User) -> None:
    row = Membership.objects.create(user=ann, lei=LEI, administrator_since=BEFORE)
    only = frozenset({LEI})
    assert access.find_rights(caller_of(ann, only=only), LEI) == set(Right)
    prepares = caller_of(ann, only=only, is_prepare_only=True)
    assert access.find_rights(prepares, LEI) == {READ, PREPARE}
    with pytest.raises(RightMissing, match="token"):
        access.require_right(prepares, SIGN, LEI)
    row.is_signer = False
    row.save()
    assert SIGN not in access.find_rights(caller_of(ann, only=only), LEI)
    assert access.find_rights(caller_of(ann, only=frozenset()), LEI) == set()


def test_a_refusal_says_what_is_missing_only_to_who_may_read(ann: User) -> None:
    with pytest.raises(AccessDenied):
        access.require_right(caller_of(ann), SIGN, LEI)
    Membership.objects.create(user=ann, lei=LEI, is_signer=False)
    with pytest.raises(RightMissing, match="signer"):
        access.require_right(caller_of(ann), SIGN, LEI)
