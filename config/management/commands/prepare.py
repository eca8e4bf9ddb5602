"""Makes a fresh data directory ready: tables, keys, and on request something to try it with."""

from __future__ import annotations

import os
import secrets
from datetime import date
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction
from django.utils import timezone

from config.identity import provider, tokens
from databrowser.publication import demonstration as made_up_rows
from filing import roles, seasons
from filing.access import ROLES, SERVICE
from filing.lar.period import LAST_YEAR
from filing.models import Identity, Institution, Membership
from filing.reference import demo, registry
from graphs import demonstration
from ratespread import loading

DEMO_ROWS = 20_000  # of all years of the data browser together

# By role: the user name, and what such a user does here.
LOGINS = {
    "filer": ("filer", "files for the institution below"),
    "help desk": ("helpdesk", "sees everything, changes nothing"),
    "operator": ("operator", "keeps institutions, periods and memberships"),
    "administrator": ("administrator", "does everything"),
}


class Command(BaseCommand):
    help = "Create or update the tables and keys; with --demo also demo data, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--demo", action="store_true", help="load made-up data to try with")

    def handle(self, *args: Any, **options: Any) -> None:
        _close_to_others(settings.DATA_DIR)
        call_command("migrate", verbosity=0)
        if settings.EMBEDDED_PROVIDER:
            provider.prepare()
        if options["demo"] and not Institution.objects.exists():
            make_demo_data()
            demonstration.load(data_year(), by="prepare")
            made_up_rows.publish(rows=DEMO_ROWS, years=settings.BROWSER_YEARS, by=SERVICE)


def _close_to_others(folder: Path) -> None:
    """Let the service's user alone into a data folder, also one from before it was made so."""
    if folder.stat().st_uid == os.geteuid():
        folder.chmod(0o700)


def data_year(today: date | None = None) -> int:
    """Return the year whose annual data are filed now."""
    return min((today or timezone.localdate()).year - 1, LAST_YEAR)


@transaction.atomic
def make_demo_data() -> None:
    """Load made-up facts and institutions and an open season, and make a login for each role."""
    for year in sorted({data_year(), min(data_year() + 1, LAST_YEAR)}):
        registry.load_demo_census(year, by="prepare")
        Institution.objects.bulk_create(
            Institution(activity_year=year, **facts) for facts in demo.institutions()
        )
        seasons.open_season(year, by=SERVICE)
    loading.load_demo(by="prepare")
    if settings.EMBEDDED_PROVIDER:  # elsewhere the provider has the users
        for role, (name, what) in LOGINS.items():
            _login(name, role, what)


def _login(name: str, role: str, what: str) -> None:
    password = secrets.token_urlsafe(9)
    domain = "service.example"
    if role == "filer":
        domain = filer().email_domains[0]
    user = User.objects.create_user(
        name, f"{name}@{domain}", password, first_name="Demo", last_name=name.capitalize()
    )
    roles.assign(user, [each for each in ROLES if each.group == role])
    if role == "filer":
        Membership.objects.create(user=user, lei=filer().lei)
        Identity.objects.filter(pk=tokens.known(user).pk).update(email_verified=True)
    with logins_file().open("a") as file:
        file.write(f"{name} {password} {what}\n")


def filer() -> Institution:
    """Return the institution that a first look begins with."""
    return Institution.objects.order_by("-quarterly_filer", "activity_year", "lei")[0]


def demo_filer() -> Institution | None:
    """Return the made-up institution to try a filing with, None where the panel has real ones."""
    leis = [facts["lei"] for facts in demo.institutions()]
    made_up = Institution.objects.filter(lei__in=leis, activity_year=data_year())
    return made_up.order_by("-quarterly_filer", "lei").first()


def logins_file() -> Path:
    """Return the file that keeps the demo logins, readable by its owner alone."""
    path = Path(settings.DATA_DIR, "demo-logins")
    path.touch(mode=0o600)
    return path
