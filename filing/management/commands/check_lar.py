"""`manage.py check_lar FILE`: checks a LAR on this machine before it is filed."""

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
from filing.edits.check import CheckedFile, check, csv, json_members
from filing.edits.edit import Kind, Level
from filing.edits.engine import Outcome
from filing.lar import foreign_files
from filing.lar.blocks import NotText
from filing.lar.period import FIRST_QUARTERLY_YEAR, FIRST_YEAR, LAST_YEAR, Period, known_periods
from filing.reference.census import Census
from filing.reference.listing import BadLines
from filing.reference_data import registry

_MAX_LISTED = 20  # lines with formatting errors, and lines of an edit


class Ending(IntEnum):
    """How the command ends; 1 and 2 say that the file could not be checked."""

    NOTHING_FOUND = 0
    TO_BE_VERIFIED = 10  # quality or macro edits
    TO_BE_CORRECTED = 11  # syntactical or validity edits
    UNREADABLE = 12  # formatting errors, or an empty file


class Command(BaseCommand):
    help = (
        "Check a LAR on this machine as the service would: formatting errors, and all edits "
        "except those that compare with the panel of institutions. Exit codes: 0 no edit was "
        "triggered; 10 quality or macro edits must be verified; 11 syntactical or validity edits "
        "must be corrected; 12 lines have formatting errors, or the file is empty; 1 or 2 the file "
        "was not checked."
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
            help="census file of the year; default: the loaded census, if there is one",
        )
        output = parser.add_mutually_exclusive_group()
        output.add_argument("--json", action="store_true", help="print only a JSON document")
        output.add_argument("--csv", action="store_true", help="print only CSV, a line per finding")

    def handle(
        self, *, path: Path, year: int, quarter: str | None, census: Path | None, **options: Any
    ) -> None:
        period = Period(year, int(quarter[1]) if quarter else None)
        if period not in known_periods():
            raise CommandError(
                f"{period} is not a filing period: quarterly filing begins in "
                f"{FIRST_QUARTERLY_YEAR}."
            )
        try:
            if fault := foreign_files.fault(path):
                raise CommandError(f"{path}: {fault}")
            with check(path, period, census=_census(census, year)) as checked:
                if options["json"]:
                    self._write(_as_json(checked, path, period))
                elif options["csv"]:
                    self._write(piece.decode() for piece in csv(checked))
                else:
                    self._print(checked, path, period)
                ending = _ending(checked)
        except (OSError, NotText, BadLines) as error:
            raise CommandError(str(error)) from error
        if ending:
            sys.exit(ending)

    def _write(self, pieces: Iterator[str]) -> None:
        for piece in pieces:
            self.stdout.write(piece, ending="")

    def _print(self, checked: CheckedFile, path: Path, period: Period) -> None:
        scan = checked.scan
        if not scan.lines:
            self.stdout.write(f"{path}: {foreign_files.EMPTY}")
            return
        self.stdout.write(f"{path}: {period}, {scan.loans:,} records.")
        if scan.bad:
            self._print_format_errors(checked)
        for kind in Kind:
            if triggered := checked.triggered(kind):
                self.stdout.write(f"\n{kind.value.capitalize()} edits:")
            for outcome in triggered:
                self._print_edit(checked, outcome)
        not_run = checked.not_run()
        for reason in sorted({outcome.reason for outcome in not_run}):
            codes = [outcome.edit.code for outcome in not_run if outcome.reason == reason]
            self.stdout.write(f"\nNot checked because {reason}: {', '.join(codes)}.")
        self.stdout.write(f"\n{_summary(checked)}")

    def _print_format_errors(self, checked: CheckedFile) -> None:
        scan = checked.scan
        self.stdout.write(f"\nLines with formatting errors: {scan.bad:,}")
        if scan.hint:
            self.stdout.write(f"  {scan.hint}\n  --json and --csv list the errors line by line")
            return
        for error in islice(checked.format_errors(), _MAX_LISTED):
            for message in error.messages:
                self.stdout.write(
                    f"  line {error.line}, {error.estimated_uli}: {message.field} is "
                    f"{message.value!r}, accepted: {message.guidance}"
                )
        if scan.bad > _MAX_LISTED:
            self.stdout.write(f"  and {scan.bad - _MAX_LISTED:,} more; --json and --csv list all")

    def _print_edit(self, checked: CheckedFile, outcome: Outcome) -> None:
        edit, part = outcome.edit, checked.part(outcome)
        if edit.level is Level.FILE:
            where = details.in_words(checked.lines, part)
        else:
            lines = ", ".join(str(row + 1) for row in part.rows[:_MAX_LISTED].tolist())
            more = ", ..." if len(part.rows) > _MAX_LISTED else ""
            where = f"lines {lines}{more}" if len(part.rows) > 1 else f"line {lines}"
            where = f"{len(part.rows):,} records: {where}" if more else where
        self.stdout.write(f"  {edit.code}  {edit.text}\n    {where}")


def _census(path: Path | None, year: int) -> Census | None:
    """Return the census of a file, or the loaded one.

    Raises: BadLines, OSError.
    """
    return registry.census_of_file(path, year) if path else registry.census_if_available(year)


def _ending(checked: CheckedFile) -> Ending:
    if checked.scan.bad:
        return Ending.UNREADABLE
    if checked.triggered(Kind.SYNTACTICAL, Kind.VALIDITY):
        return Ending.TO_BE_CORRECTED
    return Ending.TO_BE_VERIFIED if checked.triggered() else Ending.NOTHING_FOUND


def _summary(checked: CheckedFile) -> str:
    return {
        Ending.NOTHING_FOUND: "No edit was triggered.",
        Ending.TO_BE_VERIFIED: "The file can be filed once its edits are verified.",
        Ending.TO_BE_CORRECTED: "The file must be corrected before it can be filed.",
        Ending.UNREADABLE: "The file must be corrected: it has formatting errors.",
    }[_ending(checked)]


def _as_json(checked: CheckedFile, path: Path, period: Period) -> Iterator[str]:
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
                "detail": details.in_words(checked.lines, checked.part(outcome)),
            }
            for outcome in checked.triggered()
        ],
        "notRun": [
            {"edit": outcome.edit.code, "reason": outcome.reason} for outcome in checked.not_run()
        ],
    }
    yield json.dumps(head, ensure_ascii=False)[:-1] + ", "
    yield from json_members(checked)
    yield "}\n"
