"""Any bytes as a panel file: rows and what is wrong with them, or a refusal of the whole file."""

from __future__ import annotations

import io
import signal
import zipfile
from datetime import date, datetime, time
from io import StringIO
from pathlib import Path
from random import Random

import pytest
from django.core.management import CommandError, call_command
from openpyxl import Workbook
from openpyxl.styles import Font

from filing.errors import BadInput, TooLarge
from filing.models import Institution
from filing.panel import sheets
from filing.panel.sheets import PanelSheet
from filing.panel.xlsx_reader import REFUSED, WorkbookLimits
from tests.filing.panel.bad_panel import as_csv, as_xlsx, lines
from tests.filing.panel.many_workbooks import Ending, readers
from tests.fuzzing import made, share, try_each

pytestmark = pytest.mark.slow

LIMITS = WorkbookLimits(rows=1_000, seconds=10)
SHEET = "xl/worksheets/sheet1.xml"
WHOLE_ONE_IN = 20  # so many workbooks are read as an import reads them
PANEL = lines([])
MARKUP = (
    *(b'r="A1"', b'r="XFD1048576"', b'r="A0"', b'r="1"', b'r=""', b'r="ZZZZ9"', b'r="-1"'),
    *(b't="s"', b't="n"', b't="b"', b't="d"', b't="e"', b't="str"', b't="inlineStr"', b't="x"'),
    *(b's="0"', b's="1"', b's="99999999"', b's="-1"', b"<v>1e309</v>", b"<v>NaN</v>", b"<v></v>"),
    *(b"<v>99999999999999999999</v>", b"<v>-1</v>", b"<v>60.5</v>", b"<f>A1</f>", b"<is><t/></is>"),
    *(b"<row/>", b"</row>", b'<row r="5">', b"<c/>", b"<c>", b"</c>", b"<mergeCell/>", b"<!--"),
    *(b"<![CDATA[", b"]]>", b"&lt;", b"&#0;", b"&#x10FFFF;", b"&unknown;", b"<?xml?>", b"<x:y/>"),
    *(b"<!DOCTYPE x>", b'xml:space="preserve"', b"numFmtId=", b'count="99999999"', b"_x0000_"),
    *(b"date1904=", b'state="hidden"', b"rId1", b"rId99", b"../../etc/passwd", b"http://x/"),
)


def with_every_kind_of_cell() -> bytes:
    book = Workbook()
    for row in PANEL:
        book.active.append(row)
    book.active.append([1, 1.5, True, None, date(2024, 1, 2), time(4, 5)])
    book.active.append([datetime(2024, 1, 2, 3)])  # noqa: DTZ001 -- a cell has no time zone
    book.active.append(["=1+1", "#N/A", "x" * 300, 10**15, -0.0, "1", "é"])
    for cell in book.active[2]:
        cell.font = Font(bold=True)
    book.create_sheet("Empty")
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


VALID = [as_xlsx(PANEL), with_every_kind_of_cell()]


def part_changed(content: bytes, draw: Random) -> bytes:
    """Return a workbook of which one part is changed, still packed as it should be."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as book:
            parts = {name: book.read(name) for name in book.namelist()}
    except Exception:  # it is none any more
        return content
    if not parts:
        return content
    name = draw.choice([*parts, *[SHEET] * 5 * (SHEET in parts)])
    way = draw.randrange(8)
    if way == 0:
        del parts[name]
    elif way == 1:
        parts[draw.choice([*parts])] = parts[name]
    else:
        parts[name] = made([parts[name]], draw, [markup_changed] * 9)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        for other, data in parts.items():
            book.writestr(other, data)
    return file.getvalue()


def markup_changed(data: bytes, draw: Random) -> bytes:
    """Return XML with something put in, or in the place of something, where its tags end."""
    places = [at for at, byte in enumerate(data) if byte in b'<>" '] or [0]
    begin = draw.choice(places)
    end = draw.choice((begin, begin, draw.choice(places)))
    more = draw.choice(MARKUP) if draw.randrange(4) else b""
    return data[:begin] + more + data[max(begin, end) :]


def test_the_reader_of_workbooks_reads_or_refuses_any_workbook(fuzz_inputs: range) -> None:
    with readers(LIMITS.as_json()) as process:

        def attempt(data: bytes, draw: Random) -> str:
            return result_of(process.read(data))

        results = try_each(
            share(fuzz_inputs, 4), VALID, attempt, name="workbooks", changes=[part_changed] * 50
        )
    assert set(results) >= {"read", "refused"}


def result_of(ending: Ending) -> str:
    """Return what the reader did: nothing else than this may happen to it."""
    assert ending.code != -signal.SIGXCPU, f"more than {LIMITS.seconds} seconds"
    assert ending.code in (0, REFUSED), ending
    assert bool(ending.said) == (ending.code == REFUSED), ending
    return "refused" if ending.code else "read"


def read(data: bytes, draw: Random) -> str:
    """Read a file as an import does."""
    try:
        sheet = sheets.read_panel_file("panel", data)
    except (BadInput, TooLarge) as refusal:
        message = refusal.message
    else:
        check(sheet)
        return "read"
    assert message[-1] in ".'", message
    return "refused"


def check(sheet: PanelSheet) -> None:
    """Every row has a number and a cell for each column, or a reason."""
    assert len(sheet.rows) == len(sheet.numbers)
    assert all(len(row) == len(sheet.columns) for row in sheet.rows)
    assert all(reason for reasons in sheet.faults.values() for reason in reasons)
    numbers = sorted([*sheet.numbers, *sheet.faults])
    assert len(set(numbers)) == len(numbers)


def test_any_bytes_are_a_panel_or_refused(fuzz_inputs: range) -> None:
    results = try_each(fuzz_inputs, [as_csv(PANEL), as_csv(PANEL * 9)], read, name="panel as CSV")
    assert set(results) == {"read", "refused"}


def test_any_workbook_is_a_panel_or_refused(fuzz_inputs: range) -> None:
    changes = [part_changed] * 50
    numbers = share(fuzz_inputs, 4 * WHOLE_ONE_IN)
    results = try_each(numbers, VALID, read, name="panel as XLSX", changes=changes)
    assert set(results) == {"read", "refused"}


@pytest.mark.django_db
def test_any_panel_is_loaded_or_refused_with_a_sentence(tmp_path: Path, fuzz_inputs: range) -> None:
    def attempt(data: bytes, draw: Random) -> str:
        path = tmp_path / "panel.csv"
        path.write_bytes(data)
        said = StringIO()
        try:
            call_command("load_institutions", str(path), stdout=said)
        except CommandError:
            return "refused"
        assert "rows read" in said.getvalue()
        return "loaded"

    results = try_each(
        share(fuzz_inputs, 4), [as_csv(PANEL * 2)], attempt, name="load_institutions"
    )
    assert set(results) == {"loaded", "refused"}
    assert Institution.objects.exists()
