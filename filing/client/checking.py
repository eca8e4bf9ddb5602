"""A LAR checked on this machine, as the service would: the report, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from enum import IntEnum
from itertools import islice
from typing import Any

from filing.client import cells
from filing.client.lar_files import LarFile, NotChecked, opened
from filing.edits import details
from filing.edits.check import CheckedFile, check, csv, json_members
from filing.edits.edit import Kind, Level
from filing.edits.engine import Outcome
from filing.lar import foreign_files
from filing.lar.blocks import NotText
from filing.lar.period import FIRST_QUARTERLY_YEAR
from filing.lar.years import describe_unsettled, rulebook_member, supported_periods
from filing.reference.census import Census
from filing.reference.listing import BadLines

UNREAD = "Cells that cannot be read"
MAX_LISTED = 20  # lines with formatting errors, and lines of an edit

Write = Callable[[str], Any]
__all__ = ["Ending", "NotChecked", "opened", "report"]


class Ending(IntEnum):
    """How a check ends; the value is the exit code of the commands."""

    NOTHING_FOUND = 0
    TO_BE_VERIFIED = 10  # quality or macro edits
    TO_BE_CORRECTED = 11  # syntactical or validity edits
    UNREADABLE = 12  # formatting errors, or an empty file


def report(file: LarFile, *, census: Census | None, form: str, write: Write) -> Ending:
    """Check a file, write the report, and return how it ended.

    form: `text`, `json` for one JSON document, or `csv` for a line per finding. write: called with
    one piece of the report after the other.
    Raises: NotChecked.
    """
    if file.period not in supported_periods():
        raise NotChecked(
            f"{file.period} is not a filing period: quarterly filing begins in "
            f"{FIRST_QUARTERLY_YEAR}."
        )
    try:
        if fault := foreign_files.fault(file.path):
            raise NotChecked(fault)
        with check(file.path, file.period, census=census) as checked:
            for piece in _FORMS[form](checked, file):
                write(piece)
            return _ending(checked, file)
    except (OSError, NotText, BadLines) as error:
        raise NotChecked(str(error)) from error


def _as_csv(checked: CheckedFile, file: LarFile) -> Iterator[str]:
    pieces = csv(checked)
    yield next(pieces).decode()
    yield from cells.csv_lines(file.unread)
    for piece in pieces:
        yield piece.decode()


def _as_text(checked: CheckedFile, file: LarFile) -> Iterator[str]:
    return (f"{line}\n" for line in _lines(checked, file))


def _lines(checked: CheckedFile, file: LarFile) -> Iterator[str]:
    scan = checked.scan
    if not scan.lines:
        yield f"{file.given}: {foreign_files.EMPTY}"
        return
    yield f"{file.given}: {file.period}, {scan.loans:,} records."
    yield from describe_unsettled([file.period.year])
    yield from cells.listed(UNREAD, file.unread, len(file.unread), more="--json lists them")
    if scan.bad:
        yield from _format_errors(checked)
    for kind in Kind:
        if triggered := checked.triggered(kind):
            yield f"\n{kind.value.capitalize()} edits:"
        for outcome in triggered:
            yield _edit(checked, outcome)
    not_run = checked.not_run()
    for reason in sorted({outcome.reason for outcome in not_run}):
        codes = [outcome.edit.code for outcome in not_run if outcome.reason == reason]
        yield f"\nNot checked because {reason}: {', '.join(codes)}."
    yield f"\n{SUMMARIES[_ending(checked, file)]}"


def _format_errors(checked: CheckedFile) -> Iterator[str]:
    scan = checked.scan
    yield f"\nLines with formatting errors: {scan.bad:,}"
    if scan.hint:
        yield f"  {scan.hint}\n  --json and --csv list the errors line by line"
        return
    for error in islice(checked.format_errors(), MAX_LISTED):
        for message in error.messages:
            yield (
                f"  line {error.line}, {error.estimated_uli}: {message.field} is "
                f"{message.value!r}, accepted: {message.guidance}"
            )
    if scan.bad > MAX_LISTED:
        yield f"  and {scan.bad - MAX_LISTED:,} more; --json and --csv list all"


def _edit(checked: CheckedFile, outcome: Outcome) -> str:
    edit, part = outcome.edit, checked.part(outcome)
    if edit.level is Level.FILE:
        where = details.in_words(checked.lines, part)
    else:
        lines = ", ".join(str(row + 1) for row in part.rows[:MAX_LISTED].tolist())
        more = ", ..." if len(part.rows) > MAX_LISTED else ""
        where = f"lines {lines}{more}" if len(part.rows) > 1 else f"line {lines}"
        where = f"{len(part.rows):,} records: {where}" if more else where
    return f"  {edit.code}  {edit.text}\n    {where}"


def _ending(checked: CheckedFile, file: LarFile) -> Ending:
    if checked.scan.bad or file.unread:
        return Ending.UNREADABLE
    if checked.triggered(Kind.SYNTACTICAL, Kind.VALIDITY):
        return Ending.TO_BE_CORRECTED
    return Ending.TO_BE_VERIFIED if checked.triggered() else Ending.NOTHING_FOUND


def _as_json(checked: CheckedFile, file: LarFile) -> Iterator[str]:
    head: dict[str, Any] = {
        "file": file.given.name,
        "period": str(file.period),
        **rulebook_member(file.period.year),
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
    if file.spreadsheet is not None:
        head["unreadCells"] = file.unread
    yield json.dumps(head, ensure_ascii=False)[:-1] + ", "
    yield from json_members(checked)
    yield "}\n"


SUMMARIES = {
    Ending.NOTHING_FOUND: "No edit was triggered.",
    Ending.TO_BE_VERIFIED: "The file can be filed once its edits are verified.",
    Ending.TO_BE_CORRECTED: "The file must be corrected before it can be filed.",
    Ending.UNREADABLE: "The file must be corrected: it has formatting errors.",
}
_FORMS = {"text": _as_text, "json": _as_json, "csv": _as_csv}
