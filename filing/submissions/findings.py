"""Reads single findings: the records of one edit or the formatting errors, as a page or as CSV.

Only row numbers are stored for findings. A page seeks its twenty lines in the uploaded file and
reads the values there, so every page of every file takes the same time. Formatting errors are
grouped by field and accepted values in the parse stage.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl
from django.db.models import Q, QuerySet

from filing import storage
from filing.edits import catalogue, details, file_checks
from filing.edits.edit import EditKind
from filing.lar.cutting import Rows
from filing.lar.errors import FaultGroup, FieldError, LineErrors, find_line_errors
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME
from filing.lar.lines import Lines
from filing.models import EditResult, Submission
from filing.requests import ListPage
from filing.submissions import removed_files

CHUNK_ROWS = 2_000  # lines with formatting errors read at a time for a CSV


@dataclass(frozen=True)
class EditRow:
    """One record that triggered an edit, with the values of the edit's fields, as filed."""

    id: str
    line: int
    fields: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ErrorGroup:
    """Formatting errors with the same field and accepted values.

    total: the number of lines. listed: how many of them, from the first, can be shown one by one.
    position: index of the first row number in the stored file.
    """

    field: str
    accepts: str
    total: int
    listed: int
    position: int


def read_row_numbers(name: str, start: int, count: int) -> list[int]:
    """Return stored row numbers (little-endian uint32), from a position in their file."""
    with storage.open_local_copy(name).open("rb") as file:
        file.seek(4 * start)
        return np.frombuffer(file.read(4 * count), dtype="<u4").tolist()


def open_lines(submission: Submission) -> Lines:
    """Return the lines of the file, to be read by row number.

    Raises: NotFound if it was removed under a retention rule.
    """
    removed_files.require_files_present(submission)
    return Lines(
        storage.open_local_copy(submission.raw_file),
        storage.open_local_copy(f"{submission.parse_folder}/{storage.OFFSETS}"),
    )


def read_format_errors(submission: Submission, page: ListPage) -> list[LineErrors]:
    """Return the lines on a page of formatting errors, the transmittal sheet first."""
    return _format_errors(submission, page.start, page.count) if page.count else []


def read_all_format_errors(submission: Submission) -> Iterator[LineErrors]:
    """Yield the lines with formatting errors, in file order."""
    for start in range(0, submission.format_errors, CHUNK_ROWS):
        count = min(CHUNK_ROWS, submission.format_errors - start)
        yield from _format_errors(submission, start, count)


def _format_errors(submission: Submission, start: int, count: int) -> list[LineErrors]:
    removed_files.require_files_present(submission)
    rows = read_row_numbers(f"{submission.parse_folder}/{storage.BAD_ROWS}", start, count)
    return read_errors_of_rows(submission, rows)


def read_errors_of_rows(submission: Submission, rows: list[int]) -> list[LineErrors]:
    """Return the formatting errors of some lines, given by row."""
    with open_lines(submission) as lines:
        return find_line_errors(rows, lines.read(rows))


def store_error_groups(groups: Iterable[FaultGroup], work: Path, folder: str) -> None:
    """Store the groups of a parsed file. work: a local folder to write them in."""
    descriptions, position = [], 0
    names, numbers = work / storage.GROUPS, work / storage.GROUP_ROWS
    with numbers.open("wb") as file:
        for group in groups:
            listed = len(group.rows)
            descriptions.append([group.field, group.accepts, group.total, listed, position])
            file.write(group.rows.astype("<u4").tobytes())
            position += listed
    if descriptions:
        names.write_text(json.dumps(descriptions))
        storage.store_file(numbers, f"{folder}/{storage.GROUP_ROWS}")
        storage.store_file(names, f"{folder}/{storage.GROUPS}")


def read_error_groups(submission: Submission) -> list[ErrorGroup]:
    """Return the groups, most frequent first; none for a file parsed by an earlier release."""
    if not submission.format_errors or not submission.parse_folder:
        return []
    try:
        text = storage.open_local_copy(f"{submission.parse_folder}/{storage.GROUPS}").read_text()
    except FileNotFoundError:
        return []
    return [ErrorGroup(*values) for values in json.loads(text)]


def read_lines_of_group(
    submission: Submission, group: ErrorGroup, page: ListPage
) -> list[LineErrors]:
    """Return the lines on a page of one group, in file order, with the errors of its field."""
    if not page.count:
        return []
    name = f"{submission.parse_folder}/{storage.GROUP_ROWS}"
    rows = read_row_numbers(name, group.position + page.start, page.count)
    return [
        LineErrors(line.line, line.estimated_uli, tuple(_errors_of_group(line, group)))
        for line in read_errors_of_rows(submission, rows)
    ]


def _errors_of_group(line: LineErrors, group: ErrorGroup) -> list[FieldError]:
    return [
        message
        for message in line.messages
        if (message.field, message.accepts) == (group.field, group.accepts)
    ]


def find_results_of_edit(submission: Submission, code: str) -> list[EditResult]:
    """Return the results of an edit, which may have a part for the sheet and one for records.

    The part for the transmittal sheet comes first, as in the file.
    """
    parts = EditResult.objects.filter(submission=submission, code=code, total__gt=0)
    return sorted(parts, key=lambda part: part.level != "ts")


def find_reason_not_run(submission: Submission, code: str) -> str | None:
    """Return why an edit was not run on a submission; None if it was."""
    results = EditResult.objects.not_run_only().filter(submission=submission, code=code)
    return results.values_list("not_run", flat=True).first()


