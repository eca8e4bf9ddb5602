"""Verifies the audit log: finds entries that were changed, removed, inserted, moved or cut off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from config import audit_log
from databrowser.publication.quantities import number_of
from filing import audit
from filing.access import SERVICE
from filing.audit import sealing
from filing.audit.chain import ChainHead
from filing.audit.verification import Expectation
from filing.errors import BadInput
from filing.models import AuditEvent
from filing.receipts import checking as receipt_checking

_HEAD = re.compile(r"(\d+):([0-9a-f]{64})")


class Command(BaseCommand):
    help = (
        "Verify the audit log, the status changes, signatures and attempts: print what was "
        "changed, removed, inserted, moved or cut off, and exit with 1 if anything was. The "
        "service does this every day; --full reads everything again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--full", action="store_true", help="read all entries, not only new ones"
        )
        parser.add_argument(
            "--head", action="append", default=[], metavar="N:HASH",
            help="a head that the chain had once, such as an email to auditors names it",
        )  # fmt: skip
        parser.add_argument(
            "--receipt", action="append", default=[], type=Path, metavar="FILE",
            help="a receipt file, whose head the chain had once",
        )  # fmt: skip
        parser.add_argument(
            "--log", action="append", default=[], type=Path, metavar="FILE",
            help="a log of the service, whose daily lines name heads",
        )  # fmt: skip
        parser.add_argument(
            "--adopt", action="store_true",
            help="first accept entries that this service has not authenticated, such as those that "
            "processes of a former release wrote after the upgrade",
        )  # fmt: skip
        parser.add_argument("--reason", default="", help="why they are accepted, for the audit log")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["adopt"]:
            self._adopt(options["reason"].strip())
        result = audit_log.verify_log(full=options["full"], expected=list(_expected(options)))
        kind = "All" if result.is_full else f"{result.entries - result.after:,} new of"
        seconds = (result.ended_at - result.began_at).total_seconds()
        self.stdout.write(f"{kind} {result.entries:,} entries were verified in {seconds:.1f} s.")
        self.stdout.write(f"Head: {result.entries}:{result.head}")
        for sentence in result.findings:
            self.stdout.write(f"  {sentence}")
        if result.finding_count:
            more = result.finding_count - len(result.findings)
            rest = f", of which {more:,} are not listed" if more else ""
            raise CommandError(f"{number_of(result.finding_count, 'finding')}{rest}.")
        self.stdout.write("No findings.")

    def _adopt(self, reason: str) -> None:
        if not reason:
            raise CommandError("Give --reason with --adopt: it goes into the audit log.")
        with transaction.atomic():
            sealing.seal_entries()
            adopted = sealing.adopt_entries()
            audit.record_event(
                AuditEvent.ENTRIES_ADOPTED, by=SERVICE, about=f"{adopted} entries", reason=reason
            )
        self.stdout.write(f"{adopted:,} entries were accepted that were not authentic.")


def _expected(options: dict[str, Any]) -> Iterator[Expectation]:
    for text in options["head"]:
        match = _HEAD.fullmatch(text)
        if match is None:
            raise CommandError(f"--head {text!r} is not a number of entries, a colon and a hash.")
        yield Expectation(ChainHead(int(match[1]), match[2]), "the head you entered")
    try:
        for path in options["receipt"]:
            yield receipt_checking.find_head_in_file(path)
        for path in options["log"]:
            yield from audit_log.read_heads_of_file(path)
    except (OSError, ValueError, BadInput) as error:
        raise CommandError(f"A file cannot be used: {error}") from error
