"""`python bench/costly_files.py`: a filer beside callers who send small files that cost much.

It runs its own service. A filer uploads a file, reads its status until it was checked, and begins
again; meanwhile callers without an account send the public tools what costs them most. It prints
the times of the filer as ratios to those without such callers.
"""

from __future__ import annotations

import argparse
import io
import statistics
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import httpx
import xlsxwriter

from bench import files, report
from bench.files import Kind
from bench.service import Service, lei_of
from filing.lar.years import Period
from filing.statuses import Status

YEAR = 2024
LIMIT = 1.2  # times the filer's own times
CALLERS = 2  # at the same time
_CHECKED = (
    *(Status.PARSED_WITH_ERRORS, Status.SYNTACTICAL_OR_VALIDITY_ERRORS, Status.QUALITY_ERRORS),
    *(Status.MACRO_ERRORS, Status.VERIFIED),
)
_CONVERT = "/v2/public/lar/convert"
_PARSE, _VALIDATE = "/v2/public/hmda/parse", f"/v2/public/hmda/validate/{YEAR}"


def make_workbook(rows: int, columns: int, text: str) -> bytes:
    """Return a workbook in which one text is in every cell, stored once."""
    content = io.BytesIO()
    with xlsxwriter.Workbook(content) as book:
        sheet = book.add_worksheet()
        for row in range(rows):
            sheet.write_row(row, 0, [text] * columns)
    return content.getvalue()


def make_faulty_workbook(cells: int) -> bytes:
    """Return a workbook whose cells are errors, each as short as a cell can be."""
    content = io.BytesIO(make_workbook(1, 1, "x"))
    result = io.BytesIO()
    deflated = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(content) as before, zipfile.ZipFile(result, "w", deflated) as to:
        for name in before.namelist():
            part = before.read(name)
            if name.endswith("sheet1.xml"):
                begin, end = part.split(b"<sheetData>")[0], part.split(b"</sheetData>")[1]
                row = b'<row r="1">' + b'<c t="e"/>' * cells + b"</row>"
                part = begin + b"<sheetData>" + row + b"</sheetData>" + end
            to.writestr(name, part)
    return result.getvalue()


# What is sent where: the file's name says how it is read.
COSTLY: dict[str, tuple[str, str, Callable[[], bytes]]] = {
    "one text in 90,000 cells": (_CONVERT, "a.xlsx", lambda: make_workbook(900, 100, "x" * 10_000)),
    "100,000 error cells": (_CONVERT, "a.xlsx", lambda: make_faulty_workbook(100_000)),
    "a CSV of 45 MB": (_CONVERT, "a.csv", lambda: b"a,b,c\n" + b"1,2,3\n" * 7_500_000),
    "tiny lines, parsed": (_PARSE, "a.txt", lambda: b"2\n" * 2_500_000),
    "tiny lines, checked": (_VALIDATE, "a.txt", lambda: b"2\n" * 2_500_000),
}


@dataclass
class FilerTimes:
    """How long a filer waited, in milliseconds."""

    status: list[float] = field(default_factory=list)
    check: list[float] = field(default_factory=list)


class Filer:
    """Uploads one file again and again, and reads its status."""

    def __init__(self, service: Service, path: Path) -> None:
        lei = lei_of(1)
        token = service.manage("token", "--lei", lei, "--minutes", "600").strip()
        self._client = httpx.Client(
            base_url=f"{service.stack.url}/v2/filing/institutions/{lei}/filings/{YEAR}/submissions",
            headers={"Authorization": f"Bearer {token}"},
            timeout=120,
            trust_env=False,
        )
        self._content = path.read_bytes()

    def file_for(self, seconds: float) -> FilerTimes:
        """File for a while and return the times."""
        times, until = FilerTimes(), time.monotonic() + seconds
        while time.monotonic() < until:
            number = self._client.post("").raise_for_status().json()["id"]["sequenceNumber"]
            self._client.post(
                f"/{number}", files={"file": ("lar.txt", self._content)}
            ).raise_for_status()
            began = time.perf_counter()
            while not self._is_checked(number, times):
                time.sleep(0.05)
            times.check.append(1000 * (time.perf_counter() - began))
        return times

    def _is_checked(self, number: int, times: FilerTimes) -> bool:
        began = time.perf_counter()
        answer = self._client.get(f"/{number}").raise_for_status().json()
        times.status.append(1000 * (time.perf_counter() - began))
        return answer["status"]["code"] in _CHECKED


@contextmanager
def callers(url: str, address: str, name: str, content: bytes) -> Iterator[list[int]]:
    """Send a file again and again from several threads; yields the statuses of the answers."""
    over, statuses = threading.Event(), []

    def call() -> None:
        with httpx.Client(base_url=url, timeout=300, trust_env=False) as client:
            while not over.is_set():
                answer = client.post(address, files={"file": (name, content)})
                statuses.append(answer.status_code)

    threads = [threading.Thread(target=call, daemon=True) for _ in range(CALLERS)]
    for thread in threads:
        thread.start()
    yield statuses
    over.set()
    for thread in threads:
        thread.join()


def main() -> int:
    """Measure and print; return 1 if the filer waited longer than the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="for each of the runs")
    parser.add_argument("--rows", type=int, default=1000, help="of the filer's file")
    options = parser.parse_args()
    out = report.console()
    table = report.table_of(
        "A filer beside costly files", "callers send", "answers", "status ms", "ratio", "check ms",
        "ratio",
    )  # fmt: skip
    worst = 0.0
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
        path = Path(folder, "lar.txt")
        files.write(path, Kind.CLEAN, rows=options.rows, year=YEAR)
        service = Service(Path(folder), Period(YEAR))
        service.prepare([lei_of(1)])
        service.stack.start()
        try:
            filer = Filer(service, path)
            filer.file_for(5)
            for name, (address, file_name, make) in COSTLY.items():
                content = make()
                alone = filer.file_for(options.seconds)
                with callers(service.stack.url, address, file_name, content) as statuses:
                    time.sleep(1)
                    beside = filer.file_for(options.seconds)
                later = filer.file_for(options.seconds / 2)
                cells = [name, ", ".join(f"{n}: {statuses.count(n)}" for n in sorted({*statuses}))]
                for own, with_callers in (
                    (alone.status + later.status, beside.status),
                    (alone.check + later.check, beside.check),
                ):
                    ratio = statistics.median(with_callers) / statistics.median(own)
                    worst = max(worst, ratio)
                    cells += [f"{statistics.median(with_callers):,.0f}", f"{ratio:.2f}"]
                table.add_row(*cells)
        finally:
            service.stack.stop()
    out.print(table)
    out.print(f"The worst ratio is {worst:.2f}; at most {LIMIT} is wanted.")
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
