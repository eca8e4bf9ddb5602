"""Makes a new signing key for the embedded identity provider, and deletes old ones."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.identity import keyfiles, provider


class Command(BaseCommand):
    help = (
        "Make a new key to sign tokens with, and delete the keys whose tokens have all expired. No "
        "restart is needed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--drop",
            action="append",
            default=[],
            metavar="KEY",
            help="also delete this key at once, because it has leaked; its tokens are refused",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.EMBEDDED_PROVIDER:
            raise CommandError(
                f"Tokens of this site are signed by {settings.OIDC_ISSUER}. Rotate its keys there."
            )
        kids = {key.kid for key in keyfiles.list_keys()}
        if unknown := [kid for kid in options["drop"] if kid not in kids]:
            names = ", ".join(sorted(kids)) or "none"
            raise CommandError(f"There is no key {', '.join(unknown)}. Keys: {names}.")
        self.stdout.write(f"New signing key: {provider.make_signing_key()}")
        for kid in options["drop"]:
            keyfiles.drop_key(kid)
            self.stdout.write(f"Deleted at once: {kid}")
        for kid in keyfiles.prune_keys(seconds=settings.ACCESS_TOKEN_MAX_SECONDS):
            self.stdout.write(f"Deleted, since its tokens have expired: {kid}")
