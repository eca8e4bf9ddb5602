"""`manage.py who_looked`: writes the report of views and downloads of filed records as CSV."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing.submissions import who_looked
from filing.submissions.who_looked import ViewSelection


class Command(BaseCommand):
    help = (
        "Write who downloaded files, viewed records or sent receipts again, as CSV. The audit log "
        "records that the report was written."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        days: dict[str, Any] = {
            "type": date.fromisoformat,
            "required": True,
            "metavar": "YYYY-MM-DD",
        }
        parser.add_argument("--from", dest="since", help="the first day", **days)
        parser.add_argument("--to", dest="until", help="the last day", **days)
        parser.add_argument("--lei", default="", help="only this institution")
        parser.add_argument("--person", default="", help="only this user name or email address")

    def handle(self, *, since: date, until: date, lei: str, person: str, **_: Any) -> None:
        if until < since:
            raise CommandError("--to is before --from.")
        selection = ViewSelection(since, until, lei=lei.upper(), person=person)
        entry = who_looked.make_download_entry(
            selection, reason="By manage.py who_looked.", by=None
        )
        entry.save(force_insert=True)
        for piece in who_looked.write_views_csv(selection):
            self.stdout.write(piece, ending="")
