"""Formatting errors of a submission, grouped by field and accepted values in the parse stage."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from filing import storage
from filing.lar.errors import LineErrors, Message
from filing.lar.fault_groups import FaultGroup
from filing.models import Submission
from filing.requests.pagination import Page
from filing.submissions import findings


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


def store(groups: Iterable[FaultGroup], work: Path, folder: str) -> None:
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
        storage.store(numbers, f"{folder}/{storage.GROUP_ROWS}")
        storage.store(names, f"{folder}/{storage.GROUPS}")


def of(submission: Submission) -> list[ErrorGroup]:
    """Return the groups, most frequent first; none for a file parsed by an earlier release."""
    if not submission.format_errors or not submission.parse_folder:
        return []
    try:
        text = storage.local(f"{submission.parse_folder}/{storage.GROUPS}").read_text()
    except FileNotFoundError:
        return []
    return [ErrorGroup(*values) for values in json.loads(text)]


def lines(submission: Submission, group: ErrorGroup, page: Page) -> list[LineErrors]:
    """Return the lines on a page of one group, in file order, with the errors of its field."""
    if not page.count:
        return []
    name = f"{submission.parse_folder}/{storage.GROUP_ROWS}"
    rows = findings.row_numbers(name, group.position + page.start, page.count)
    return [
        LineErrors(line.line, line.estimated_uli, tuple(_of_group(line, group)))
        for line in findings.errors_of(submission, rows)
    ]


def _of_group(line: LineErrors, group: ErrorGroup) -> list[Message]:
    return [
        message
        for message in line.messages
        if (message.field, message.accepts) == (group.field, group.accepts)
    ]
