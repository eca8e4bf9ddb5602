"""`manage.py make_lar OUT`: writes a made-up LAR file, correct or with chosen edits triggered."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from filing.demo import census as demo_census
from filing.demo.files import LarRecipe, find_unreadable_edits, make_lar_file
from filing.edits.edit import CODE
from filing.lar.fields import AGENCIES
from filing.lar.years import (
    FIRST_QUARTERLY_YEAR,
    Period,
    describe_unsettled,
    supported_periods,
    supported_years,
)
from filing.models import Institution
from filing.reference_data import registry

STDOUT = "-"
_FAILURE = re.compile(rf"(?P<code>{CODE.pattern})(?::(?P<rows>\d+))?")


class Command(BaseCommand):
    help = (
        "Write a made-up LAR file. It passes every edit except those named with --fail. The same "
        "options give the same file. The loans are in tracts of the loaded census of the year, or "
        "of the demo census; name, TIN and agency are those of the institution if it is in the "
        "panel."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        years = supported_years()
        parser.add_argument(
            "out", metavar="OUT", help=f"file to write; {STDOUT} is standard output"
        )
        parser.add_argument("--year", type=int, choices=years, required=True, metavar="YEAR")
        parser.add_argument("--quarter", choices=("Q1", "Q2", "Q3"), help="default: annual file")
        parser.add_argument("--rows", type=int, required=True, help="number of records")
        parser.add_argument("--lei", required=True, help="LEI of the institution, 20 characters")
        parser.add_argument(
            "--fail",
            type=_failure,
            action="append",
            default=[],
            metavar="CODE[:ROWS]",
            help="an edit to trigger, by one record or the number given; may be repeated",
        )
        parser.add_argument("--seed", type=int, default=0, help="another seed gives another file")
        parser.add_argument("--name", help="name of the institution")
        parser.add_argument("--tax-id", help="TIN of the institution, such as 12-3456789")
        parser.add_argument("--agency", type=int, choices=AGENCIES, help="federal agency code")

    def handle(self, *, out: str, year: int, quarter: str | None, **options: Any) -> None:
        period = Period(year, int(quarter[1]) if quarter else None)
        if period not in supported_periods():
            raise CommandError(
                f"{period} is not a filing period: quarterly filing begins in "
                f"{FIRST_QUARTERLY_YEAR}."
            )
        fails: Counter[str] = Counter()
        for code, rows in options["fail"]:
            fails[code] += rows
        names = ("name", "tax_id", "agency")
        options_given = {name: options[name] for name in names if options[name] is not None}
        facts = _panel(options["lei"], year) | options_given
        try:
            recipe = LarRecipe(
                period=period,
                lei=options["lei"],
                rows=options["rows"],
                fails=fails,
                seed=options["seed"],
                **facts,
            )
            size = _write(make_lar_file(recipe, _tracts(year)), out)
        except (ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        if out != STDOUT:
            self.stdout.write(f"{out}: {recipe.rows:,} records for {period}, {size:,} bytes.")
        for notice in describe_unsettled([year]):
            self.stderr.write(notice)
        for code in find_unreadable_edits(period, fails):
            self.stderr.write(
                f"Only values with a formatting error would trigger {code}; its lines have one."
            )


def _failure(text: str) -> tuple[str, int]:
    match = _FAILURE.fullmatch(text)
    if match is None:
        raise ArgumentTypeError(f"{text!r} is not CODE or CODE:ROWS, such as V617 or V617:20")
    return match["code"], int(match["rows"] or 1)


def _panel(lei: str, year: int) -> dict[str, Any]:
    """Return name, TIN and agency of the institution in the panel; none without a database."""
    try:
        institution = Institution.objects.filter(lei=lei, activity_year=year).first()
    except DatabaseError:
        return {}
    names = ("name", "tax_id", "agency") if institution else ()
    return {name: value for name in names if (value := getattr(institution, name))}


def _tracts(year: int) -> pl.Series:
    census = registry.find_census_if_available(year)
    return census.tracts if census else demo_census.make_census_rows(year)["census_tract"]


def _write(pieces: Iterable[bytes], out: str) -> int:
    if out == STDOUT:
        return sum(sys.stdout.buffer.write(piece) for piece in pieces)
    with Path(out).open("wb") as file:
        return sum(file.write(piece) for piece in pieces)
