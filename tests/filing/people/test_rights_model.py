"""Random sequences of what people do about rights, held against a small model of them.

Everything is done on pages, as people do it. The model knows of each person what they may do on
each day; after each step it is compared for everybody, and now and then somebody tries something.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse

from filing import access, day_hours
from filing.emails import secret_links
from filing.lar.years import Period
from filing.models import (
    Delegation,
    FilingPeriod,
    Invitation,
    Membership,
    Organization,
    OrganizationMember,
    PeopleList,
)
from filing.people import memberships
from tests import make
from tests.addresses import filed  # noqa: F401 -- a fixture
from tests.conftest import LEI

pytestmark = pytest.mark.django_db

SEQUENCES, GROUPS, STEPS = 40, 2, 18
TRY_EVERY = 3  # steps: a page is drawn for it, and costs as much as the step
READ, PREPARE, SIGN, MANAGE = "read", "prepare", "sign", "manage"
ROLES = ("is_preparer", "is_signer", "is_administrator")
OF_BANK = ("ada", "ben", "cho")
OF_VENDOR = ("vic", "wim")
PEOPLE = (*OF_BANK, *OF_VENDOR)
SEASON = 60  # days until the next season opens
LOOK = 90  # days before, in which a list can be confirmed
LINK = 14  # days
LAST_OF_BEN = 20  # days, so that rights that are over come in many sequences


@dataclass
class Grant:
    """Roles of a person, with the day since when, when confirmed, and the last one."""

    roles: frozenset[str]
    until: int | None
    known: int
    administrator_since: int | None = None


@dataclass
class Lent:
    """What the institution lets the vendor do."""

    may_sign: bool
    periods: tuple[str, ...]
    until: int | None


@dataclass
class Offer:
    """An open invitation, which ends with the right of whoever sent it."""

    by: str
    key: int
    roles: frozenset[str]
    until: int | None
    last: int


@dataclass
class Model:
    """The rights, as a person would keep them on paper. Days count from the first."""

    day: int = 0
    people: dict[str, Grant] = field(default_factory=dict)
    members: dict[str, Grant] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    lent: Lent | None = None
    offers: dict[str, Offer] = field(default_factory=dict)

    def find_rights(self, name: str) -> set[str]:
        """Return what a person may do for the institution's filing of 2024."""
        if name in self.ended:
            return set()
        own = self._own(name)
        return own if MANAGE in own else own | self._lent(name)

    def _own(self, name: str) -> set[str]:
        grant = self.people.get(name)
        if grant is None or self.is_over(grant.until):
            return set()
        rights = {READ} | ({MANAGE} if "is_administrator" in grant.roles else set())
        if not self._is_unconfirmed(grant):
            rights |= _working(grant)
        return rights

    def _lent(self, name: str) -> set[str]:
        grant = self.members.get(name)
        if grant is None or self.lent is None or self.is_over(grant.until):
            return set()
        if self.is_over(self.lent.until) or "2024" not in (self.lent.periods or ("2024",)):
            return set()
        limit = {READ, PREPARE, SIGN} if self.lent.may_sign else {READ, PREPARE}
        return ({READ} | _working(grant)) & limit

    def _is_unconfirmed(self, grant: Grant) -> bool:
        since = [each.administrator_since for each in self.people.values()]
        known = [day for day in since if day is not None]
        if self.day < SEASON or not known or min(known) >= SEASON:
            return False
        return grant.known < SEASON - LOOK

    def drop_void_offers(self) -> None:
        """Forget the invitations of people who may no longer invite."""
        self.offers = {
            who: offer for who, offer in self.offers.items() if MANAGE in self.find_rights(offer.by)
        }

    def is_over(self, until: int | None) -> bool:
        return until is not None and until < self.day

    def describe_state(self) -> set[str]:
        """Return what is so now of all that a sequence can lead to."""
        grants = self.people.values()
        states = {
            "ended": bool(self.ended),
            "signs for another": SIGN in self._lent("vic") | self._lent("wim"),
            "not confirmed": any(self._is_unconfirmed(grant) for grant in grants),
            "over": any(self.is_over(grant.until) for grant in grants),
            "two administrators": sum("is_administrator" in each.roles for each in grants) > 1,
            "lent to an administrator": any(
                MANAGE in self._own(name) and self._lent(name) - self._own(name)
                for name in self.members
            ),
        }
        return {name for name, is_so in states.items() if is_so}

    def is_last_administrator(self, name: str) -> bool:
        others = [
            other
            for other, grant in self.people.items()
            if other != name and "is_administrator" in grant.roles
        ]
        return "is_administrator" in self.people[name].roles and not others


