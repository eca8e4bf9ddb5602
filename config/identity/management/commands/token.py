"""Prints a bearer token for development and demos."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.db.models import QuerySet

from config import running
from config.identity import callers, tokens
from filing import audit
from filing.models import Happening, Institution

NAMED = 3  # LEIs of the panel, where another one is refused


class Command(BaseCommand):
    help = "Print an access token of the embedded identity provider, and nothing else."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--lei", help="LEI of the panel, or several with commas between")
        parser.add_argument("--email", default="filer@example.com", help="whom it is for")
        parser.add_argument("--minutes", type=int, help="how long it is valid")
        parser.add_argument(
            "--role", action="append", default=[], help="such as hmda-admin; needs no --lei"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.EMBEDDED_PROVIDER:
            raise CommandError(
                f"Tokens of this site come from {settings.OIDC_ISSUER}: sign in there. "
                "This command signs tokens only where OIDC_ISSUER is not set."
            )
        _require_settings_of_the_service()
        try:
            leis = _leis(options["lei"], is_needed=not options["role"])
        except DatabaseError as error:
            raise CommandError(
                f"The panel cannot be read: {error}. Start the service with `make run` first, or "
                "make its tables with `manage.py prepare`."
            ) from error
        email = options["email"]
        claims = tokens.identity(
            tokens.subject(f"mail:{email}"),
            username=email,
            email=email,
            leis=leis,
            roles=options["role"],
        )
        text = tokens.issue(claims, seconds=_seconds(options["minutes"]))
        by = callers.caller_of({"iss": settings.OIDC_ISSUER, **claims})
        audit.record(Happening.TOKEN_ISSUED, by=by, about="manage.py token")
        self.stdout.write(text)


def _require_settings_of_the_service() -> None:
    """Refuse to make a token that the service of this data folder would refuse."""
    service = running.service_on(settings.DATA_DIR)
    if service is None:
        return
    own = running.environment(settings)
    differing = [name for name, value in service.environment.items() if own.get(name) != value]
    if differing:
        here = ", ".join(f"{name}={own.get(name, '')}" for name in differing)
        there = " ".join(f"{name}={service.environment[name]}" for name in differing)
        raise CommandError(
            f"This command has {here}, so {service} would refuse its token. "
            f"Set what the service has: {there}"
        )


def _leis(text: str | None, *, is_needed: bool) -> list[str]:
    if text is None and not is_needed:
        return []
    if text is None:
        raise CommandError(f"--lei is missing. {_leis_of_the_panel()}")
    leis = [lei.strip() for lei in text.split(",")]
    for lei in leis:
        if not (lei.isascii() and lei.isalnum()):
            raise CommandError(
                f"{lei!r} is no LEI: an LEI has letters and digits only. "
                "Write --lei LEI, or --lei LEI,LEI."
            )
    panel = _institutions().filter(lei__in=leis)
    if unknown := sorted({*leis} - {*panel}):
        raise CommandError(f"No panel has the LEI {', '.join(unknown)}. {_leis_of_the_panel()}")
    return leis


def _leis_of_the_panel() -> str:
    """Return the sentence that says which LEIs are accepted, and where all of them are listed."""
    leis = list(_institutions()[:NAMED])
    if not leis:
        return "The panel is empty: load one with `manage.py load_institutions FILE`."
    return (
        f"Enter one of the panel, such as {', '.join(leis)}; "
        f"{settings.PUBLIC_URL}/admin/filing/institution/ lists them all."
    )


def _institutions() -> QuerySet[Institution, str]:
    return Institution.objects.order_by("lei").values_list("lei", flat=True).distinct()


def _seconds(minutes: int | None) -> int:
    if minutes is None:
        return settings.ACCESS_TOKEN_SECONDS
    longest = settings.ACCESS_TOKEN_MAX_SECONDS // 60
    if not 1 <= minutes <= longest:
        raise CommandError(f"--minutes {minutes} must be from 1 to {longest}.")
    return minutes * 60
