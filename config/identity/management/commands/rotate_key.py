"""Gives the embedded identity provider a new signing key, and takes old ones away."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.identity import keyfiles, provider


class Command(BaseCommand):
    help = (
        "Make the key that signs tokens from now on, and delete the keys whose tokens have all "
        "expired. No restart is needed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--drop",
            action="append",
            default=[],
            metavar="KEY",
            help="also delete this key at once: it has leaked. All its tokens are refused then",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.EMBEDDED_PROVIDER:
            raise CommandError(
                f"Tokens of this site are signed by {settings.OIDC_ISSUER}: rotate its keys there."
            )
        known = {key.kid for key in keyfiles.every()}
        if unknown := [kid for kid in options["drop"] if kid not in known]:
            there = ", ".join(sorted(known)) or "none"
            raise CommandError(f"There is no key {', '.join(unknown)}. There are: {there}.")
        self.stdout.write(f"New key, which signs from now on: {provider.new_key()}")
        for kid in options["drop"]:
            keyfiles.drop(kid)
            self.stdout.write(f"Deleted at once: {kid}")
        for kid in keyfiles.prune(seconds=settings.ACCESS_TOKEN_MAX_SECONDS):
            self.stdout.write(f"Deleted, its tokens have expired: {kid}")
