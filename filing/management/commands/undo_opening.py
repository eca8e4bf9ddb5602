"""`manage.py undo_opening ID`: undoes a season opening in which nothing was filed."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing import seasons
from filing.access import SERVICE
from filing.errors import Refusal
from filing.models import SeasonOpening


class Command(BaseCommand):
    help = (
        "Undo a season opening: remove its filings, and the periods that it created. It is refused "
        "if one of them has a submission. Without an id, list the openings."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("opening", type=int, nargs="?", metavar="ID", help="of the opening")
        parser.add_argument("--reason", default="", help="recorded in the audit log")
        parser.add_argument("--dry-run", action="store_true", help="report what would be removed")

    def handle(self, *, opening: int | None, reason: str, dry_run: bool, **options: Any) -> None:
        openings = SeasonOpening.objects.select_related("job")
        if opening is None:
            for each in openings.filter(undone_at=None):
                self.stdout.write(f"{each.pk}: {each}, {each.at:%Y-%m-%d %H:%M} UTC")
            return
        chosen = openings.filter(pk=opening).first()
        if chosen is None:
            raise CommandError(f"There is no season opening {opening}.")
        try:
            if dry_run:
                text = f"Dry run, nothing was changed. {seasons.plan_undo(chosen)}"
            else:
                text = seasons.undo_opening(chosen, by=SERVICE, reason=reason)
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(text)
