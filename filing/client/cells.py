"""Cells of a spreadsheet that cannot be read as typed, for a reader and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from filing.lar.formulas import guarded

MAX_LISTED = 20  # of one kind
Finding = Mapping[str, Any]


def place(finding: Finding) -> str:
    """Return where a finding is: its cell, else its row, else its line in the LAR."""
    column, row, line = finding["column"], finding["row"], finding["line"]
    if row is not None:
        return f"{column}{row}" if column else f"row {row}"
    if line is not None:
        return f"line {line}"
    return f"column {column}" if column else "the file"


def in_words(finding: Finding) -> str:
    """Return a finding as a line of a report."""
    is_edit = finding["kind"] not in ("reading", "format")
    code = f"{finding['code']}, " if is_edit else ""
    value = "" if finding["value"] is None else f" is {finding['value']!r}"
    return f"{code}{place(finding)}: {finding['label'] or ''}{value}: {finding['message']}"


def listed(title: str, findings: Sequence[Finding], total: int, *, more: str) -> Iterator[str]:
    """Yield the first findings of a kind as lines of a report. more: where the others are."""
    if not total:
        return
    yield f"\n{title}: {total:,}"
    for finding in findings[:MAX_LISTED]:
        yield f"  {in_words(finding)}"
    if total > MAX_LISTED:
        yield f"  and {total - len(findings[:MAX_LISTED]):,} more; {more}"


def csv_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield findings in the columns of the CSV of a check."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for finding in findings:
        values = f"{place(finding)} {finding['label'] or ''}: {finding['value'] or ''}"
        uli = guarded(finding["uli"] or "")
        writer.writerow(("Cell", "", uli, finding["message"], finding["line"], values))
    yield text.getvalue()
