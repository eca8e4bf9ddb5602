"""Garbage in any field never stops a check: it is a format error, or it is judged.

Each file goes the whole way of a user's file: format errors, edits, then the findings as JSON and
as CSV. What can be read in it is told by a reader of our own, line by line.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random

import numpy as np
import pytest

from bench.yardstick.reading import BOM, MOST_BYTES, cells, faults, is_text, line_end, lines
from filing.demo import census as demo_census
from filing.demo.files import LarRecipe, make_lar_file
from filing.edits import catalogue, details
from filing.edits.details import EditFindings
from filing.edits.edit import Edit, EditKind, EditLevel, EditNeed, since
from filing.edits.file_checks import CheckedFile, check_file, stream_json_members
from filing.edits.vocabulary import one_of
from filing.lar.blocks import NotText
from filing.lar.errors import SHEET_ULI, UNKNOWN_ULI
from filing.lar.fields import LAR, TRANSMITTAL_SHEET
from filing.lar.years import Period
from filing.reference.census import build_census
from tests.filing.edits.findings_csv import stream_findings_csv
from tests.filing.edits.garbage import mutated

pytestmark = pytest.mark.slow

LEI = "529900TESTBANK000042"
PERIODS = [*map(Period, range(2018, 2027)), Period(2020, 1), Period(2022, 3), Period(2025, 2)]
ROWS_AT_ONCE = 10_000
IN_CSV_ONE_OF = 7  # a CSV costs milliseconds an edit, so not all of them are written
DEMO = demo_census.make_census_rows(2024)
CENSUS = build_census(DEMO)
# The line ends of a file: that of its first line, and those of all others.
LINE_ENDS = (
    *((b"\n", (b"\n",)), (b"\r\n", (b"\r\n",)), (b"\r", (b"\r",))),
    *((b"\n", (b"\n", b"\r\n")), (b"\r\n", (b"\n", b"\r\n")), (b"\r", (b"\r", b"\r\n"))),
)
FORMULA = ("=", "+", "-", "@")
LABELS = {field.label: field.number - 1 for field in LAR}
SHEET_LABELS = {field.label: field.number - 1 for field in TRANSMITTAL_SHEET}

# Fails on every loan that is judged, and so tells which these are.
JUDGED = Edit(
    code="V999",
    kind=EditKind.VALIDITY,
    level=EditLevel.LAR,
    periods=since(2018),
    fields=("record_id", "uli", "reverse_mortgage"),
    text="No loan passes.",
    holds=one_of("hoepa_status", 1) & ~one_of("hoepa_status", 1),
)


class Filed:
    """The lines of a file, what cannot be read in them, and what stands in the others."""

    def __init__(self, filed: list[bytes]) -> None:
        self.lines = filed
        found = [faults(row, line) for row, line in enumerate(filed)]
        self.faults = {row: wrong for row, wrong in enumerate(found) if wrong}
        self.cells = {row: cells(line) for row, line in enumerate(filed) if not found[row]}
        self.judged = [row for row in self.cells if row]

    def estimated_uli(self, row: int) -> str:
        pieces = cells(self.lines[row])
        return SHEET_ULI if row == 0 else pieces[2] if len(pieces) > 2 else UNKNOWN_ULI


@pytest.mark.parametrize("period", PERIODS, ids=str)
def test_every_row_has_a_format_error_or_is_judged(
    period: Period, tmp_path: Path, fuzz_rows: int
) -> None:
    left, seed = -(-fuzz_rows // len(PERIODS)), 0
    while left > 0:
        some = min(left, ROWS_AT_ONCE)
        examine(garbage_file(period, some, seed), period, tmp_path / "file.txt")
        left, seed = left - some, seed + 1


def garbage_file(period: Period, rows: int, seed: int) -> bytes:
    """Return a file of which every loan but the last is mutated, and now and then the sheet.

    Some loans come twice, so that the edits about repeated loans have something to find.
    """
    draw = Random(f"{period} {seed}")
    recipe = LarRecipe(period=period, lei=LEI, rows=rows + 1, seed=seed)
    sheet, *loans, last = b"".join(make_lar_file(recipe, DEMO["census_tract"])).splitlines()
    first_end, ends = draw.choice(LINE_ENDS)
    if draw.randrange(4) == 0:
        sheet = mutated(sheet, draw)
    # A CR is a control character like others, but not where it ends lines, nor in the first one.
    pieces = [draw.choice((b"", BOM)), sheet.replace(b"\r", b""), first_end]
    changed = b""
    for loan in loans:
        if not changed or draw.randrange(50):
            changed = mutated(loan, draw).replace(ends[0], b"")
        pieces += [changed, draw.choice(ends)]
    return b"".join((*pieces, last))


def examine(content: bytes, period: Period, path: Path) -> None:
    """Check a file as it is, then without the lines that are no text, then without the faulty.

    Without format errors the file as a whole is judged too, and of its loans the same is found.
    """
    edits = (*catalogue.list_edits(period), JUDGED)
    path.write_bytes(content)
    found = lines(content)
    if no_text := [row for row, line in enumerate(found) if not is_text(line)]:
        with pytest.raises(NotText) as refusal, check_file(path, period, census=CENSUS):
            pass
        assert refusal.value.line == no_text[0] + 1
        found = rewritten(path, [line for line in found if is_text(line)], line_end(content))
    filed = Filed(found)
    with check_file(path, period, census=CENSUS, edits=edits) as checked:
        look_at_report(checked, filed)
        look_at_json(checked, filed)
        *some, last = checked.parts()
        look_at_csv(checked, [*some[::IN_CSV_ONE_OF], last], filed)
        before = rows_of_records(checked)
    if 0 in filed.faults:
        return
    rewritten(path, [found[row] for row in filed.cells], line_end(content))
    with check_file(path, period, census=CENSUS, edits=edits) as checked:
        assert {o.edit for o in checked.not_run()} == {
            edit for edit in edits if EditNeed.INSTITUTION in edit.needs
        }
        of_file = [part for part in checked.parts() if part.edit.level is EditLevel.FILE]
        look_at_csv(checked, of_file, filed)
        again = np.fromiter(filed.cells, np.uint32)
        assert {e: again[rows].tolist() for e, rows in rows_of_records(checked).items()} == before


def rewritten(path: Path, kept: list[bytes], end: bytes) -> list[bytes]:
    # Where CR ends lines an LF may begin one, and both together would be another line end.
    kept = [line.replace(b"\n", b"") for line in kept]
    path.write_bytes(end.join(kept) + end)
    return kept


def rows_of_records(checked: CheckedFile) -> dict[Edit, list[int]]:
    return {
        part.edit: part.rows.tolist()
        for part in checked.parts()
        if part.edit.level is not EditLevel.FILE
    }


def look_at_report(checked: CheckedFile, filed: Filed) -> None:
    loans = len(filed.lines) - 1
    assert (checked.scan.lines, checked.scan.bad) == (loans + 1, len(filed.faults))
    assert (checked.scan.loans, checked.report.loans) == (loans, loans)
    for outcome in checked.report.outcomes:
        needs, level = outcome.edit.needs, outcome.edit.level
        of_sheet, of_file = level is EditLevel.TS or EditNeed.TS in needs, level is EditLevel.FILE
        lacks = (of_file and filed.faults) or (of_sheet and 0 in filed.faults)
        assert outcome.run == (not lacks and EditNeed.INSTITUTION not in needs)
        rows = checked.part(outcome).rows.tolist()
        if not of_file:
            assert outcome.total == len(rows)
            assert rows == sorted(set(rows))
        if outcome.edit is JUDGED:
            assert rows == filed.judged


def look_at_json(checked: CheckedFile, filed: Filed) -> None:
    body = json.loads("{" + "".join(stream_json_members(checked)) + "}")
    assert [(error["rowNumber"] - 1, messages(error)) for error in body["parserErrors"]] == [
        *filed.faults.items()
    ]
    for error in body["parserErrors"]:
        row = error["rowNumber"] - 1
        if len(filed.lines[row]) <= MOST_BYTES:  # of longer ones not all is read
            assert error["estimatedULI"] == filed.estimated_uli(row)
    told: Counter[str] = Counter()
    of_sheet = [0] if any(o.edit.level is EditLevel.TS for o in checked.triggered()) else []
    for row, edits in zip([*of_sheet, *filed.judged], body["validationErrors"], strict=True):
        values, labels = filed.cells[row], LABELS if row else SHEET_LABELS
        assert {edit["uli"] for edit in edits} == {values[2 if row else -1]}
        shown = edits[0]["fields"] | edits[-1]["fields"]
        assert shown == {label: values[labels[label]] for label in shown}
        told.update(edit["editName"] for edit in edits)
    assert told == totals(part for part in checked.parts() if part.edit.level is not EditLevel.FILE)


def messages(error: dict[str, list[dict[str, str]]]) -> list[tuple[str, str]]:
    return [(message["fieldName"], message["inputValue"]) for message in error["errorMessages"]]


def look_at_csv(checked: CheckedFile, parts: list[EditFindings], filed: Filed) -> None:
    """Compare the CSV of what some edits found, and that of format errors, with the file."""
    errors = list(checked.format_errors())
    pieces = stream_findings_csv(checked.lines, parts, lei=LEI, detailed=True)
    text = b"".join(pieces).decode() + "".join(details.stream_format_errors_csv(errors))
    header, *records = csv.reader(io.StringIO(text, newline=""))
    assert header == [*details.CSV_HEADER, *details.CSV_DETAILS]
    for kind, code, uli, _, line, _ in records:
        assert not uli.startswith(FORMULA)
        assert (kind == "Format") == (code == "")
        if kind == "Format":
            assert int(line) - 1 in filed.faults
        elif code == JUDGED.code:
            assert uli.removeprefix("'") == filed.cells[int(line) - 1][2].removeprefix("'")
    told = Counter(code for _, code, *_ in records)
    assert told.pop("", 0) == sum(len(error.messages) for error in errors)
    assert told == totals(parts)


def totals(parts: Iterable[EditFindings]) -> Counter[str]:
    """Return how many findings some edits have, by code: one for an edit of the file."""
    counted: Counter[str] = Counter()
    for part in parts:
        counted[part.edit.code] += 1 if part.edit.level is EditLevel.FILE else len(part.rows)
    return counted
