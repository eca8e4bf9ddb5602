"""`python bench/pages.py`: the time of a page of findings, the first and the last of many.

A page is read as the service reads it: 20 row numbers from the findings, then 20 lines by offset.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from bench import files, report
from bench.files import Kind
from bench.plain_loop import YEAR
from bench.stages import EDITS, FINDINGS, INDEX, OFFSETS, measure
from filing.edits import catalogue
from filing.edits.edit import EditLevel
from filing.lar.lines import Lines
from filing.lar.years import Period

PAGE_ROWS = 20
LIMIT_MS = 5
TIMES_FIRST = 3  # at any depth a page is read by offset


@dataclass(frozen=True, slots=True)
class Page:
    """The times of a page of an edit's findings in ms, median and 95th percentile."""

    edit: str
    findings: int
    page: str
    number: int
    p50: float
    p95: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--reads", type=int, default=200, help="times that each page is read")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    pages: list[Page] = []
    # In one file the findings of an edit stand on every line, in the other far apart.
    for kind in (Kind.DIRTY, Kind.FAULTY):
        with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
            pages += _pages(Path(folder), kind, options.rows, options.reads)
    if options.json:
        print(json.dumps({"rows": options.rows, "pages": [asdict(page) for page in pages]}))
    else:
        _show(pages, options.rows)


def _pages(folder: Path, kind: Kind, rows: int, reads: int) -> list[Page]:
    path = folder / "file.txt"
    files.write(path, kind, rows=rows, year=YEAR)
    measure([EDITS], path, folder, year=YEAR)
    index: dict[str, Sequence[int]] = json.loads((folder / INDEX).read_text())
    of_loans = {edit.split()[0]: at for edit, at in index.items() if edit.endswith(" lar")}
    code = max(of_loans, key=lambda code: of_loans[code][2])
    _, position, listed = of_loans[code]
    last = max(listed - 1, 0) // PAGE_ROWS
    names = ("uli", *catalogue.find_edit(code, Period(YEAR), EditLevel.LAR).fields)
    pages = []
    for page, number in (("first", 0), ("middle", last // 2), ("last", last)):
        start = position + number * PAGE_ROWS
        count = min(PAGE_ROWS, position + listed - start)
        times = [_milliseconds(path, folder, start, count, names) for _ in range(reads)]
        p50, p95 = np.percentile(times, (50, 95)).tolist()
        pages.append(Page(code, listed, page, number + 1, p50, p95))
    return pages


def _milliseconds(path: Path, folder: Path, start: int, count: int, names: Sequence[str]) -> float:
    began = time.perf_counter()
    with (folder / FINDINGS).open("rb") as findings:
        findings.seek(4 * start)
        rows = np.frombuffer(findings.read(4 * count), "<u4").tolist()
    with Lines(path, folder / OFFSETS) as lines:
        lines.fields(rows, names)
    return (time.perf_counter() - began) * 1000


def _show(pages: Sequence[Page], rows: int) -> None:
    title = f"A page of {PAGE_ROWS} findings in a file of {rows:,} rows"
    table = report.table_of(title, "edit", "page", "number", "of findings", "p50 ms", "p95 ms")
    for page in pages:
        cells = (f"{page.number:,}", f"{page.findings:,}", f"{page.p50:.2f}", f"{page.p95:.2f}")
        table.add_row(page.edit, page.page, *cells)
    out = report.console()
    out.print(f"{report.machine()}. Clocks of a shared machine are rough.\n")
    out.print(table)
    times = {page.page: page.p50 for page in pages if page.number == 1 or page.page == "last"}
    deep, most = times["last"] / times["first"], max(page.p95 for page in pages)
    report.show_checks(
        out,
        [
            report.at_most("times the first page, the last one", deep, TIMES_FIRST),
            report.at_most("ms for 95 % of the reads of the slowest page", most, LIMIT_MS),
        ],
    )


if __name__ == "__main__":
    main()
