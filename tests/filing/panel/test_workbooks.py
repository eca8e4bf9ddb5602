"""A workbook made to cost much is refused at little cost, in a sentence that says what is taken."""

from __future__ import annotations

import io
import os
import time
import zipfile
from functools import partial
from typing import Any

import openpyxl
import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.styles import Font

from filing.errors import BadInput, Refusal, TooLarge
from filing.panel import sheets
from filing.panel.xlsx_reader import WorkbookLimits
from tests.filing.panel.bad_panel import as_xlsx, lines

pytestmark = pytest.mark.slow

SHEET = "xl/worksheets/sheet1.xml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
DOCTYPE = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
READS_QUICKLY = 10.0  # seconds, on a machine with much else to do; 93 before there were limits


def sheet(data: str, *, before: str = "", dimension: str = "") -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{before}<worksheet xmlns="{MAIN}">{dimension}'
        f"<sheetData>{data}</sheetData></worksheet>"
    )


def cell(place: str, text: str = "x") -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def replaced(parts: dict[str, str | bytes]) -> bytes:
    """Return a good workbook with other content in some of its parts."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(as_xlsx(lines([])))) as good,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for name in dict.fromkeys([*good.namelist(), *parts]):
            made.writestr(name, parts[name] if name in parts else good.read(name))
    return file.getvalue()


def with_sheet(data: str, **around: str) -> bytes:
    return replaced({SHEET: sheet(data, **around)})


LAST_CELL = f'<row r="1048576">{cell("XFD1048576")}</row>'
WIDE = f'<row r="1">{cell("A1")}{cell("GS1")}</row>'
COSTLY = {
    "the last cell of a sheet": (LAST_CELL, "row 1,048,576, column 16,384"),
    "a first and a last cell": (f'<row r="1">{cell("A1")}</row>{LAST_CELL}', "row 1,048,576"),
    "a formula far down": ('<row r="900000"><c r="A900000"><f>1</f></c></row>', "row 900,000"),
    "a number far down": ('<row r="900000"><c r="A900000"><v>1</v></c></row>', "row 900,000"),
    "a row beyond all rows": (f'<row r="{10**40}">{cell("A1")}</row>', "has a value in row"),
    "too many columns": (WIDE, "row 1, column 201"),
    "columns without places": (f"<row>{'<c><v>1</v></c>' * 201}</row>", "row 1, column 201"),
}


@pytest.mark.parametrize(("data", "where"), COSTLY.values(), ids=COSTLY)
def test_a_cell_far_out_is_refused_before_the_rows_before_it_are_made_up(
    data: str, where: str
) -> None:
    content = with_sheet(data)
    began = time.monotonic()
    with pytest.raises(TooLarge) as refused:
        sheets.read_panel_file("panel.xlsx", content)
    assert time.monotonic() - began < READS_QUICKLY
    assert where in refused.value.message
    assert "A panel has at most 100,000 rows and 200 columns." in refused.value.message


def test_a_sheet_that_claims_to_be_of_any_size_is_read_as_large_as_it_is() -> None:
    book = io.BytesIO(as_xlsx(lines([])))
    with zipfile.ZipFile(book) as parts:
        written = parts.read(SHEET).decode()
    claiming = written.replace('<dimension ref="A1:N3"', '<dimension ref="A1:XFD1048576"')
    assert claiming != written
    began = time.monotonic()
    assert len(sheets.read_panel_file("panel.xlsx", replaced({SHEET: claiming})).rows) == 2
    assert time.monotonic() - began < READS_QUICKLY


def test_blank_cells_with_a_format_may_be_far_out() -> None:
    book = load_workbook(io.BytesIO(as_xlsx(lines([]))))
    for place in ("XFD1", "A1048576", "ZZ200000"):
        book.active[place].font = Font(bold=True)
    file = io.BytesIO()
    book.save(file)
    assert len(sheets.read_panel_file("panel.xlsx", file.getvalue()).rows) == 2


def test_blank_rows_between_are_left_out() -> None:
    book = Workbook()
    header, first, last = lines([])
    for place, row in ((150, header), (400, first), (900, last)):
        for column, value in enumerate(row, start=1):
            book.active.cell(place, column, value)
    file = io.BytesIO()
    book.save(file)
    assert sheets.read_panel_file("panel.xlsx", file.getvalue()).numbers == [400, 900]


WITH_ENTITIES = {
    "in the sheet": {SHEET: sheet(f'<row r="1">{cell("A1")}</row>', before=DOCTYPE)},
    "in the sheet, as UTF-16": {
        SHEET: sheet("", before=DOCTYPE).replace("UTF-8", "UTF-16").encode("utf-16")
    },
    "in the shared texts": {"xl/sharedStrings.xml": f'{DOCTYPE}<sst xmlns="{MAIN}"/>'},
    "in the styles": {"xl/styles.xml": f'{DOCTYPE}<styleSheet xmlns="{MAIN}"/>'},
    "in the list of parts": {"[Content_Types].xml": f"{DOCTYPE}<Types/>"},
    "of another file": {
        "xl/workbook.xml": '<!DOCTYPE x SYSTEM "file:///etc/passwd"><workbook/>',
    },
}


@pytest.mark.parametrize("parts", WITH_ENTITIES.values(), ids=WITH_ENTITIES)
def test_a_part_that_may_declare_entities_is_refused(parts: dict[str, str | bytes]) -> None:
    with pytest.raises(BadInput, match="has a document type declaration in ") as refused:
        sheets.read_panel_file("panel.xlsx", replaced(parts))
    assert next(iter(parts)) in refused.value.message


def test_a_workbook_packed_too_tightly_is_refused_before_it_is_unpacked() -> None:
    for parts in (
        {"xl/media/image1.png": bytes(3_000_000)},
        {f"xl/media/image{number}.png": bytes(500_000) for number in range(40)},
    ):
        with pytest.raises(TooLarge, match="unpacks to more than 200 times its size"):
            sheets.read_panel_file("panel.xlsx", replaced(dict(parts)))


def test_a_workbook_that_takes_too_long_is_given_up(monkeypatch: Any) -> None:
    many = "".join(f'<row r="{row}">{cell(f"A{row}")}</row>' for row in range(1, 90_000))
    content = with_sheet(many)
    monkeypatch.setattr(sheets, "WorkbookLimits", partial(WorkbookLimits, seconds=1))
    before, began = _children(), time.monotonic()
    with pytest.raises(TooLarge, match="takes more than 1 seconds or 1,024 MB of memory to read"):
        sheets.read_panel_file("panel.xlsx", content)
    assert time.monotonic() - began < READS_QUICKLY
    assert _children() <= before


def test_a_workbook_that_takes_too_much_memory_is_given_up(monkeypatch: Any) -> None:
    blank = "".join(f'<c r="A1" s="{each}"/>' for each in range(400_000))
    content = with_sheet(f'<row r="1">{blank}</row>')
    monkeypatch.setattr(sheets, "WorkbookLimits", partial(WorkbookLimits, memory=160 * 1024**2))
    with pytest.raises(TooLarge, match="160 MB of memory"):
        sheets.read_panel_file("panel.xlsx", content)


def test_a_long_text_that_is_named_over_and_over_is_given_up(monkeypatch: Any) -> None:
    shared = f'<sst xmlns="{MAIN}"><si><t>{os.urandom(300_000).hex()}</t></si></sst>'
    rows = "".join(f'<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>' for row in range(1, 50))
    with zipfile.ZipFile(io.BytesIO(as_xlsx(lines([])))) as parts:
        types = parts.read("[Content_Types].xml").decode()
    named = (
        '<Override PartName="/xl/sharedStrings.xml" ContentType="application/'
        'vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>'
    )
    content = replaced(
        {
            "[Content_Types].xml": types.replace("</Types>", named),
            "xl/sharedStrings.xml": shared,
            SHEET: sheet(rows),
        }
    )
    monkeypatch.setattr(sheets, "WorkbookLimits", partial(WorkbookLimits, text=10 * 1024**2))
    with pytest.raises(TooLarge, match="has more than 10 MB of text"):
        sheets.read_panel_file("panel.xlsx", content)


def test_a_workbook_is_read_by_another_process_that_ends_with_it() -> None:
    before = _children()
    assert len(sheets.read_panel_file("panel.xlsx", as_xlsx(lines([]))).rows) == 2
    assert _children() <= before


def test_parts_of_a_workbook_are_read_with_the_guarded_parser() -> None:
    assert openpyxl.DEFUSEDXML


def test_a_name_of_any_letters_is_no_matter() -> None:
    with pytest.raises(Refusal, match=r"^-W \0 ü\.xlsx cannot be read"):
        sheets.read_panel_file("-W \0 ü.xlsx", as_xlsx(lines([]))[:-200])


def _children() -> set[int]:
    """Return the processes that this one has started; other tests may have theirs."""
    with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children") as file:
        return {int(each) for each in file.read().split()}
