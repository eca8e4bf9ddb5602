"""Prints a bearer token for development and demos."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.db.models import QuerySet

from config.identity import bearer, tokens
from config.running import data_folder
from filing import audit
from filing.models import AuditEvent, Institution

NAMED = 3  # LEIs of the panel that an error names


class Command(BaseCommand):
    help = "Print an access token of the embedded identity provider, and nothing else."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--lei", help="one LEI of the panel, or several separated by commas")
        parser.add_argument(
            "--email", default="filer@example.com", help="email address of the user"
        )
        parser.add_argument("--minutes", type=int, help="lifetime in minutes")
        parser.add_argument(
            "--role",
            action="append",
            default=[],
            help="role such as hmda-admin; --lei is then optional",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.EMBEDDED_PROVIDER:
            raise CommandError(
                f"Tokens of this site come from {settings.OIDC_ISSUER}. Sign in there. "
                "This command makes tokens only where OIDC_ISSUER is not set."
            )
        _require_settings_of_the_service()
        try:
            leis = _leis(options["lei"], is_needed=not options["role"])
        except DatabaseError as error:
            raise CommandError(
                f"The panel cannot be read: {error}. Start the service with `make run` first, or "
                "create its tables with `manage.py prepare`."
            ) from error
        email = options["email"]
        claims = tokens.identity_claims(
            tokens.make_subject(f"mail:{email}"),
            username=email,
            email=email,
            leis=leis,
            roles=options["role"],
        )
        text = tokens.issue_token(claims, seconds=_seconds(options["minutes"]))
        by = bearer.caller_from_claims({"iss": settings.OIDC_ISSUER, **claims})
        audit.record_event(AuditEvent.TOKEN_ISSUED, by=by, about="manage.py token")
        self.stdout.write(text)


def _require_settings_of_the_service() -> None:
    """Require the settings of the running service: it would refuse other tokens.

    Raises: CommandError.
    """
    service = data_folder.find_service(settings.DATA_DIR)
    if service is None:
        return
    own = data_folder.shared_environment(settings)
    differing = [name for name, value in service.environment.items() if own.get(name) != value]
    if differing:
        own_values = ", ".join(f"{name}={own.get(name, '')}" for name in differing)
        service_values = " ".join(f"{name}={service.environment[name]}" for name in differing)
        raise CommandError(
            f"This command has {own_values}, so {service} would refuse its token. "
            f"Set the values of the service: {service_values}"
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
                f"{lei!r} is not an LEI. Enter --lei with letters and digits only, or several LEIs "
                "separated by commas."
            )
    panel = _institutions().filter(lei__in=leis)
    if unknown := sorted({*leis} - {*panel}):
        raise CommandError(f"No panel has the LEI {', '.join(unknown)}. {_leis_of_the_panel()}")
    return leis


def _leis_of_the_panel() -> str:
    """Return a sentence with some LEIs of the panel, and where all are listed."""
    leis = list(_institutions()[:NAMED])
    if not leis:
        return "The panel is empty. Load it with `manage.py load_institutions FILE`."
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
