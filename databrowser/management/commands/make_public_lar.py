"""`manage.py make_public_lar`: makes up public loan records, and publishes or writes them."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from databrowser.demo import publishing
from databrowser.publication.quantities import number_of
from filing.access import Caller
from filing.errors import Refusal
from filing.lar.years import YearStage, describe_years, supported_years

_FORM = "with commas between them, or the first and the last with a hyphen"


class Command(BaseCommand):
    help = (
        "Make up public loan records and publish them in the data sets of their years, together "
        "with signed submissions. LEIs begin with DEMO, names with Demo. The same options give the "
        "same records. With --out, write a file for load_public_lar instead of publishing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--rows", type=int, default=20_000, help="total for all years")
        parser.add_argument(
            "--years",
            type=_years,
            default=list(settings.BROWSER_YEARS),
            help=f"{_FORM}; default: BROWSER_YEARS",
        )
        parser.add_argument(
            "--seed", type=int, default=0, help="use another number for other records"
        )
        parser.add_argument("--out", type=Path, metavar="FILE", help="write them as CSV instead")
        parser.add_argument("--by", default="command line", help="who publishes, for the record")

    def handle(
        self, *, rows: int, years: list[int], seed: int, out: Path | None, by: str, **_: Any
    ) -> None:
        if rows < len(years):
            raise CommandError(f"--rows is {rows}; enter at least {len(years)}, one for each year.")
        try:
            if out is not None:
                publishing.write_demo_file(out, rows=rows, years=years, seed=seed)
                self.stdout.write(f"{out}: made-up records, {out.stat().st_size:,} bytes.")
                return
            versions = publishing.publish_demo(
                rows=rows, years=years, seed=seed, by=Caller(id="", username=by)
            )
        except OSError as error:
            raise CommandError(f"The file cannot be written: {error}") from error
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        for version in versions:
            self.stdout.write(
                f"Version {version.name} is published: {number_of(version.rows, 'made-up record')}."
            )


def _years(text: str) -> list[int]:
    first, _, last = text.partition("-")
    words = text.split(",") if "," in text else [first, last or first]
    is_known = all(
        word.isdecimal() and int(word) in supported_years(YearStage.FILING) for word in words
    )
    if not is_known or ("," not in text and words[0] > words[1]):
        raise ArgumentTypeError(
            f"{text!r} is not a list of years; enter years from "
            f"{describe_years(YearStage.FILING)}, {_FORM}"
        )
    if "," in text:
        return sorted({int(word) for word in words})
    return list(range(int(words[0]), int(words[1]) + 1))
