"""A LAR or a spreadsheet checked on this machine, as the service would: the report and its end."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filing.client.transmittal import NoSheet, read_period
from filing.edits import details
from filing.edits.edit import EditKind, EditLevel
from filing.edits.engine import EditOutcome
from filing.edits.file_checks import CheckedFile, check_file, stream_csv, stream_json_members
from filing.lar import first_line, foreign_files
from filing.lar.blocks import NotText
from filing.lar.formulas import guard_formula
from filing.lar.setting_words import use_setting_words
from filing.lar.years import (
    FIRST_QUARTERLY_YEAR,
    Period,
    describe_unsettled,
    rulebook_member,
    supported_periods,
)
from filing.reference.census import Census
from filing.reference.listing import BadLines

if TYPE_CHECKING:
    from filing.spreadsheets.confined_conversion import ConvertedFile

UNREAD = "Cells that cannot be read"
MAX_LISTED = 20  # lines with formatting errors, lines of an edit, and findings of one kind

Write = Callable[[str], Any]
Finding = Mapping[str, Any]

_MOST_FINDINGS = 100_000  # among which those of cells that cannot be read are looked for
# Of messages about a spreadsheet, by setting: what to do where there are no options for it.
SETTING_WORDS = {
    "header": "convert it with hmda convert --option header=NUMBER",
    "hidden": "hmda convert --option leaveOutHidden=true leaves them out",
    "map": "convert it with hmda convert --map",
    "sheet": "convert one with hmda convert --option sheet=NAME",
    "sheets": "convert them with hmda convert --option sheet=NAME, or --option 'sheet=*' for all",
    "year": "Add --year 2025, or a transmittal sheet with the year.",
}


class CheckEnding(IntEnum):
    """How a check ends; the value is the exit code of the commands."""

    NOTHING_FOUND = 0
    TO_BE_VERIFIED = 10  # quality or macro edits
    TO_BE_CORRECTED = 11  # syntactical or validity edits
    UNREADABLE = 12  # formatting errors, or an empty file


SUMMARIES = {
    CheckEnding.NOTHING_FOUND: "No edit was triggered.",
    CheckEnding.TO_BE_VERIFIED: "The file can be filed once its edits are verified.",
    CheckEnding.TO_BE_CORRECTED: "The file must be corrected before it can be filed.",
    CheckEnding.UNREADABLE: "The file must be corrected: it has formatting errors.",
}


class NotChecked(ValueError):
    """The file could not be checked; the message says why."""


@dataclass(frozen=True, slots=True)
class CheckedLarFile:
    """A file to check. given: the path as given. path: of the LAR, the same if it is one.

    spreadsheet: the report of its conversion, if it is not. no_period: why it has no period.
    """

    given: Path
    path: Path
    period: Period | None
    spreadsheet: Mapping[str, Any] | None = None
    no_period: str = ""

    def require_period(self) -> Period:
        """Return the filing period. Raises: NotChecked, which says why there is none."""
        if self.period is None:
            raise NotChecked(self.no_period)
        return self.period

    @property
    def unread(self) -> list[dict[str, Any]]:
        """The cells that cannot be read."""
        return unread_cells(self.spreadsheet) if self.spreadsheet else []

    @property
    def notices(self) -> list[str]:
        """What a reader of the spreadsheet may not see, such as hidden rows."""
        return list(self.spreadsheet["file"].get("notices", ())) if self.spreadsheet else []


def unread_cells(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the first cells that cannot be read; hints about whole columns are left out."""
    findings: list[dict[str, Any]] = report["findings"]["first"]
    return [each for each in findings if each["kind"] == "reading" and each["line"] is not None]


@contextmanager
def open_lar_file(path: Path, period: Period | None) -> Iterator[CheckedLarFile]:
    """Give a file to check. period: default: that of its transmittal sheet.

    Raises: NotChecked, OSError.
    """
    with tempfile.TemporaryDirectory(prefix="check-") as folder:
        result = None
        if not first_line.begins_as_lar(path):
            result = _converted(path, Path(folder), period)
        lar = result.lar if result else path
        report = result.report if result else None
        no_period = ""
        try:
            period = period or read_period(lar)
        except NoSheet as error:
            no_period = str(error)
        yield CheckedLarFile(path, lar, period, report, no_period)


