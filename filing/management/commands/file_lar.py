"""`manage.py file_lar FILE`: files a Loan Application Register with a server."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError

from filing.client import Ending, FilingClient, Outcome, Trouble, file
from filing.client.calls import RETRY_SECONDS
from filing.client.console import Screen
from filing.client.transmittal import describe_misfit
from filing.lar.years import Period

TOKEN = "HMDA_TOKEN"  # noqa: S105 -- the name of the variable that holds it
_ARGPARSE_EXIT = 2


class Command(BaseCommand):
    help = (
        "File a Loan Application Register: start the filing, upload the file, wait for the edits, "
        "and optionally verify and sign. Exit codes: 0 done; 1 the file must be corrected; 2 edits "
        "must be verified; 3 the server refused or failed; 4 the server cannot be reached, or an "
        "argument is wrong."
    )
    requires_system_checks: list[str] = []
    has_begun = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="FILE", help="pipe-delimited, named *.txt")
        parser.add_argument("--lei", required=True, help="LEI of the institution")
        parser.add_argument("--year", type=int, required=True, metavar="YEAR")
        parser.add_argument("--quarter", choices=("Q1", "Q2", "Q3"), help="default: annual filing")
        parser.add_argument("--url", required=True, help="server, such as https://filing.example")
        parser.add_argument("--token", help=f"access token; default: the variable {TOKEN}")
        parser.add_argument("--verify", action="store_true", help="verify quality and macro edits")
        parser.add_argument("--sign", action="store_true", help="sign and show the receipt")
        parser.add_argument(
            "--reason", default="", help="why it is filed again; needed for the file that is filed"
        )
        parser.add_argument("--json", action="store_true", help="print only a JSON document")
        parser.add_argument(
            "--timeout",
            type=float,
            default=RETRY_SECONDS,
            metavar="SECONDS",
            help="how long to wait for the server in one step (default: %(default)s)",
        )

    def run_from_argv(self, argv: list[str]) -> None:
        try:
            super().run_from_argv(argv)
        except SystemExit as error:
            # The exit code of argparse has another meaning here.
            is_usage = error.code == _ARGPARSE_EXIT and not self.has_begun
            raise SystemExit(int(Ending.UNREACHABLE) if is_usage else error.code) from None

    def handle(self, *, path: Path, url: str, token: str | None, **options: Any) -> None:
        token = token or os.environ.get(TOKEN)
        if not token:
            raise _unusable(f"There is no access token: add --token or set the variable {TOKEN}.")
        try:
            path.open("rb").close()
            quarter = int(options["quarter"][1]) if options["quarter"] else None
            client = FilingClient(url, token)
        except (OSError, Trouble) as error:
            raise _unusable(str(error)) from error
        self.has_begun = True
        period = Period(options["year"], quarter)
        if fault := describe_misfit(path, options["lei"], period):
            self.stderr.write(f"{path}: {fault} It cannot be certified.")
        with client:
            outcome = self._file(client, path, period, **options)
        if outcome.ending:
            sys.exit(outcome.ending)

    def _file(
        self, client: FilingClient, path: Path, period: Period, *, lei: str, **options: Any
    ) -> Outcome:
        arguments: dict[str, Any] = {
            "lei": lei,
            "period": period,
            "verify": options["verify"],
            "sign": options["sign"],
            "reason": options["reason"],
            "patience": options["timeout"],
        }
        if options["json"]:
            outcome = file(client, path, **arguments)
            self.stdout.write(json.dumps(outcome.as_json(), indent=2))
            return outcome
        self.stdout.ending = ""  # the console writes its own line ends
        screen = Screen(cast("IO[str]", self.stdout))
        with screen:
            outcome = file(client, path, **arguments, watch=screen.watch)
        screen.show(outcome)
        return outcome


def _unusable(reason: str) -> CommandError:
    return CommandError(reason, returncode=Ending.UNREACHABLE)
