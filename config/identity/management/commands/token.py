"""Prints a bearer token for development and demonstrations."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.identity import bearer, tokens
from filing import trail
from filing.models import Happening

LONGEST = 24 * 60  # minutes


class Command(BaseCommand):
    help = "Print an access token of the embedded identity provider, and nothing else."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--lei", required=True, help="LEI, or several with commas between")
        parser.add_argument("--email", default="filer@example.com", help="of whom it is for")
        parser.add_argument("--minutes", type=int, help="how long it is good")
        parser.add_argument("--role", action="append", default=[], help="such as hmda-admin")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.EMBEDDED_PROVIDER:
            raise CommandError(
                f"Tokens of this site come from {settings.OIDC_ISSUER}: sign in there. "
                "This command signs tokens only where OIDC_ISSUER is not set."
            )
        email = options["email"]
        claims = tokens.identity(
            tokens.subject(f"mail:{email}"),
            username=email,
            email=email,
            leis=_leis(options["lei"]),
            roles=options["role"],
        )
        text = tokens.issue(claims, seconds=_seconds(options["minutes"]))
        by = bearer.caller_of({"iss": settings.OIDC_ISSUER, **claims})
        trail.record(Happening.TOKEN_ISSUED, by=by, about="manage.py token")
        self.stdout.write(text)


def _leis(text: str) -> list[str]:
    leis = [lei.strip() for lei in text.split(",")]
    for lei in leis:
        if not (lei.isascii() and lei.isalnum()):
            raise CommandError(
                f"{lei!r} is no LEI: an LEI has letters and digits only. "
                "Write --lei LEI, or --lei LEI,LEI."
            )
    return leis


def _seconds(minutes: int | None) -> int:
    if minutes is None:
        return settings.ACCESS_TOKEN_SECONDS
    if not 1 <= minutes <= LONGEST:
        raise CommandError(f"--minutes {minutes} must be from 1 to {LONGEST}.")
    return minutes * 60
