"""`manage.py check_lar FILE`: checks a LAR on this machine, before it is filed."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from enum import IntEnum
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from filing.edits import details
from filing.edits.check import Checked, check, csv, json_members
from filing.edits.edit import Kind, Level
from filing.edits.engine import Outcome
from filing.lar import foreign
from filing.lar.blocks import NotText
from filing.lar.period import FIRST_QUARTERLY_YEAR, FIRST_YEAR, LAST_YEAR, Period, known_periods
from filing.reference.census import Census
from filing.reference.listing import BadLines
from filing.reference_data import registry

_SHOWN = 20  # lines with formatting errors, and row numbers of an edit


class Ending(IntEnum):
    """How the command ends; 1 and 2 say that the file could not be checked."""

    NOTHING_FOUND = 0
    TO_BE_VERIFIED = 10  # quality or macro edits
    TO_BE_CORRECTED = 11  # syntactical or validity edits
    UNREADABLE = 12  # formatting errors, or an empty file


class Command(BaseCommand):
    help = (
        "Check a LAR as the service will, on this machine alone: formatting errors, and all edits "
        "but those that compare with the panel of institutions. Ends with 0 when no edit was "
        "triggered, 10 when quality or macro edits wait for verification, 11 when syntactical or "
        "validity edits must be corrected, 12 when lines have formatting errors or the file is "
        "empty, 1 or 2 when the file was not checked."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        years = range(FIRST_YEAR, LAST_YEAR + 1)
        parser.add_argument("path", type=Path, metavar="FILE", help="pipe-delimited text in UTF-8")
        parser.add_argument("--year", type=int, choices=years, required=True, metavar="YEAR")
        parser.add_argument("--quarter", choices=("Q1", "Q2", "Q3"), help="default: annual filing")
        parser.add_argument(
            "--census",
            type=Path,
            metavar="FILE",
            help="census tracts of the year; default: those that are loaded, if any are",
        )
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="one JSON document, nothing else")
        form.add_argument("--csv", action="store_true", help="one line a finding, nothing else")

    def handle(
        self, *, path: Path, year: int, quarter: str | None, census: Path | None, **options: Any
    ) -> None:
        period = Period(year, int(quarter[1]) if quarter else None)
        if period not in known_periods():
            raise CommandError(
                f"{period} is no filing period: quarters begin with {FIRST_QUARTERLY_YEAR}."
            )
        try:
            if fault := foreign.fault(path):
                raise CommandError(f"{path}: {fault}")
            with check(path, period, census=_census(census, year)) as checked:
                if options["json"]:
                    self._write(_as_json(checked, path, period))
                elif options["csv"]:
                    self._write(piece.decode() for piece in csv(checked))
                else:
                    self._tell(checked, path, period)
                ending = _ending(checked)
        except (OSError, NotText, BadLines) as error:
            raise CommandError(str(error)) from error
        if ending:
            sys.exit(ending)

    def _write(self, pieces: Iterator[str]) -> None:
        for piece in pieces:
            self.stdout.write(piece, ending="")

    def _tell(self, checked: Checked, path: Path, period: Period) -> None:
        scan = checked.scan
        if not scan.lines:
            self.stdout.write(f"{path}: {foreign.EMPTY}")
            return
        self.stdout.write(f"{path}: {period}, {scan.loans:,} loans.")
        if scan.bad:
            self._tell_format_errors(checked)
        for kind in Kind:
            if found := checked.found(kind):
                self.stdout.write(f"\n{kind.value.capitalize()} edits:")
            for outcome in found:
                self._tell_edit(checked, outcome)
        for reason in sorted({outcome.reason for outcome in checked.not_run()}):
            codes = [o.edit.code for o in checked.not_run() if o.reason == reason]
            self.stdout.write(f"\nNot checked because {reason}: {', '.join(codes)}.")
        self.stdout.write(f"\n{_summary(checked)}")

    def _tell_format_errors(self, checked: Checked) -> None:
        scan = checked.scan
        self.stdout.write(f"\nLines with formatting errors: {scan.bad:,}")
        if scan.hint:
            self.stdout.write(f"  {scan.hint}\n  --json and --csv list the errors line by line")
            return
        for error in islice(checked.format_errors(), _SHOWN):
            for message in error.messages:
                self.stdout.write(
                    f"  line {error.line}, {error.estimated_uli}: {message.field} is "
                    f"{message.value!r}, accepted: {message.guidance}"
                )
        if scan.bad > _SHOWN:
            self.stdout.write(f"  and {scan.bad - _SHOWN:,} more; --json and --csv have them all")

    def _tell_edit(self, checked: Checked, outcome: Outcome) -> None:
        edit, part = outcome.edit, checked.part(outcome)
        if edit.level is Level.FILE:
            where = details.told(checked.lines, part)
        else:
            lines = ", ".join(str(row + 1) for row in part.rows[:_SHOWN].tolist())
            more = ", ..." if len(part.rows) > _SHOWN else ""
            where = f"lines {lines}{more}" if len(part.rows) > 1 else f"line {lines}"
            where = f"{len(part.rows):,} rows: {where}" if more else where
        self.stdout.write(f"  {edit.code}  {edit.text}\n    {where}")


def _census(path: Path | None, year: int) -> Census | None:
    """Return the census of a file, or that which is loaded.

    Raises: BadLines, OSError.
    """
    return registry.census_of_file(path, year) if path else registry.census_at_hand(year)


def _ending(checked: Checked) -> Ending:
    if checked.scan.bad:
        return Ending.UNREADABLE
    if checked.found(Kind.SYNTACTICAL, Kind.VALIDITY):
        return Ending.TO_BE_CORRECTED
    return Ending.TO_BE_VERIFIED if checked.found() else Ending.NOTHING_FOUND


def _summary(checked: Checked) -> str:
    return {
        Ending.NOTHING_FOUND: "Nothing was found.",
        Ending.TO_BE_VERIFIED: "The file can be filed once its edits are verified.",
        Ending.TO_BE_CORRECTED: "The file must be corrected before it can be filed.",
        Ending.UNREADABLE: "The file must be corrected: it has formatting errors.",
    }[_ending(checked)]


def _as_json(checked: Checked, path: Path, period: Period) -> Iterator[str]:
    head = {
        "file": path.name,
        "period": str(period),
        "loans": checked.scan.loans,
        "edits": [
            {
                "edit": outcome.edit.code,
                "kind": outcome.edit.kind.value,
                "level": outcome.edit.level.value,
                "description": outcome.edit.text,
                "total": outcome.total,
                "detail": details.told(checked.lines, checked.part(outcome)),
            }
            for outcome in checked.found()
        ],
        "notRun": [{"edit": o.edit.code, "reason": o.reason} for o in checked.not_run()],
    }
    yield json.dumps(head, ensure_ascii=False)[:-1] + ", "
    yield from json_members(checked)
    yield "}\n"