def _converted(path: Path, folder: Path, period: Period | None) -> ConvertedFile | None:
    """Return the LAR of a spreadsheet; None for what is none, which is checked as it is.

    Raises: NotChecked.
    """
    if not foreign_files.name_spreadsheet(first_line.read_beginning(path)):
        return None
    from filing.spreadsheets import confined_conversion  # which a LAR does not need
    from filing.spreadsheets.accepted_files import (
        MissingHeader,
        ReadingLimits,
        SpreadsheetRefusal,
    )

    try:
        with use_setting_words(SETTING_WORDS):
            return confined_conversion.convert_spreadsheet(
                path,
                folder=folder,
                limits=ReadingLimits(),
                first=_MOST_FINDINGS,
                year=period.year if period else None,
                quarter=(period.quarter_name or "") if period else "",
            )
    except MissingHeader:
        return None
    except SpreadsheetRefusal as refusal:
        raise NotChecked(refusal.message) from None


def write_check_report(
    file: CheckedLarFile, *, census: Census | None, form: str, write: Write
) -> CheckEnding:
    """Check a file, write the report, and return how it ended.

    form: `text`, `json` for one JSON document, or `csv` for a line per finding. write: called with
    one piece of the report after the other. Of a file without a period, only formatting errors are
    reported.
    Raises: NotChecked.
    """
    require_readable(file)
    if file.period and file.period not in supported_periods():
        raise NotChecked(
            f"{file.period} is not a filing period: quarterly filing begins in "
            f"{FIRST_QUARTERLY_YEAR}."
        )
    period, edits = (file.period, None) if file.period else (supported_periods()[-1], ())
    try:
        with check_file(file.path, period, census=census, edits=edits) as checked:
            if not (file.period or checked.scan.bad):
                raise NotChecked(file.no_period)
            for piece in _FORMS[form](checked, file):
                write(piece)
            return _ending(checked, file)
    except (OSError, NotText, BadLines) as error:
        raise NotChecked(str(error)) from error


def require_readable(file: CheckedLarFile) -> None:
    """Refuse a file that the service refuses, in its words; an empty one is reported.

    Raises: NotChecked.
    """
    try:
        fault = foreign_files.find_foreign_content(file.path)
    except OSError as error:
        raise NotChecked(str(error)) from error
    if fault:
        raise NotChecked(fault)


def _as_csv(checked: CheckedFile, file: CheckedLarFile) -> Iterator[str]:
    pieces = stream_csv(checked)
    yield next(pieces).decode()
    yield from write_findings_csv(file.unread)
    for piece in pieces:
        yield piece.decode()


def _as_text(checked: CheckedFile, file: CheckedLarFile) -> Iterator[str]:
    return (f"{line}\n" for line in _lines(checked, file))


def _lines(checked: CheckedFile, file: CheckedLarFile) -> Iterator[str]:
    scan = checked.scan
    if not scan.lines:
        yield f"{file.given}: {foreign_files.EMPTY_FILE}"
        return
    period = f"{file.period}, " if file.period else ""
    yield f"{file.given}: {period}{describe_records(scan.loans)}."
    yield from describe_unsettled([file.period.year] if file.period else [])
    yield from file.notices
    yield from list_findings(UNREAD, file.unread, len(file.unread), more="--json lists them")
    if scan.bad:
        yield from _format_errors(checked)
    for kind in EditKind:
        if triggered := checked.triggered(kind):
            yield f"\n{kind.value.capitalize()} edits:"
        for outcome in triggered:
            yield _edit(checked, outcome)
    not_run = checked.not_run()
    for reason in sorted({outcome.reason for outcome in not_run}):
        codes = [outcome.edit.code for outcome in not_run if outcome.reason == reason]
        yield f"\nNot checked because {reason}: {', '.join(codes)}."
    if not file.period:
        yield f"\nNo edits were run. {file.no_period}"
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


