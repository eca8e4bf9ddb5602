"""`manage.py check_rights`: ends memberships that no longer hold and disables unused accounts."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from filing.models import Membership
from filing.people import accounts, memberships


class Command(BaseCommand):
    help = (
        "Run the nightly check now: end memberships that no longer hold, warn users of unused "
        "accounts, and disable accounts that stayed unused."
    )

    def handle(self, **_: Any) -> None:
        number = Membership.objects.count()
        ended = memberships.check_memberships()
        report = accounts.check_unused_accounts()
        self.stdout.write(f"{number:,} memberships checked: {ended:,} ended.")
        self.stdout.write(
            f"Unused accounts: {report.warned:,} users warned, {report.disabled:,} disabled."
        )
