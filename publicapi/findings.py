"""The findings in a file, or in a few lines, as a page shows them: the first of each edit."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path

import numpy as np
import polars as pl
from django.conf import settings

from filing.edits import catalogue, details
from filing.edits.edit import Edit, EditKind, EditLevel
from filing.edits.engine import EditOutcome
from filing.edits.file_checks import CheckedFile, check_file
from filing.errors import BadInput, TooLarge
from filing.lar.blocks import NotText
from filing.lar.parser import Scan
from filing.lar.raw_lines import is_sheet
from filing.lar.years import Period, rulebook_period
from filing.reference_data import registry

# What one answer lists in full. A formatting error takes ten times as long as a finding of an edit.
MOST_FORMATTING_ERRORS = 100_000
MOST_FINDINGS = 1_000_000
SHOWN_KINDS = 3  # of what there is too much of
SHOWN_LINES = 20  # of each edit, and of lines with formatting errors
SHOWN_CHARACTERS = 200  # of one value
TO_DO = {
    EditKind.SYNTACTICAL: "These must be corrected in the file.",
    EditKind.VALIDITY: "These must be corrected in the file.",
    EditKind.QUALITY: "These may be right: review the records, and verify the edits when you file.",
}
_SHEETS_FIELDS_AT_MOST = 60  # a loan has 110 fields, a sheet 15


@dataclass(frozen=True, slots=True)
class TriggeredEdit:
    """A triggered edit. rows: line, identifier and values of its first records, as columns."""

    code: str
    text: str
    total: int
    details: str
    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True, slots=True)
class FindingsOfKind:
    """The triggered edits of one kind. total: the number of their findings."""

    kind: str
    to_do: str
    edits: list[TriggeredEdit]
    total: int


@dataclass(frozen=True, slots=True)
class PageFindings:
    """The findings on a page. unread: lines with formatting errors. errors: the first of these.

    hint: how to correct all of these lines at once, or blank. not_run: reasons, each with the edits
    that could not be run.
    """

    loans: int
    unread: int
    errors: list[list[str]]
    hint: str
    groups: list[FindingsOfKind]
    not_run: list[tuple[str, str]]

    @property
    def total(self) -> int:
        """The number of findings of all edits."""
        return sum(group.total for group in self.groups)


def select_file_edits(period: Period) -> list[Edit]:
    """Return the edits of a period without macro edits; those that compare with the panel are
    among the results as not run.
    """
    edits = catalogue.list_edits(rulebook_period(period))
    return [edit for edit in edits if edit.kind is not EditKind.MACRO]


@contextmanager
def check_with_edits(path: Path, period: Period, edits: Sequence[Edit]) -> Iterator[CheckedFile]:
    """Check a file with some edits. Raises: BadInput, naming the first line that is not text."""
    try:
        with check_file(
            path, period, census=registry.find_census_without_database(period.year), edits=edits
        ) as checked:
            yield checked
    except NotText as error:
        raise BadInput(str(error)) from None


def require_listable(scan: Scan, outcomes: Sequence[EditOutcome] = ()) -> None:
    """Refuse a file with more formatting errors or findings of edits than one answer lists.

    outcomes: those of the edits. Raises: TooLarge, naming what there is most of.
    """
    errors = {group.field: group.total for group in scan.groups}
    by_edit = {outcome.edit.code: outcome.total for outcome in outcomes}
    for totals, what, most in (
        (errors, "formatting errors", MOST_FORMATTING_ERRORS),
        (by_edit, "findings of edits", MOST_FINDINGS),
    ):
        if (total := sum(totals.values())) > most:
            first = sorted(totals.items(), key=lambda item: -item[1])[:SHOWN_KINDS]
            names = ", ".join(f"{name} ({count:,})" for name, count in first)
            raise TooLarge(
                f"The file has {total:,} {what}, and an answer lists at most {most:,}. Most are: "
                f"{names}. Correct these first, or check fewer records at once."
            )


def collect_line_findings(
    lines: Sequence[str], period: Period, edits: Sequence[Edit]
) -> PageFindings:
    """Return the findings in some lines, the first of which may be a transmittal sheet.

    Raises: BadInput.
    """
    # Without a transmittal sheet, a blank first line takes its place and is not reported.
    before = 0 if has_sheet(lines) else 1
    if before:
        edits = [edit for edit in edits if edit.level is not EditLevel.TS]
    with tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR) as folder:
        path = Path(folder, "lines")
        path.write_bytes("\n".join([*[""] * before, *lines]).encode())
        with check_with_edits(path, period, edits) as checked:
            return collect_file_findings(checked, before=before)


def has_sheet(lines: Sequence[str]) -> bool:
    """Return whether the first line is a transmittal sheet."""
    first = lines[0] if lines else ""
    return is_sheet(first.encode()) and first.count("|") < _SHEETS_FIELDS_AT_MOST


def collect_file_findings(checked: CheckedFile, *, before: int = 0) -> PageFindings:
    """Return the findings in a file. before: lines added before those of the filer."""
    outcomes_by_kind = groupby(checked.triggered(), key=lambda outcome: outcome.edit.kind)
    groups = [_group(kind, checked, list(outcomes), before) for kind, outcomes in outcomes_by_kind]
    return PageFindings(
        loans=checked.scan.loans,
        unread=checked.scan.bad - before,
        errors=_errors(checked, before),
        hint=checked.scan.hint,
        groups=groups,
        not_run=group_by_reason((each.edit.code, each.reason) for each in checked.not_run()),
    )


def group_by_reason(unrun: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the reasons why edits did not run, each with the codes of its edits.

    unrun: the codes of edits, each with its reason.
    """
    codes: dict[str, list[str]] = {}
    for code, reason in unrun:
        codes.setdefault(reason, []).append(code)
    return [(reason, ", ".join(each)) for reason, each in codes.items()]


def _errors(checked: CheckedFile, before: int) -> list[list[str]]:
    errors = (error for error in checked.format_errors() if error.line > before)
    return [
        [
            str(error.line - before),
            *map(_short, (error.estimated_uli, message.field, message.value, message.guidance)),
        ]
        for error in islice(errors, SHOWN_LINES)
        for message in error.messages
    ]


def _group(
    kind: EditKind, checked: CheckedFile, outcomes: list[EditOutcome], before: int
) -> FindingsOfKind:
    edits = [_triggered_edit(checked, outcome, before) for outcome in outcomes]
    return FindingsOfKind(kind.value, TO_DO[kind], edits, sum(edit.total for edit in edits))


def _triggered_edit(checked: CheckedFile, outcome: EditOutcome, before: int) -> TriggeredEdit:
    edit, part = outcome.edit, checked.part(outcome)
    if edit.level is EditLevel.FILE:
        text = details.describe_findings(checked.lines, part)
        return TriggeredEdit(edit.code, edit.text, outcome.total, text, [], [])
    rows = np.asarray(part.rows[:SHOWN_LINES])
    values = details.read_values(checked.lines, part, rows)
    identifier = "LEI" if edit.level is EditLevel.TS else "ULI"
    return TriggeredEdit(
        edit.code, edit.text, outcome.total, "",
        ["Line", identifier, *values.columns[2:]],
        _cells(values.with_columns((pl.col("row") + 1 - before).cast(pl.String))),
    )  # fmt: skip


def _cells(values: pl.DataFrame) -> list[list[str]]:
    return [[_short(value) for value in row] for row in values.iter_rows()]


def _short(value: str) -> str:
    """Return a value as shown, cut off if it is very long."""
    return value if len(value) <= SHOWN_CHARACTERS else f"{value[:SHOWN_CHARACTERS]}…"
