"""The base of the commands that load reference data."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing.access import Caller
from filing.errors import Refusal
from filing.lar.years import YearStage, supported_years
from filing.reference.listing import BadLines
from filing.reference_data import loading


@contextmanager
def raise_command_errors() -> Iterator[None]:
    """Turn errors of a file into a CommandError that says what is wrong.

    Raises: CommandError.
    """
    try:
        yield
    except OSError as error:
        raise CommandError(f"The file cannot be read: {error}") from error
    except BadLines as error:
        raise CommandError(f"{error}\nNothing was loaded: {error.summary}.") from error
    except Refusal as error:
        raise CommandError(error.message) from error


class LoadCommand(BaseCommand):
    """Loads the file of a year. kind: of reference data. layout: of the file, for the help text."""

    kind: str
    layout: str

    def add_arguments(self, parser: ArgumentParser) -> None:
        years = supported_years(YearStage.DRAFT)
        parser.add_argument("year", type=int, choices=years, metavar="YEAR", help="data year")
        parser.add_argument("file", type=Path, metavar="FILE", help=self.layout)
        parser.add_argument("--by", default="command line", help="who loads it, for the audit log")

    def handle(self, *, year: int, file: Path, by: str, **_: Any) -> None:
        with raise_command_errors():
            caller, data = Caller(id="", username=by), file.read_bytes()
            report = loading.load_with_reason(self.kind, year, data, source=file.name, by=caller)
        self.stdout.write(str(report))
