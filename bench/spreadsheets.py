"""`python bench/spreadsheets.py`: seconds and memory of spreadsheets that become LARs, and back.

The spreadsheet has dates as cells, money signs, lost zeros and texts of codes in every row. Each
step runs in a process of its own; seconds are also shown as a multiple of what the library alone
takes to read the workbook, because clocks of a shared machine are rough.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from statistics import median

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import report
from filing.edits import examples
from filing.lar.fields import LAR
from filing.lar.years import Period

LEI = "529900EXAMPLELEI0001"
PERIOD = Period(2024)
LIBRARY, COLUMNS, CONVERT, BACK = "library alone", "columns", "convert", "back to .xlsx"
STEPS = (LIBRARY, COLUMNS, CONVERT, BACK)
FEW, MANY = 10_000, 100_000
SECONDS = {(COLUMNS, FEW): 1, (CONVERT, FEW): 3, (CONVERT, MANY): 20}
MEMORY_MB = {FEW: 300, MANY: 700}
_SHEET = {
    name: str(value)
    for name, value in examples.correct_transmittal_sheet(PERIOD, LEI, 0).items()
    if name not in ("record_id", "total_lines")
}


@dataclass(frozen=True, slots=True)
class Run:
    """The cost of a step: seconds, those of processors, and the peak MB of its processes."""

    seconds: float
    cpu: float
    memory: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, action="append", help=f"default: {FEW} and {MANY}")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(asdict(_one(options.one[0], Path(options.one[1])))))
        return
    out = report.console()
    out.print(f"{report.machine()}. Clocks of a shared machine are rough.\n")
    table = report.table_of("Spreadsheets", "rows", "step", "s", "cpu s", "x library", "peak MB")
    checks: list[report.Check] = []
    for rows in options.rows or [FEW, MANY]:
        with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
            runs = _runs(Path(folder), rows, options.repeat)
        for step, run in runs.items():
            ratio = run.seconds / runs[LIBRARY].seconds
            cells = (run.seconds, run.cpu, ratio)
            table.add_row(
                f"{rows:,}", step, *(f"{cell:.2f}" for cell in cells), f"{run.memory:.0f}"
            )
            checks += _checks(step, rows, run)
    out.print(table)
    report.show_checks(out, checks)


def _runs(folder: Path, rows: int, repeat: int) -> dict[str, Run]:
    _write(folder / "loans.xlsx", rows)
    runs = {step: [_apart(step, folder) for _ in range(repeat)] for step in STEPS}
    return {
        step: Run(
            median(run.seconds for run in of_step),
            median(run.cpu for run in of_step),
            max(run.memory for run in of_step),
        )
        for step, of_step in runs.items()
    }


def _checks(step: str, rows: int, run: Run) -> list[report.Check]:
    checks = []
    if (step, rows) in SECONDS:
        name = f"seconds of {step}, {rows:,} rows"
        checks.append(report.at_most(name, run.seconds, SECONDS[step, rows]))
    if rows in MEMORY_MB and step in (COLUMNS, CONVERT):
        name = f"MB at most in a process of {step}, {rows:,} rows"
        checks.append(report.at_most(name, run.memory, MEMORY_MB[rows]))
    return checks


def _apart(step: str, folder: Path) -> Run:
    """Run a step in a fresh process."""
    done = subprocess.run(
        [sys.executable, __file__, "--one", step, str(folder)], stdout=subprocess.PIPE, check=True
    )
    return Run(**json.loads(done.stdout))


def _one(step: str, folder: Path) -> Run:
    from filing.spreadsheets import conversion, matching, reading, written_files

    path = folder / "loans.xlsx"
    with tempfile.TemporaryDirectory(dir=folder) as name:
        began = time.perf_counter()
        if step == LIBRARY:
            _read_alone(path)
        elif step == COLUMNS:
            matching.match_columns(reading.open_table(path)).as_json()
        elif step == CONVERT:
            made = conversion.convert_spreadsheet(path, folder=Path(name), sheet=_SHEET)
            made.report()
            made.lar.replace(folder / "lar.txt")
        else:
            written_files.write_spreadsheet(folder / "lar.txt", folder=Path(name), kind="xlsx")
        seconds = time.perf_counter() - began
    own, others = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    cpu = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
    return Run(seconds, cpu, max(own.ru_maxrss, others.ru_maxrss) / 1024)


def _read_alone(path: Path) -> None:
    import python_calamine

    sheet = python_calamine.CalamineWorkbook.from_path(path).get_sheet_by_index(0)
    for _ in sheet.iter_rows():
        pass


def _write(path: Path, rows: int) -> None:
    """Write loans as people keep them: every row has values to be normalised."""
    import xlsxwriter

    book = xlsxwriter.Workbook(str(path), {"constant_memory": True, "strings_to_urls": False})
    dates = book.add_format({"num_format": "m/d/yyyy"})
    sheet = book.add_worksheet("Loans")
    for at, field in enumerate(LAR):
        sheet.write_string(0, at, field.label)
    whole = {field.name for field in LAR if field.codes}
    for row in range(1, rows + 1):
        loan = examples.correct_loan(PERIOD, LEI, uli=examples.numbered_uli(LEI, row))
        texts = examples.write_record_line(loan).split("|")
        for at, (field, text) in enumerate(zip(LAR, texts, strict=True)):
            if field.name.endswith("_date"):
                sheet.write_datetime(row, at, datetime.strptime(text, "%Y%m%d"), dates)  # noqa: DTZ007
            elif field.name == "loan_amount":
                sheet.write_string(row, at, f"${100_000 + row * 37 % 900_000:,}.00")
            elif field.name in ("county", "census_tract"):
                sheet.write_number(row, at, int(text))
            elif field.name == "state":
                sheet.write_string(row, at, "California")
            elif field.name == "lien_status":
                sheet.write_string(row, at, "1 - Secured by a first lien")
            elif text and field.name in whole:
                sheet.write_number(row, at, int(text))
            elif text:
                sheet.write_string(row, at, text)
    book.close()


if __name__ == "__main__":
    main()
