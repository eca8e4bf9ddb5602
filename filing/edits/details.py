"""Findings with their values, in the order in which people and programs read them.

Only the row number of a finding is stored; its values are read from the file, many lines at a time
and by column, when a list is requested.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Any

import numpy as np
import polars as pl

from filing.edits.edit import Edit, EditKind, EditLevel
from filing.lar.cutting import Rows
from filing.lar.errors import LineErrors
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME, WHOLE_ROW_LABEL
from filing.lar.formulas import guard_column
from filing.lar.lines import Lines

LISTED_LINES = 1_000  # line numbers shown for an edit about repeated loans
CSV_HEADER = ("editType", "editId", "ULI", "editDescription")
CSV_DETAILS = ("rowNumber", "fields")
_NOT_RUN = "Not run"

_CHUNK_ROWS = 20_000
_WINDOW_ROWS = 5_000
_COUNTED = {
    "S304": {
        "reported": "Entries Reported in Transmittal Sheet",
        "found": "Total Number of LARs Found in File",
    },
    "S307": {
        "inside": "Records with an Action Taken Date Not After the Quarter",
        "after": "Records with an Action Taken Date After the Quarter",
    },
}


@dataclass(frozen=True, slots=True)
class EditFindings:
    """The findings of one edit in a file: its rows, ascending, and its counts or expectations."""

    edit: Edit
    rows: Rows
    figures: Mapping[str, Any] = field(default_factory=dict)


def read_values(lines: Lines, part: EditFindings, rows: Rows) -> pl.DataFrame:
    """Return the values of an edit of single records on some of its rows.

    Shape:  `row`, `id` (the ULI, or the LEI of the transmittal sheet) and a text column for each
    field of the edit, named by its label, with the values as filed.
    """
    edit = part.edit
    if edit.level is EditLevel.LAR:
        return _loans_values(edit, lines.loans(rows))
    (sheet,) = lines.fields([0], ("lei", *edit.fields))
    expected = part.figures.get("expected", {})
    columns = {
        TS_BY_NAME[name].label: format_with_expected(value, expected.get(name))
        for name, value in zip(edit.fields, sheet[1:], strict=True)
    }
    return pl.DataFrame(
        {"row": [0], "id": [sheet[0]], **{label: [value] for label, value in columns.items()}},
        schema_overrides={"row": pl.UInt32},
    )


def _loans_values(edit: Edit, loans: pl.DataFrame) -> pl.DataFrame:
    columns = (pl.col(name).alias(LAR_BY_NAME[name].label) for name in edit.fields)
    return loans.select("row", pl.col("uli").alias("id"), *columns)


def format_with_expected(provided: str, expected: object) -> str:
    """Return a value, with the one it was compared with if there was a comparison."""
    return provided if expected is None else f"Provided: {provided}, Expected: {expected}"


def describe_whole_file(lines: Lines, part: EditFindings) -> list[tuple[str, str]]:
    """Return the counts of an edit of the whole file and the lines it lists, each with a label."""
    labels = _COUNTED.get(part.edit.code, {})
    counted = [(label, str(part.figures[name])) for name, label in labels.items()]
    return counted + _copies(lines, part)


def describe_figures(part: EditFindings) -> str:
    """Return the figures of a macro edit in words; a blank for any other edit."""
    return part.edit.computed.format_map(dict(part.figures)) if part.edit.computed else ""


def describe_findings(lines: Lines, part: EditFindings) -> str:
    """Return the findings of an edit of the whole file in words; a blank for other edits."""
    return describe_figures(part) or (
        _joined(describe_whole_file(lines, part)) if part.edit.level is EditLevel.FILE else ""
    )


def _copies(lines: Lines, part: EditFindings) -> list[tuple[str, str]]:
    """Return the repeated loans: for each ULI, whatever its letter case, its lines."""
    if not len(part.rows):
        return []
    rows = part.rows[:LISTED_LINES].tolist()
    ulis = [uli for (uli,) in lines.fields(rows, ("uli",))]
    first = part.edit.fields[0]
    name = LAR_BY_NAME[first].label if first in LAR_BY_NAME else WHOLE_ROW_LABEL
    copies = [
        (name, _group(list(group)))
        for _, group in groupby(zip(ulis, rows, strict=True), key=lambda pair: pair[0].upper())
    ]
    if len(part.rows) > LISTED_LINES:
        copies.append((name, f"and {len(part.rows) - LISTED_LINES} more lines"))
    return copies


def _group(loans: Sequence[tuple[str, int]]) -> str:
    """Return the ULI of the first of some loans, and the lines of all of them."""
    return f"{loans[0][0]}: lines {', '.join(str(row + 1) for _, row in loans)}"


# --- CSV: one finding a line, edit after edit ---------------------------------------------------


def stream_findings_tables(
    lines: Lines, parts: Sequence[EditFindings], *, lei: str, detailed: bool = False
) -> Iterator[pl.DataFrame]:
    """Yield tables with the columns of the CSV, some thousand findings at a time.

    Findings come kind by kind, edit by edit, in file order; macro edits last. lei: in place of the
    ULI for an edit of the whole file. detailed: with the number of the line and the values.
    An apostrophe leads values that a spreadsheet would take for a formula.
    """
    columns = list_csv_columns(detailed=detailed)
    for part in parts:
        for frame in _csv_frames(lines, part, lei):
            edit = part.edit
            yield frame.select(
                editType=pl.lit(edit.kind.value.capitalize()),
                editId=pl.lit(edit.code),
                ULI=guard_column("id"),
                editDescription=pl.lit(edit.text),
                rowNumber="line",
                fields="fields",
            ).select(columns)


def format_csv_header(*, detailed: bool = False) -> bytes:
    """Return the header line of the CSV."""
    return (",".join(list_csv_columns(detailed=detailed)) + "\n").encode()


def list_csv_columns(*, detailed: bool) -> tuple[str, ...]:
    """Return the names of the columns of the CSV."""
    return CSV_HEADER + (CSV_DETAILS if detailed else ())


def tabulate_unrun_edits(unrun: Iterable[tuple[str, str]], *, detailed: bool) -> pl.DataFrame:
    """Return edits that were not run as rows of the CSV. unrun: codes, each with the reason."""
    rows = [(_NOT_RUN, code, "", f"{_NOT_RUN}: {reason}.", None, "") for code, reason in unrun]
    table = pl.DataFrame(rows, schema=CSV_HEADER + CSV_DETAILS, orient="row")
    return table.select(list_csv_columns(detailed=detailed))


def stream_format_errors_csv(errors: Iterable[LineErrors]) -> Iterator[str]:
    """Yield the lines with format errors as lines of a detailed CSV."""
    rows = (
        (
            "Format",
            "",
            error.estimated_uli,
            f"{message.field} accepts: {message.guidance.removesuffix('.')}.",
            error.line,
            f"{message.field}: {message.value}",
        )
        for error in errors
        for message in error.messages
    )
    while chunk := list(islice(rows, _CHUNK_ROWS)):
        table = pl.DataFrame(chunk, schema=CSV_HEADER + CSV_DETAILS, orient="row")
        yield table.with_columns(guard_column("ULI")).write_csv(include_header=False)


def _csv_frames(lines: Lines, part: EditFindings, lei: str) -> Iterator[pl.DataFrame]:
    """Yield `line`, `id` and `fields`."""
    edit = part.edit
    if edit.level is EditLevel.FILE:
        is_macro = edit.kind is EditKind.MACRO
        shape = {"line": pl.Int64, "id": pl.String, "fields": pl.String}
        row = (None, "") if is_macro else (1, lei)
        yield pl.DataFrame([(*row, describe_findings(lines, part))], schema=shape, orient="row")
        return
    for begin in range(0, len(part.rows), _CHUNK_ROWS):
        findings = read_values(lines, part, np.asarray(part.rows[begin : begin + _CHUNK_ROWS]))
        labelled = [
            pl.concat_str(pl.lit(f"{label}: "), pl.col(label)) for label in findings.columns[2:]
        ]
        yield findings.select(
            "id", line=pl.col("row") + 1, fields=pl.concat_str(labelled, separator="; ")
        )


def _joined(fields: list[tuple[str, str]]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in fields)


# --- JSON: one row of the file an array, row after row ------------------------------------------


def stream_json_by_row(lines: Lines, parts: Sequence[EditFindings]) -> Iterator[str]:
    """Yield, for each row on which edits of single records failed, the JSON array of these.

    Rows come in file order, the transmittal sheet first; within a row the order is that of `parts`.
    """
    of_sheet = [part for part in parts if part.edit.level is EditLevel.TS]
    of_loans = [part for part in parts if part.edit.level is EditLevel.LAR]
    if of_sheet:
        yield from _arrays(
            [_objects(part.edit, read_values(lines, part, part.rows)) for part in of_sheet]
        )
    for begin in range(1, len(lines), _WINDOW_ROWS):
        window = [
            (part.edit, _between(part.rows, begin, begin + _WINDOW_ROWS)) for part in of_loans
        ]
        window = [(edit, rows) for edit, rows in window if len(rows)]
        if not window:
            continue
        rows = np.unique(np.concatenate([rows for _, rows in window]))
        loans = lines.loans(rows)
        yield from _arrays(
            [
                _objects(edit, _loans_values(edit, loans[np.searchsorted(rows, part_rows)]))
                for edit, part_rows in window
            ]
        )


def _between(rows: Rows, begin: int, end: int) -> Rows:
    first, last = np.searchsorted(rows, np.array([begin, end], rows.dtype))
    return np.asarray(rows[first:last])


def _objects(edit: Edit, findings: pl.DataFrame) -> pl.DataFrame:
    """Return `row` and `object`: the finding as JSON."""
    objects = pl.struct(
        pl.col("id").alias("uli"),
        pl.lit(edit.code).alias("editName"),
        pl.lit(edit.text).alias("editDescription"),
        pl.struct(findings.columns[2:]).alias("fields"),
    )
    return findings.select("row", object=objects.struct.json_encode())


def _arrays(objects: Sequence[pl.DataFrame]) -> list[str]:
    by_row = pl.concat(objects).sort("row", maintain_order=True)
    arrays = by_row.group_by("row", maintain_order=True).agg(pl.col("object").str.join(","))
    return arrays.select(pl.format("[{}]", "object"))["object"].to_list()
