"""The made-up data of a demo site: facts, institutions, a filing season, accounts."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from config.checks import DEMO_LOGINS
from config.identity import tokens
from databrowser.demo import publishing
from filing import seasons
from filing.access import ROLES, SERVICE
from filing.demo import loading, panel
from filing.lar.years import YearStage, newest_year, supported_years
from filing.models import Identity, Institution, Membership
from filing.people import roles
from graphs.demo import loading as graphs
from ratespread.demo import loading as rates

ROWS = 20_000  # of all years of the data browser together
BY = "prepare"

# By role: the user name, and what this user can do.
LOGINS = {
    "filer": ("filer", "files for the institution below"),
    "help desk": ("helpdesk", "sees everything, changes nothing"),
    "operator": ("operator", "manages institutions, periods and memberships"),
    "administrator": ("administrator", "does everything"),
}


def load_demo(year: int) -> None:
    """Load made-up data to file with, and create an account for each role.

    year: the data year that is filed now.
    """
    with transaction.atomic():
        _load_filing(year)
        rates.load_demo_rates(by=BY)
        if settings.EMBEDDED_PROVIDER:  # elsewhere the provider has the users
            lines = [_create_account(name, role, task) for role, (name, task) in LOGINS.items()]
            logins_file().touch(mode=0o600)  # only its owner can read it
            logins_file().write_text("".join(lines))


def publish_graphs(year: int) -> None:
    """Publish graphs of made-up facts. year: the data year that is filed now."""
    graphs.load_demo_graphs(year, by=BY)


def publish_records(years: Sequence[int]) -> None:
    """Publish made-up records of past years."""
    rows = ROWS // len(settings.BROWSER_YEARS) * len(years)
    publishing.publish_demo(rows=rows, years=years, by=SERVICE)


def _load_filing(newest: int) -> None:
    for year in supported_years():
        if year < newest:
            continue
        loading.load_demo_census(year, by=BY)  # files of the next year can be checked too
        if year > min(newest + 1, newest_year(YearStage.FILING)):
            continue
        Institution.objects.bulk_create(
            Institution(activity_year=year, **facts) for facts in panel.make_institutions()
        )
        seasons.open_season(year, by=SERVICE)


def _create_account(name: str, role: str, task: str) -> str:
    """Create the account of a role; return its line in the file of demo passwords."""
    password = secrets.token_urlsafe(9)
    filer = panel.make_institutions()[0]
    domain = filer["email_domains"][0] if role == "filer" else "service.example"
    user = User.objects.create_user(
        name, f"{name}@{domain}", password, first_name="Demo", last_name=name.capitalize()
    )
    roles.assign_roles(user, [each for each in ROLES if each.group == role])
    if role == "filer":
        Membership.objects.create(user=user, lei=filer["lei"])
        Identity.objects.filter(pk=tokens.known_identity(user).pk).update(email_verified=True)
    return f"{name} {password} {task}\n"


def demo_institution(year: int) -> Institution | None:
    """Return a made-up institution to file for, None where the panel has only real ones."""
    leis = [facts["lei"] for facts in panel.make_institutions()]
    made_up = Institution.objects.filter(lei__in=leis, activity_year=year)
    return made_up.order_by("-quarterly_filer", "lei").first()


def logins_file() -> Path:
    """Return the path of the file with the demo passwords."""
    return Path(settings.DATA_DIR, DEMO_LOGINS)