def _working(grant: Grant) -> set[str]:
    pairs = (("is_preparer", PREPARE), ("is_signer", SIGN))
    return {right for role, right in pairs if role in grant.roles}


class World:
    """The service with one institution, one vendor, and everybody's browser."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.model, self.log = Model(), [f"seed {seed}"]
        self.users = {name: self._add_user(name) for name in PEOPLE}
        self.browsers = {name: Client() for name in PEOPLE}
        opens = day_hours.today() + timedelta(days=SEASON)
        closes = opens + timedelta(days=200)
        make.period(2025, opens=opens, timely_until=closes, closes=closes)
        first = {"added_at": day_hours.find_start_of_day(day_hours.today() - timedelta(days=200))}
        now = day_hours.to_filing_zone(first["added_at"])
        make.member(self.users["ada"], LEI, source="invite", administrator_since=now, **first)
        self.model.people["ada"] = Grant(frozenset(ROLES), None, -200, -200)
        last = day_hours.today() + timedelta(days=LAST_OF_BEN)
        make.member(self.users["ben"], LEI, source="invite", until=last, **first)
        self.model.people["ben"] = Grant(frozenset(ROLES[:2]), LAST_OF_BEN, -200)
        self.vendor = Organization.objects.create(
            name="Vendor", code="ORG-222222", email_domain="vendor.example", made_by="vic"
        )
        OrganizationMember.objects.create(
            organization=self.vendor,
            user=self.users["vic"],
            is_signer=True,
            administrator_since=now,
        )
        self.model.members["vic"] = Grant(frozenset(ROLES), None, -200)
        if seed % 4 < 2:  # then one who decides which organizations act is of one, too
            roles = {"is_preparer": False, "is_signer": False, "administrator_since": now}
            make.member(self.users["vic"], LEI, source="invite", **roles, **first)
            self.model.people["vic"] = Grant(frozenset(ROLES[2:]), None, -200, -200)

    def _add_user(self, name: str) -> User:
        domain = "bank.example" if name in OF_BANK else "vendor.example"
        return make.user(name, email=f"{name}@{domain}", is_verified=True)

    def post(self, name: str, page: str, *where: Any, **values: Any) -> bool:
        """Send a form as a person; return whether it was done."""
        browser = self.browsers[name]
        browser.force_login(User.objects.get(pk=self.users[name].pk))  # an end ends sign-ins
        sent = {key: value for key, value in values.items() if value not in (None, False)}
        answer = browser.post(reverse(page, args=where), sent)
        self.log.append(f"day {self.model.day}: {name} {page} {sent}: {answer.status_code}")
        assert answer.status_code in {200, 302, 303, 400, 403, 404, 409, 410}, self.log
        return answer.status_code in {302, 303}

    def may(self, name: str, right: str) -> bool:
        """Return whether a person is let in where a right is needed."""
        browser = self.browsers[name]
        browser.force_login(User.objects.get(pk=self.users[name].pk))
        period = [LEI, "2024"]
        with transaction.atomic():
            answer = {
                READ: lambda: browser.get(reverse("filing-period", args=period)),
                PREPARE: lambda: browser.post(reverse("filing-upload", args=[*period, "1"])),
                SIGN: lambda: browser.post(reverse("filing-sign", args=[*period, "1"])),
                MANAGE: lambda: browser.get(reverse("filing-people-invite", args=[LEI])),
            }[right]()
            transaction.set_rollback(True)
        return bool(answer.status_code != 403)

    def check(self, name: str, right: str) -> None:
        expected = right in self.model.find_rights(name)
        assert self.may(name, right) is expected, [*self.log, (name, right, expected, self.model)]

    def check_all(self) -> None:
        """Compare all rights of everybody, by the function that pages and programs ask."""
        for name, user in self.users.items():
            rights = access.find_rights(access.caller_of(user), LEI, Period(2024))
            found = {str(right) for right in rights} - {"belong", "connect"}
            assert found == self.model.find_rights(name), [*self.log, (name, found, self.model)]

    # What people do.

    def act(self) -> None:
        """Do something at random, of what can lead anywhere."""
        needs = {World.accept: "offers", World.end_delegation: "lent"}
        possible = [act for act in ACTS if getattr(self.model, needs.get(act, "people"))]
        self.chance.choice(possible)(self)

    def invite(self) -> None:
        by, who = self.pick(), self.chance.choice(PEOPLE)
        roles, until = self.draw_roles(), self.draw_until()
        until = None if "is_administrator" in roles else until
        done = self.post(
            by,
            "filing-people-invite",
            LEI,
            email=self.users[who].email,
            roles=[role.removeprefix("is_") for role in roles],
            until=self.day_of(until),
        )
        has_access = bool(self.model._own(who)) and who not in self.model.ended
        assert done is (MANAGE in self.model.find_rights(by) and not has_access), self.log
        if done:
            key = Invitation.objects.latest("pk").pk
            self.model.offers[who] = Offer(by, key, roles, until, self.model.day + LINK)

    def accept(self) -> None:
        who = self.chance.choice(sorted(self.model.offers))
        offer = self.model.offers[who]
        link = secret_links.LINKS["invitation"](offer.key)
        page, _, secret = link.rstrip("/").rpartition("/")
        other = self.pick()
        if other != who:
            assert not page or not self.post(other, "filing-invitation", secret, answer="accept"), (
                self.log
            )
        done = self.post(who, "filing-invitation", secret, answer="accept") if secret else False
        is_open = self.model.day < offer.last and not self.model.is_over(offer.until)
        assert done is is_open, [*self.log, offer]
        if not done:
            return
        del self.model.offers[who]
        self.model.ended.discard(who)
        since = self.model.day if "is_administrator" in offer.roles else None
        self.model.people[who] = Grant(offer.roles, offer.until, self.model.day, since)

    def change(self) -> None:
        by, roles, until = self.pick(), self.draw_roles(), self.draw_until()
        who = self.chance.choice(sorted(self.model.people))
        until = None if "is_administrator" in roles else until
        grant = self.model.people[who]
        done = self.post(
            by,
            "filing-people-change",
            LEI,
            self.key_of(who),
            roles=[role.removeprefix("is_") for role in roles],
            until=self.day_of(until),
            reason="Other work.",
        )
        is_last = self.model.is_last_administrator(who) and "is_administrator" not in roles
        adds = by == who and not roles <= grant.roles
        is_same = (roles, until) == (grant.roles, grant.until)
        assert done is (
            MANAGE in self.model.find_rights(by) and not (is_last or adds or is_same)
        ), self.log
        if done:
            since = grant.administrator_since
            since = (
                (self.model.day if since is None else since)
                if "is_administrator" in roles
                else None
            )
            self.model.people[who] = Grant(roles, until, grant.known, since)
            self.model.drop_void_offers()

    def end(self) -> None:
        by, who = self.pick(), self.chance.choice(sorted(self.model.people))
        done = self.post(by, "filing-people-end", LEI, self.key_of(who), reason="Left.")
        is_last = self.model.is_last_administrator(who)
        assert done is (MANAGE in self.model.find_rights(by) and not is_last), self.log
        if done:
            del self.model.people[who]
            self.model.ended.add(who)
            self.model.offers.pop(who, None)
            self.model.drop_void_offers()

    def leave(self) -> None:
        who = self.chance.choice(sorted(self.model.people))
        is_last, rights = self.model.is_last_administrator(who), self.model.find_rights(who)
        done = self.post(who, "filing-people-leave", LEI)
        assert done is (READ in rights and not is_last), self.log
        if done:
            del self.model.people[who]
            self.model.drop_void_offers()

    def confirm(self) -> None:
        by = self.pick()
        done = self.post(by, "filing-people-confirm", LEI)
        assert done is (MANAGE in self.model.find_rights(by)), self.log
        if done:
            for grant in self.model.people.values():
                grant.known = self.model.day

    def delegate(self) -> None:
        by, may_sign, until = self.pick(), self.chance.random() < 0.5, self.draw_until()
        periods = self.chance.choice([(), ("2024",), ("2025",)])
        done = self.post(
            by,
            "filing-delegations",
            LEI,
            code=self.vendor.code,
            may_sign="sign" if may_sign else "prepare",
            periods=list(periods),
            until=self.day_of(until),
        )
        is_there = self.model.lent is not None
        assert done is (MANAGE in self.model.find_rights(by) and not is_there), self.log
        if done:
            self.model.lent = Lent(may_sign, periods, until)

    def end_delegation(self) -> None:
        key = Delegation.objects.get(ended_at=None).pk
        if self.chance.random() < 0.5:
            by = self.pick()
            done = self.post(by, "filing-delegation-end", LEI, key, reason="No longer needed.")
            assert done is (MANAGE in self.model.find_rights(by)), self.log
        else:
            where = [self.vendor.code, key]
            done = self.post("vic", "filing-organization-client-end", *where, reason="Over.")
            assert done, self.log
        if done:
            self.model.lent = None

    def change_vendor(self) -> None:
        roles, until = self.draw_roles() - {"is_administrator"}, self.draw_until()
        if "wim" not in self.model.members:
            until_day = self.day_of(until)
            email = self.users["wim"].email
            assert self.post(
                "vic",
                "filing-organization-invite",
                self.vendor.code,
                email=email,
                roles=[role.removeprefix("is_") for role in roles],
                until=until_day,
            ), self.log
            key = Invitation.objects.latest("pk").pk
            secret = secret_links.LINKS["invitation"](key).rstrip("/").rpartition("/")[2]
            assert self.post("wim", "filing-invitation", secret, answer="accept"), self.log
            self.model.members["wim"] = Grant(roles, until, self.model.day)
            return
        member = OrganizationMember.objects.get(user=self.users["wim"], ended_at=None)
        where = [self.vendor.code, member.pk]
        assert self.post("vic", "filing-organization-person-end", *where, reason="Left."), self.log
        del self.model.members["wim"]

    def let_days_pass(self) -> None:
        """Move what is stored back in time, by the days that pass."""
        days = self.chance.choice([1, 3, 15, 40])
        self.model.day += days
        self.log.append(f"{days} days pass")
        for model, names in {
            Membership: "added_at confirmed_at administrator_since until",
            OrganizationMember: "added_at administrator_since until",
            Delegation: "agreed_at until",
            Invitation: "invited_at expires_at until",
            PeopleList: "confirmed_at",
            FilingPeriod: "opens",
        }.items():
            for row in model.objects.all():
                moved = {name: _moved(getattr(row, name), days) for name in names.split()}
                model.objects.filter(pk=row.pk).update(**moved)
        if self.chance.random() < 0.5:  # the daily check may come before somebody acts, or later
            memberships.check_memberships()
            gone = [
                name for name, grant in self.model.people.items() if self.model.is_over(grant.until)
            ]
            for name in gone:
                del self.model.people[name]

    def pick(self) -> str:
        """Return somebody, more often one who can do something."""
        managers = [name for name in PEOPLE if MANAGE in self.model.find_rights(name)]
        return self.chance.choice(managers if self.chance.random() < 0.6 else PEOPLE)

    def draw_roles(self) -> frozenset[str]:
        return frozenset(role for role in ROLES if self.chance.random() < 0.5)

    def draw_until(self) -> int | None:
        last = self.model.day + self.chance.choice([0, 2, 30])
        return self.chance.choice([None, last, last])

    def day_of(self, until: int | None) -> date | None:
        return None if until is None else day_hours.today() + timedelta(until - self.model.day)

    def key_of(self, name: str) -> int:
        return Membership.objects.get(user=self.users[name], lei=LEI).pk


def _moved(value: date | None, days: int) -> date | None:
    if isinstance(value, datetime):  # by the clock of the filing time zone
        return day_hours.to_filing_zone(value) - timedelta(days=days)
    return value and value - timedelta(days=days)


ACTS = (
    *(World.invite, World.invite, World.accept, World.accept, World.change, World.end),
    *(World.leave, World.confirm, World.delegate, World.delegate, World.end_delegation),
    *(World.change_vendor, World.let_days_pass, World.let_days_pass),
)


@pytest.mark.parametrize(
    "group", [0, *(pytest.param(each, marks=pytest.mark.slow) for each in range(1, GROUPS))]
)
def test_rights_are_those_of_the_model(group: int, filed: None) -> None:
    seen: set[str] = set()
    for seed in range(group, SEQUENCES, GROUPS):
        with transaction.atomic():
            world = World(seed)
            for step in range(STEPS):
                world.act()
                world.check_all()
                if step % TRY_EVERY == 0:
                    world.check(world.pick(), world.chance.choice((READ, PREPARE, SIGN, MANAGE)))
                seen |= world.model.describe_state()
            transaction.set_rollback(True)
    # What the sequences are for: those of each group lead to all of it.
    of_rights = {"ended", "signs for another", "lent to an administrator", "not confirmed", "over"}
    assert seen == of_rights | {"two administrators"}
