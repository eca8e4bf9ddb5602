"""Makes a fresh data directory ready: tables, keys, and on request something to try it with."""

from __future__ import annotations

import secrets
from datetime import date
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, Permission, User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction
from django.utils import timezone

from config.identity import provider
from filing import filings
from filing.access import SERVICE
from filing.lar.period import LAST_YEAR
from filing.models import Institution
from filing.reference import demo, registry

LOGINS = {"operator": "Operator", "helpdesk": "Help desk"}


class Command(BaseCommand):
    help = "Create or update the tables and keys; with --demo also demo data, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--demo", action="store_true", help="load made-up data to try with")

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0)
        if settings.EMBEDDED_PROVIDER:
            provider.prepare()
        if options["demo"] and not Institution.objects.exists():
            make_demo_data()


def data_year(today: date | None = None) -> int:
    """Return the year whose annual data are filed now."""
    return min((today or timezone.localdate()).year - 1, LAST_YEAR)


@transaction.atomic
def make_demo_data() -> None:
    """Load a made-up census, made-up institutions and an open season, and make two staff logins."""
    for year in sorted({data_year(), min(data_year() + 1, LAST_YEAR)}):
        registry.load_demo_census(year, by="prepare")
        Institution.objects.bulk_create(
            Institution(activity_year=year, **facts) for facts in demo.institutions()
        )
        filings.open_season(year, by=SERVICE)
    for name, group in LOGINS.items():
        _login(name, group)


def _login(name: str, group: str) -> None:
    password = secrets.token_urlsafe(9)
    user = User.objects.create_user(name, f"{name}@service.example", password, is_staff=True)
    user.is_superuser = name == "operator"
    user.save()
    user.groups.add(_group(group))
    with logins_file().open("a") as file:
        file.write(f"{name} {password}\n")


def _group(name: str) -> Group:
    """Return the group; its members may look at everything about filing."""
    group, _ = Group.objects.get_or_create(name=name)
    looking = Permission.objects.filter(
        content_type__app_label="filing", codename__startswith="view_"
    )
    group.permissions.add(*looking)
    return group


def logins_file() -> Path:
    """Return the file that keeps the demo logins, readable by its owner alone."""
    path = Path(settings.DATA_DIR, "demo-logins")
    path.touch(mode=0o600)
    return path
