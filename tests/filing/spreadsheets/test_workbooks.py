"""A workbook made to cost much is refused at little cost, and broken ones never crash a reader."""

from __future__ import annotations

import io
import random
import time
import zipfile
from pathlib import Path

import pytest

from filing.spreadsheets.accepted_files import MEGABYTE, ReadingLimits, SpreadsheetRefusal
from filing.spreadsheets.confined_conversion import match_columns
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.reading import open_table
from tests.filing.spreadsheets import books

HEADERS = ["Loan Type", "Loan Amount", "County", "State", "Income"]
SHEET = "xl/worksheets/sheet1.xml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
READS_QUICKLY = 20.0  # seconds, on a machine with much else to do
TIGHT = ReadingLimits(size=5 * MEGABYTE, memory=512 * MEGABYTE, seconds=20)


@pytest.fixture
def good(tmp_path: Path) -> bytes:
    return books.xlsx(tmp_path / "good", {"Loans": [HEADERS, ["1"] * 5]}).read_bytes()


def replaced(good: bytes, part: str, content: bytes) -> bytes:
    """Return a workbook with other content in one of its parts."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(good)) as parts,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for name in parts.namelist():
            made.writestr(name, content if name == part else parts.read(name))
    return file.getvalue()


def sheet(data: str, before: str = "") -> bytes:
    head = f'<?xml version="1.0" encoding="UTF-8"?>{before}<worksheet xmlns="{MAIN}">'
    return f"{head}<sheetData>{data}</sheetData></worksheet>".encode()


def read_apart(path: Path, limits: ReadingLimits) -> None:
    """Read a file as the service does, in a process of its own."""
    match_columns(path, mapping={}, options=ConversionOptions(), limits=limits)


def refusal(path: Path, data: bytes, limits: ReadingLimits = TIGHT) -> SpreadsheetRefusal:
    path.write_bytes(data)
    begin = time.monotonic()
    with pytest.raises(SpreadsheetRefusal) as refused:
        read_apart(path, limits)
    assert time.monotonic() - begin < READS_QUICKLY
    return refused.value


def status(path: Path, data: bytes) -> int:
    """Return the status of a file that is read, or refused."""
    path.write_bytes(data)
    try:
        read_apart(path, TIGHT)
    except SpreadsheetRefusal as refused:
        return refused.status
    return 200


def test_a_value_in_the_last_cell_of_a_sheet(good: bytes, tmp_path: Path) -> None:
    far = '<row r="1048576"><c r="{}1048576"><v>1</v></c></row>'
    first = '<row r="1"><c r="A1"><v>1</v></c></row>'
    wide = replaced(good, SHEET, sheet(first + far.format("XFD")))
    assert refusal(tmp_path / "a", wide).status == 413
    long = replaced(good, SHEET, sheet(first + far.format("IV")))
    assert refusal(tmp_path / "b", long).status in (400, 413)


def test_entities_are_not_expanded(good: bytes, tmp_path: Path) -> None:
    entities = '<!DOCTYPE x [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    cell = '<row r="1"><c r="A1" t="inlineStr"><is><t>&b;</t></is></c></row>'
    data = replaced(good, SHEET, sheet(cell, entities))
    assert refusal(tmp_path / "a", data).status in (400, 415)
    book = replaced(good, "xl/workbook.xml", f"{entities}<workbook>&b;</workbook>".encode())
    assert refusal(tmp_path / "b", book).status in (400, 415)


def test_very_much_text_in_one_cell(good: bytes, tmp_path: Path) -> None:
    text = f'<row r="1"><c r="A1" t="inlineStr"><is><t>{"x" * (25 * MEGABYTE)}</t></is></c></row>'
    data = replaced(good, SHEET, sheet(text))
    assert refusal(tmp_path / "a", data, ReadingLimits(size=MEGABYTE)).status == 413


def test_the_limits_of_the_system_end_a_reader(good: bytes, tmp_path: Path) -> None:
    rows = "".join(
        f'<row r="{n}">' + "".join(f'<c r="{c}{n}"><v>1</v></c>' for c in "ABCDEFGH") + "</row>"
        for n in range(1, 60_000)
    )
    data = replaced(good, SHEET, sheet(rows))
    little = ReadingLimits(size=5 * MEGABYTE, memory=64 * MEGABYTE)
    assert refusal(tmp_path / "a", data, little).status == 413


def test_one_long_text_in_very_many_cells(tmp_path: Path) -> None:
    rows = [HEADERS, *[["x" * 10_000] * 5] * 30]
    for kind, writer in (("xlsx", books.xlsx), ("xls", books.xls), ("ods", books.ods)):
        path = writer(tmp_path / kind, {"Loans": rows})
        assert path.stat().st_size < 2 * MEGABYTE
        refused = refusal(path, path.read_bytes(), ReadingLimits(text=MEGABYTE))
        assert (refused.status, "1,048,576 characters" in refused.message) == (413, True)
        assert open_table(path, limits=ReadingLimits(text=2 * MEGABYTE)).rows.len() == 30


CELLS = {
    "that close themselves": '<c t="e"/>' * 100_000,
    "with one attribute many times": "<c " + 't="e" ' * 150_000,
    "with values that do not end": '<c t="e">' + "<v>" * 300_000,
    "with very many blanks": '<c r="A1"><f/>' + " " * 900_000,
}


@pytest.mark.parametrize("cells", CELLS.values(), ids=CELLS)
def test_cells_that_are_made_to_be_searched_for_minutes(
    cells: str, good: bytes, tmp_path: Path
) -> None:
    """With time as the square of the cells, each of these takes longer than the reader may."""
    data = replaced(good, SHEET, sheet(f'<row r="1"><c r="A1"><v>1</v></c>{cells}</row>'))
    assert len(data) < 100_000
    assert refusal(tmp_path / "a", data).status in (400, 415)


def test_a_sheet_whose_name_is_a_book(tmp_path: Path) -> None:
    path = books.ods(tmp_path / "file", {"Loans" * 100: [HEADERS, ["1"] * 5]})
    assert refusal(path, path.read_bytes()).status == 413


@pytest.mark.parametrize("seed", range(4))
def test_broken_bytes_are_refused_or_read(seed: int, good: bytes, tmp_path: Path) -> None:
    chance = random.Random(seed)
    data = bytearray(good)
    for _ in range(chance.choice((1, 5, 50))):
        data[chance.randrange(len(data))] = chance.randrange(256)
    if seed % 3 == 0:
        data = data[: chance.randrange(len(data))]
    assert status(tmp_path / "file", bytes(data)) in (200, 400, 413, 415)


@pytest.mark.parametrize("writer", [books.xls, books.ods], ids=["xls", "ods"])
@pytest.mark.parametrize("seed", range(2))
def test_broken_bytes_of_other_kinds(seed: int, writer: books.Writer, tmp_path: Path) -> None:
    path = writer(tmp_path / "file", {"Loans": [HEADERS, ["1"] * 5]})
    chance = random.Random(seed)
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 20, 200))):
        data[chance.randrange(len(data))] = chance.randrange(256)
    assert status(path, bytes(data)) in (200, 400, 413, 415)
