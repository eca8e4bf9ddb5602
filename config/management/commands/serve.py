"""Runs the whole service on this machine: web, workers and beat, until Ctrl-C."""

from __future__ import annotations

import os
import shlex
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config import demo, running, static_files
from config.management.commands.prepare import data_year
from config.stack import DidNotStart, Stack
from filing.models import Institution


class Command(BaseCommand):
    help = "Prepare the data directory and run web, workers and beat until Ctrl-C."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=os.environ.get("HOST", "127.0.0.1"))
        parser.add_argument("--no-demo", action="store_true", help="load no made-up data")

    def handle(self, *args: Any, **options: Any) -> None:
        service = running.Service(
            port=settings.PORT,
            public_url=settings.PUBLIC_URL,
            environment=running.environment(settings),
        )
        try:
            with running.claimed(settings.DATA_DIR, service) as claim:
                call_command("prepare", demo=not options["no_demo"])
                stack = Stack(data_dir=settings.DATA_DIR, port=settings.PORT, host=options["host"])
                if not settings.STATIC_ROOT:
                    folder = static_files.collected(settings.DATA_DIR / "static")
                    stack.environment["STATIC_ROOT"] = str(folder)
                stack.start(claim=claim)
                self.stdout.write(welcome())
                self.stdout.flush()
                stack.wait()
        except (running.AlreadyRuns, DidNotStart) as error:
            raise CommandError(str(error)) from error


def welcome() -> str:
    """Return what a person needs to begin: addresses, logins, and three calls to copy."""
    url, year = settings.PUBLIC_URL, data_year()
    lei = demo.filer().lei if Institution.objects.exists() else "<LEI>"
    base = f"{url}/v2/filing/institutions/{lei}/filings/{year}"
    manage = " ".join([*settings_to_repeat(), ".venv/bin/python manage.py"])
    logins = "\n".join(
        f"    {name:14} {password}   {' '.join(what)}"
        for name, password, *what in map(str.split, demo.logins_file().read_text().splitlines())
    )
    return f"""
  The service runs at {url}
    filing API   {url}/v2/filing/     to try: {url}/docs/
    sign in      {url}/sign-in/      who you are here: {url}/filing/profile/
    operators    {url}/admin/

  Demo logins (made for this directory, {settings.DATA_DIR}):
{logins or "    none: this directory holds data of your own"}

  Three calls to begin with:
    TOKEN=$({manage} token --lei {lei})
    curl -H "Authorization: Bearer $TOKEN" {base}
    curl -X POST -H "Authorization: Bearer $TOKEN" {base}/submissions

  Ctrl-C ends it. All it keeps lies in {settings.DATA_DIR}, with its logs in log/;
  the next start goes on from there.
"""


def settings_to_repeat() -> list[str]:
    """Return what must stand before another command so that it means this same service."""
    is_given = os.environ.get("DATA_DIR", "").strip()
    return [f"DATA_DIR={shlex.quote(str(settings.DATA_DIR))}"] if is_given else []
