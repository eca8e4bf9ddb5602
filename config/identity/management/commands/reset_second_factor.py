"""Resets the second factor of a user, for administrators who have lost their own."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from filing.access import SERVICE
from filing.errors import Refusal
from filing.people import second_factors


class Command(BaseCommand):
    help = (
        "Remove the authenticator app, passkeys and recovery codes of a user, where no other "
        "administrator can do it. The user is signed out and gets an email."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--reason", required=True, help="recorded in the audit log")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['username']}.")
        try:
            done = second_factors.reset_factors(user, by=SERVICE, reason=options["reason"])
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(done)
