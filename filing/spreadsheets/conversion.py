"""Converts a spreadsheet to a LAR, with every change and finding at its cell.

Pipe files are taken over as they are: in UTF-8, each line with LF at its end.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from filing.lar.blocks import NotText, read_blocks
from filing.lar.fields import LAR, SHEET_PREFIX, TRANSMITTAL_SHEET
from filing.lar.raw_lines import is_sheet
from filing.lar.setting_words import say_setting
from filing.lar.years import Period, rulebook_member
from filing.reference.census import Census
from filing.spreadsheets import checking, listed_findings, transmittal
from filing.spreadsheets.accepted_files import ReadingLimits, SpreadsheetRefusal
from filing.spreadsheets.checking import CheckedRecords, MadeRecords
from filing.spreadsheets.listed_findings import FINDING_KINDS, CellPlaces
from filing.spreadsheets.loans import build_loans
from filing.spreadsheets.matching import Matching, match_columns
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.questions import ColumnQuestion, find_questions
from filing.spreadsheets.reading import DEFAULT_LIMITS, DEFAULT_OPTIONS, open_table
from filing.spreadsheets.reports import ConversionReport
from filing.spreadsheets.rules.steps import RuleLog
from filing.spreadsheets.tables import SheetSource
from filing.spreadsheets.text_files import ENCODINGS
from filing.spreadsheets.transmittal import TransmittalSheet
from filing.spreadsheets.unseen_parts import SheetQuestion

FIRST = 1_000

_READ = 1 << 20
_LINE_MARKS = re.compile(r"[\r\n|]")  # which would end a field or a line
_NO_SHEET = "The file has no transmittal sheet; enter it, or add it as the first line."


@dataclass(frozen=True)
class Conversion:
    """A LAR made from a spreadsheet.

    name: of the file, `2024-4-529900EXAMPLELEI0001.txt` or `LarFile.txt`. lar: the path of the
    pipe file, within the folder that the caller gave and removes. problems: why the file is not
    written, a sentence each.
    """

    name: str
    lar: Path
    period: Period
    problems: tuple[str, ...]
    matching: Matching
    checked: CheckedRecords
    lists: ConversionReport
    questions: list[ColumnQuestion | SheetQuestion]

    def report(self, *, first: int = FIRST) -> dict[str, Any]:
        """Return the report. first: how many changes and findings it lists."""
        table, records = self.matching.table, self.lists.records
        changes, findings = self.lists.changes, self.lists.findings
        not_run = self.checked.not_run
        by_kind = findings.count_by("kind")
        loans = records.loans.height + int((records.misfits["row"] > 0).sum())
        return {
            "year": self.period.year,
            "quarter": self.period.quarter_name or None,
            **rulebook_member(self.period.year),
            "file": {
                "kind": table.kind,
                "encoding": table.encoding,
                "sheet": table.sheet,
                "header": table.header or None,
                "rows": loans if table.kind == "pipe" else len(table.rows),
                "lines": self.checked.report.loans + 1,
                "name": self.name,
                **self.matching.leftovers(),
            },
            "columns": self.matching.as_json()["columns"],
            "questions": [one.as_json(self.matching) for one in self.questions],
            "changes": {
                "total": changes.frame.height,
                "byRule": dict(sorted(changes.count_by("code").items())),
                "first": self.lists.first_changes(first),
            },
            "findings": {
                "total": findings.frame.height,
                "byKind": {kind: by_kind[kind] for kind in FINDING_KINDS},
                "groups": [group.about for group in self.lists.finding_groups(1)],
                "first": self.lists.first_findings(first),
            },
            "notRun": [code for code, _ in not_run],
            "notRunReasons": [
                {"reason": reason, "edits": [code for code, why in not_run if why == reason]}
                for reason in dict.fromkeys(why for _, why in not_run)
            ],
            "canWrite": not self.problems,
            "problems": list(self.problems),
        }

    def write_zip(self, target: BinaryIO) -> None:
        """Write the zip: the pipe file, `findings.csv`, `changes.csv`, `columns.csv`.

        The pipe file is left out when it cannot be written.
        """
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            if not self.problems:
                archive.write(self.lar, self.name)
            for name, pieces in (
                ("findings.csv", self.lists.findings_csv()),
                ("changes.csv", self.lists.changes_csv()),
                ("columns.csv", iter([self.lists.columns_csv()])),
            ):
                with archive.open(name, "w", force_zip64=True) as file:
                    for piece in pieces:
                        file.write(piece)


def convert_spreadsheet(
    path: Path,
    *,
    folder: Path,
    year: int | None = None,
    quarter: str = "",
    mapping: Mapping[str, str | None] | None = None,
    sheet: Mapping[str, str] | None = None,
    options: ConversionOptions = DEFAULT_OPTIONS,
    census: Census | Callable[[int], Census | None] | None = None,
    limits: ReadingLimits = DEFAULT_LIMITS,
) -> Conversion:
    """Convert a file. quarter: `Q1`, `Q2`, `Q3`, or a blank for the year.

    folder: an empty folder for temporary files, which the caller removes. census: that of the year,
    or a function that loads it once the year is known.
    Raises: SpreadsheetRefusal.
    """
    table = open_table(path, mapping=mapping, options=options, limits=limits)
    matching = match_columns(
        table, mapping, near=options.near, without_hidden=options.without_hidden
    )
    matching.require_no_conflict()
    log = RuleLog()
    questions: list[ColumnQuestion | SheetQuestion] = []
    target = folder / "lar"
    if table.kind == "pipe":
        if mapping:
            raise SpreadsheetRefusal(400, "The file is a LAR: its columns are known by place.")
        records, transmittal_sheet = take_over_pipe_file(
            path, target, sheet or {}, table.encoding, log
        )
        period = transmittal.find_filing_period(year, quarter, transmittal_sheet.values)
    else:
        sources = transmittal.collect_sources(sheet or {}, matching, log)
        typed = {name: values[0].text for name, values in sources.items()}
        period = transmittal.find_filing_period(year, quarter, typed)
        questions = find_questions(matching, options)
        records, transmittal_sheet = _make_records(
            matching, questions, sources, period, options, log
        )
        _write(records, target)
    facts = census(period.year) if callable(census) else census
    checked = checking.check_records(target, period, records, census=facts)
    places = CellPlaces(matching, transmittal_sheet.sources)
    report = ConversionReport(
        places,
        records,
        listed_findings.collect_changes(log.changes, places),
        listed_findings.collect_findings(log.doubts, records, checked, places),
    )
    problems = () if options.as_typed else tuple(_problems(report, records))
    return Conversion(
        transmittal_sheet.name, target, period, problems, matching, checked, report, questions
    )


def _make_records(
    matching: Matching,
    questions: list[ColumnQuestion | SheetQuestion],
    sources: Mapping[str, list[SheetSource]],
    period: Period,
    options: ConversionOptions,
    log: RuleLog,
) -> tuple[MadeRecords, TransmittalSheet]:
    """Return the records of a table, with the transmittal sheet of its sources."""
    total = len(matching.table.rows)
    transmittal_sheet = transmittal.build_transmittal_sheet(
        sources, loans=total, year=period.year, options=options, log=log
    )
    frame = build_loans(
        matching,
        questions,
        sheet_lei=transmittal_sheet.values["lei"],
        year=period.year,
        options=options,
        log=log,
    )
    values = _without_marks(pl.DataFrame([transmittal_sheet.values])).row(0, named=True)
    return checking.make_records(_without_marks(frame), values), transmittal_sheet


def _without_marks(frame: pl.DataFrame) -> pl.DataFrame:
    """Return texts that keep their fields and lines, whatever a cell holds.

    A column without such marks is not copied: a large file has no memory for that.
    """
    marks = _LINE_MARKS.pattern
    return frame.with_columns(
        column.str.replace_all(marks, " ") for column in frame if column.str.contains(marks).any()
    )


def _write(records: MadeRecords, target: Path) -> None:
    with target.open("wb") as file:
        for frame, fields in ((records.sheet, TRANSMITTAL_SHEET), (records.loans, LAR)):
            frame.select(field.name for field in fields).write_csv(
                file, separator="|", quote_style="never", include_header=False
            )


def _problems(report: ConversionReport, records: MadeRecords) -> list[str]:
    problems = []
    reading = report.findings.stopping()
    if reading.height:
        problems.append(
            f"Values that could not be understood, or are missing: {reading.height:,}. Correct "
            f"them, or {say_setting('as_typed')}."
        )
    if not records.loans.height and not records.misfits.height:
        problems.append("There is no loan; add at least one.")
    elif (
        records.loans.height
        and not records.loans.select(
            pl.any_horizontal(pl.col("lei") != "", pl.col("uli") != "").any()
        ).item()
    ):
        problems.append("No loan has an LEI or a ULI; add a column of one of them.")
    return problems


def take_over_pipe_file(
    path: Path, target: Path, sheet: Mapping[str, str], encoding: str | None, log: RuleLog
) -> tuple[MadeRecords, TransmittalSheet]:
    """Write the file to another, and return its records and its transmittal sheet.

    sheet: values of the transmittal sheet, which go before those of the file.
    Raises: SpreadsheetRefusal, for a line that is not text.
    """
    plain = target.with_name("plain")
    with (
        path.open(encoding=ENCODINGS[encoding or "UTF-8"], newline="") as source,
        plain.open("wb") as copy,
    ):
        while piece := source.read(_READ):
            copy.write(piece.encode())
    try:
        _write_lines(plain, target, sheet, log)
        records = checking.read_records(target)
    except NotText as error:
        raise SpreadsheetRefusal(400, str(error)) from None
    values = dict.fromkeys((field.name for field in TRANSMITTAL_SHEET), "")
    if records.sheet.height:
        values |= records.sheet.drop("row").row(0, named=True)
    sources = {name: SheetSource(text, 1) for name, text in values.items() if text}
    return records, TransmittalSheet(values, sources)


def _write_lines(plain: Path, target: Path, sheet: Mapping[str, str], log: RuleLog) -> None:
    """Write the lines with LF, trimmed of outer blanks and quotes, and without blank ones."""
    with plain.open("rb") as file, target.open("wb") as out:
        for block in read_blocks(file):
            has_sheet = is_sheet(block.data[: block.lengths[0]])
            if block.row == 0 and not has_sheet:
                out.write(_sheet_line(sheet, log))
            lines = (line.strip(b" \t\r\n\0") for line in block.data.split(b"\n"))
            whole = (_unquote_line(line) for line in lines if line)
            if block.row == 0 and has_sheet and sheet:
                out.write(_change_sheet_line(next(whole), sheet, log) + b"\n")
            out.writelines(line + b"\n" for line in whole)


def _unquote_line(line: bytes) -> bytes:
    """Return a line without the quotes around all of it, as a spreadsheet program writes a cell."""
    is_quoted = line[:1] == line[-1:] == b'"' and line.count(b'"') == 2
    return line[1:-1] if is_quoted else line


def _change_sheet_line(line: bytes, sheet: Mapping[str, str], log: RuleLog) -> bytes:
    """Return the line of a transmittal sheet with other values, each of which is a change."""
    cells = line.decode().split("|")
    for at, one in enumerate(TRANSMITTAL_SHEET[: len(cells)]):
        before = cells[at]
        after = _LINE_MARKS.sub(" ", sheet.get(one.name, before))
        if after != before.strip():
            change = pl.DataFrame({"row": [0], "before": [before], "after": [after]})
            log.change(f"{SHEET_PREFIX}{one.name}", "entered", change)
            cells[at] = after
    return "|".join(cells).encode()


def _sheet_line(sheet: Mapping[str, str], log: RuleLog) -> bytes:
    if not sheet:
        cell = pl.DataFrame({"row": [0], "value": [""]}, schema_overrides={"row": pl.UInt32})
        log.doubt(f"{SHEET_PREFIX}record_id", "missing", _NO_SHEET, cell)
    values = {"record_id": "1", **sheet}
    line = "|".join(values.get(field.name, "") for field in TRANSMITTAL_SHEET)
    return line.replace("\n", " ").encode() + b"\n"