def count_records(parts: list[EditResult]) -> int:
    """Return how many records the detail of an edit has; macro edits have none."""
    return sum(part.total for part in parts if part.kind != "macro")


def read_edit_rows(
    submission: Submission, parts: list[EditResult], page: ListPage
) -> list[EditRow]:
    """Return the records on a page of the detail of an edit, in file order."""
    if not count_records(parts):
        return []
    with open_lines(submission) as lines:
        return _read_page(submission, lines, _stored_rows(submission), parts, page)


def read_first_rows(
    submission: Submission, edits: Iterable[list[EditResult]], most: int
) -> Iterator[list[EditRow]]:
    """Yield the first records of each of several edits, given by their parts."""
    findings_rows = _stored_rows(submission)
    with open_lines(submission) as lines:
        for parts in edits:
            yield _read_page(
                submission, lines, findings_rows, parts, ListPage(1, count_records(parts), most)
            )


def _read_page(
    submission: Submission,
    lines: Lines,
    findings_rows: Rows,
    parts: list[EditResult],
    page: ListPage,
) -> list[EditRow]:
    rows: list[EditRow] = []
    start, remaining = page.start, page.count
    for part in parts:
        if part.kind == "macro" or remaining <= 0:
            continue
        count = max(0, min(remaining, part.total - start))
        if count:
            at = part.position + start
            rows += _read_rows(submission, lines, part, findings_rows[at : at + count].tolist())
        start, remaining = max(0, start - part.total), remaining - count
    return rows


def describe_macro_result(submission: Submission, parts: list[EditResult]) -> str:
    """Return what a macro edit computed, in a sentence; blank for any other edit."""
    return " ".join(
        details.describe_figures(_edit_findings(submission, part)) for part in parts
    ).strip()


def write_findings_csv(
    submission: Submission, parts: Iterable[EditResult], *, detailed: bool
) -> Iterator[bytes]:
    """Yield findings as CSV, by kind; macro edits, and edits not run, have no record."""
    yield details.format_csv_header(detailed=detailed)
    for table in read_findings_tables(submission, parts, detailed=detailed):
        yield table.write_csv(include_header=False).encode()


def read_findings_tables(
    submission: Submission, parts: Iterable[EditResult], *, detailed: bool
) -> Iterator[pl.DataFrame]:
    """Yield findings as tables with the columns of the CSV; edits that were not run come last."""
    order = {kind.value: position for position, kind in enumerate(EditKind)}
    results = sorted(parts, key=lambda part: (order[part.kind], part.code, part.level != "ts"))
    unrun = [(result.code, result.not_run) for result in results if result.not_run]
    detail_parts = [_edit_findings(submission, result) for result in results if result.total]
    if detail_parts:  # without any, there may be no file
        with open_lines(submission) as lines:
            yield from details.stream_findings_tables(
                lines, detail_parts, lei=submission.lei, detailed=detailed
            )
    if unrun:
        yield details.tabulate_unrun_edits(unrun, detailed=detailed)


def find_all_results(submission: Submission) -> QuerySet[EditResult]:
    """Return the results of all edits that were triggered, or not run."""
    results = EditResult.objects.filter(submission=submission)
    return results.filter(Q(total__gt=0) | ~Q(not_run=""))


def read_rows_of_result(submission: Submission, result: EditResult) -> Rows:
    """Return the rows that are stored for the result of an edit."""
    if not result.listed:
        return np.empty(0, np.uint32)
    return _stored_rows(submission)[result.position : result.position + result.listed]


def _edit_findings(submission: Submission, result: EditResult) -> details.EditFindings:
    edit = catalogue.find_edit(result.code, submission.rules_period, result.level)
    rows = read_rows_of_result(submission, result)
    return details.EditFindings(edit, rows, result.figures)


def _stored_rows(submission: Submission) -> Rows:
    """Return the row numbers of all findings, read from disk only where they are used."""
    removed_files.require_files_present(submission)
    return file_checks.read_stored_rows(
        storage.open_local_copy(f"{submission.edits_folder}/{storage.FINDINGS}")
    )


def _read_rows(
    submission: Submission, lines: Lines, part: EditResult, rows: list[int]
) -> list[EditRow]:
    edit = catalogue.find_edit(part.code, submission.rules_period, part.level)
    if part.level == "file":
        fields = details.describe_whole_file(lines, _edit_findings(submission, part))
        return [EditRow(submission.lei, 1, fields)]
    labels = TS_BY_NAME if part.level == "ts" else LAR_BY_NAME
    key = "lei" if part.level == "ts" else "uli"
    values = lines.fields(rows, (key, *edit.fields))
    names = [labels[name].label for name in edit.fields]
    records = [
        EditRow(id=record[0], line=row + 1, fields=list(zip(names, record[1:], strict=True)))
        for row, record in zip(rows, values, strict=True)
    ]
    expected = part.figures.get("expected")
    return (
        [_with_expected(record, edit.fields, expected) for record in records]
        if expected
        else records
    )


def _with_expected(row: EditRow, names: Iterable[str], expected: Mapping[str, object]) -> EditRow:
    """Return a record with the expected values beside its own."""
    fields = [
        (label, details.format_with_expected(value, expected.get(name)))
        for name, (label, value) in zip(names, row.fields, strict=True)
    ]
    return replace(row, fields=fields)