def _edit(checked: CheckedFile, outcome: EditOutcome) -> str:
    edit, part = outcome.edit, checked.part(outcome)
    if edit.level is EditLevel.FILE:
        where = details.describe_findings(checked.lines, part)
    else:
        lines = ", ".join(str(row + 1) for row in part.rows[:MAX_LISTED].tolist())
        more = ", ..." if len(part.rows) > MAX_LISTED else ""
        where = f"lines {lines}{more}" if len(part.rows) > 1 else f"line {lines}"
        where = f"{len(part.rows):,} records: {where}" if more else where
    return f"  {edit.code}  {edit.text}\n    {where}"


def _ending(checked: CheckedFile, file: CheckedLarFile) -> CheckEnding:
    if checked.scan.bad or file.unread:
        return CheckEnding.UNREADABLE
    if checked.triggered(EditKind.SYNTACTICAL, EditKind.VALIDITY):
        return CheckEnding.TO_BE_CORRECTED
    return CheckEnding.TO_BE_VERIFIED if checked.triggered() else CheckEnding.NOTHING_FOUND


def _as_json(checked: CheckedFile, file: CheckedLarFile) -> Iterator[str]:
    head: dict[str, Any] = {
        "file": file.given.name,
        "period": str(file.period) if file.period else None,
        **(rulebook_member(file.period.year) if file.period else {}),
        "loans": checked.scan.loans,
        "edits": [
            {
                "edit": outcome.edit.code,
                "kind": outcome.edit.kind.value,
                "level": outcome.edit.level.value,
                "description": outcome.edit.text,
                "total": outcome.total,
                "detail": details.describe_findings(checked.lines, checked.part(outcome)),
            }
            for outcome in checked.triggered()
        ],
        "notRun": [
            {"edit": outcome.edit.code, "reason": outcome.reason} for outcome in checked.not_run()
        ],
    }
    if file.spreadsheet is not None:
        head["unreadCells"] = file.unread
    if file.notices:
        head["notices"] = file.notices
    yield json.dumps(head, ensure_ascii=False)[:-1] + ", "
    yield from stream_json_members(checked)
    yield "}\n"


_FORMS = {"text": _as_text, "json": _as_json, "csv": _as_csv}


def describe_records(number: int) -> str:
    """Return how many records there are, in words."""
    return f"{number:,} record{'' if number == 1 else 's'}"


def locate_finding(finding: Finding) -> str:
    """Return where a finding is: its cell, else its row, else its line in the LAR."""
    column, row, line = finding["column"], finding["row"], finding["line"]
    if row is not None:
        sheet = f"{finding['sheet']}!" if finding.get("sheet") else ""
        return f"{sheet}{column}{row}" if column else f"row {sheet}{row}"
    if line is not None:
        return f"line {line}"
    return f"column {column}" if column else "the file"


def describe_finding(finding: Finding) -> str:
    """Return a finding as a line of a report."""
    is_edit = finding["kind"] not in ("reading", "format")
    code = f"{finding['code']}, " if is_edit else ""
    value = f" is {finding['value']!r}" if finding["value"] else ""
    return f"{code}{locate_finding(finding)}: {finding['label'] or ''}{value}: {finding['message']}"


def list_findings(
    title: str, findings: Sequence[Finding], total: int, *, more: str
) -> Iterator[str]:
    """Yield the first findings of a kind as lines of a report. more: where the others are."""
    if not total:
        return
    yield f"\n{title}: {total:,}"
    for finding in findings[:MAX_LISTED]:
        yield f"  {describe_finding(finding)}"
    if total > MAX_LISTED:
        yield f"  and {total - len(findings[:MAX_LISTED]):,} more; {more}"


def write_findings_csv(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield findings in the columns of the CSV of a check."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for finding in findings:
        values = f"{locate_finding(finding)} {finding['label'] or ''}: {finding['value'] or ''}"
        uli = guard_formula(finding["uli"] or "")
        writer.writerow(("Cell", "", uli, finding["message"], finding["line"], values))
    yield text.getvalue()
