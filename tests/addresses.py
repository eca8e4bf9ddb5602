"""Every address of the service, and browsers signed in as each kind of caller."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.db.models import Model
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.resolvers import RegexPattern, RoutePattern

from config.identity import provider, tokens
from filing import submissions
from filing.access import ROLES
from filing.lar.years import Period
from filing.models import Filing, FilingPeriod, Membership
from tests.conftest import LEI
from tests.filing.people.members import RIGHTS, one_of_each  # noqa: F401 -- a fixture

OTHER_LEI, NO_LEI = "529900OTHERBANK00017", "529900NOSUCHBANK0000"
CALLERS = ("anonymous", "filer", "other", "help desk", "operator", "administrator")
STAFF = CALLERS[3:]
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


UPLOAD = "0" * 32  # the key of a resumable upload; elsewhere a key is that of a row
# What stands for the variable parts of an address.
PARTS = {
    "name": "loans.parquet",
    "state": "MD",
    "lei": LEI,
    "period": "2024",
    "which": "latest",
    "figure": "total_filers",
    "topic": "hmda-sign",
    "submission_name": f"{LEI}-2024-1",
    "year": "2024",
    "past": "2",
    "msa_md": "19124",
    "report": "1",
    "quarter": "Q1",
    "sequence_number": "1",
    "number": "1",
    "earlier": "1",
    "code": "Q603",
    "rules": "2025",
    "chart": "signed",
    "kind": "fixed",
    "edits": "quality",
    "facts": "census",
    "slug": "notes",
    "endpoint": "applications",
    "form": "csv",
    "picture": "map",
    "ending": "csv",
    "app_label": "filing",
    "content_type_id": "1",
    "url": "nowhere",
    "token_id": "1",
    "factor_id": "1",
    "submission_id": "0",
    "webhook": "1",
    "person": "1",
    "invitation": "1",
    "access_request": "1",
    "delivery": "1",
    "proposal": "0",
    "organization": "ORG-7K2M9Q",
    "member": "0",
    "delegation": "0",
    "action": "test",
    "user": "MQ",
    "uidb64": "MQ",
    "token": "x",
    "case": "x",
}


def routes() -> Iterator[tuple[str, str]]:
    """Yield the name and the address of everything in the URL table that can be reached."""
    taken: set[str] = set()
    for name, address in _routes(get_resolver(), "", "/"):
        if address not in taken:  # else one that stands before it answers
            taken.add(address)
            yield name, address


def _routes(resolver: URLResolver, space: str, before: str) -> Iterator[tuple[str, str]]:
    for entry in resolver.url_patterns:
        address = before + _address(entry)
        if isinstance(entry, URLResolver):
            inner = f"{space}{entry.namespace}:" if entry.namespace else space
            yield from _routes(entry, inner, address)
        else:
            yield space + (entry.name or _unnamed(entry, before)), address


def _unnamed(entry: URLPattern, before: str) -> str:
    """Return a name for an address that has none: of an object in the admin, of all else there."""
    if "object_id" in str(entry.pattern):
        return f"{'_'.join(before.split('/')[2:4])}_by_key"
    return "nowhere" if "url" in str(entry.pattern) else before + _address(entry)


def _address(entry: URLPattern | URLResolver) -> str:
    pattern = entry.pattern
    if isinstance(pattern, RoutePattern):
        return re.sub(r"<(?:\w+:)?(\w+)>", lambda part: _part(part[1]), str(pattern))
    assert isinstance(pattern, RegexPattern)
    text = str(pattern).removeprefix("^").removesuffix("$").removesuffix("/?").replace("\\.", ".")
    while group := re.search(r"\(\?P<(\w+)>(?:\[[^\]]*\]|\((?:[^()])*\)\??|[^()])*\)", text):
        part = UPLOAD if group[1] == "key" else _part(group[1])
        text = text[: group.start()] + part + text[group.end() :]
    return text


def _part(name: str) -> str:
    return PARTS.get(name, "{key}")


ROUTES = dict(routes())


def table_of(name: str) -> type[Model] | None:
    """Return the table that an address of the admin belongs to."""
    spaces = {f"admin:{each._meta.label_lower.replace('.', '_')}_": each for each in RIGHTS}
    return next((each for space, each in spaces.items() if name.startswith(space)), None)


@pytest.fixture
def browsers(settings: Any) -> dict[str, tuple[Client, Client]]:
    """Of each caller a browser that is signed in, and a program with a token."""
    settings.LIMITS = dict.fromkeys(settings.LIMITS)
    provider.prepare_provider()
    # The service would ask itself for this, with requests that end the connection of the test.
    document = Client().get(reverse("identity:discovery")).json()
    cache.set(f"provider:{settings.OIDC_ISSUER}", document)
    roles = {role.group: role.token_role for role in ROLES}
    made = {"anonymous": (Client(), Client())}
    for name in CALLERS[1:]:
        leis = {"filer": [LEI], "other": [OTHER_LEI]}.get(name, [])
        user = User.objects.create(username=f"the-{name.replace(' ', '-')}", is_staff=name in STAFF)
        for lei in leis:
            Membership.objects.create(user=user, lei=lei)
        user.groups.set(Group.objects.filter(name=name))
        browser = Client()
        browser.force_login(user)
        claims = tokens.identity_claims(name, username=name, leis=leis, roles=[roles.get(name, "")])
        token = tokens.issue_token(claims, seconds=600)
        made[name] = (browser, Client(headers={"authorization": f"Bearer {token}"}))
    return made


@pytest.fixture
def filed(filing: Filing, filer: Any) -> None:
    """A filing with a submission, annual and quarterly."""
    days = {"opens": filing.period.opens, "closes": filing.period.closes}
    quarter = FilingPeriod.objects.create(
        year=2024, quarter="Q1", timely_until=filing.period.timely_until, **days
    )
    Filing.objects.create(institution=filing.institution, period=quarter)
    for period in (Period(2024), Period(2024, 1)):
        submissions.create_submission(lei=LEI, period=period, by=filer)


def of_api(name: str) -> bool:
    return name.startswith("filing:") and name != "filing:health"
