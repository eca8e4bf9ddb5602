"""Workbooks: written row by row, or with one sheet and sent while they are written."""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO
from xml.sax.saxutils import escape

import polars as pl

MOST_ROWS = 1_048_576  # of a sheet, with its header (Microsoft Excel specifications and limits)
MOST_CHARACTERS = 32_767  # of a cell
MOST_BYTES = (1 << 31) - (64 << 20)  # of the sheet; beyond that a zip needs another form

_PIECE_BYTES = 1 << 18
_ILLEGAL = "[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]"  # in XML, and so in any workbook
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/>'
    "</Types>",
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    "</Relationships>",
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    "</Relationships>",
}
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def stream_workbook(
    title: str, header: Sequence[str], frames: Iterable[pl.DataFrame]
) -> Iterator[bytes]:
    """Yield a workbook: a header, then the rows of frames with these columns, texts and numbers.

    Rows beyond the limits of a sheet are left out, and a note in the last row says so. Characters
    that no workbook can have are replaced, and texts that are too long are cut. Texts that a
    spreadsheet would read as formulas are not guarded here.
    """
    out = _Out()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        book = (
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
            f'<sheet name="{escape(title)}" sheetId="1" r:id="rId1"/></sheets></workbook>'
        )
        for name, text in {**_PARTS, "xl/workbook.xml": book}.items():
            archive.writestr(name, _XML + text)
        with archive.open("xl/worksheets/sheet1.xml", "w") as sheet:
            sheet.write(f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            for rows in _rows(header, frames):
                sheet.write(rows)
                if out.size >= _PIECE_BYTES:
                    yield out.take()
            sheet.write(b"</sheetData></worksheet>")
    yield out.take()


def _rows(header: Sequence[str], frames: Iterable[pl.DataFrame]) -> Iterator[bytes]:
    """Yield the rows of a sheet as XML, as many as it can hold."""
    yield _texts(header)
    rows_left, size = MOST_ROWS - 2, 0  # without the header and the note in the last row
    for frame in frames:
        data = _xml(frame.head(rows_left).select(header))
        if frame.height > rows_left or size + len(data) > MOST_BYTES:
            if size + len(data) <= MOST_BYTES:
                yield data
            yield _texts(
                ["This workbook is incomplete: a sheet cannot hold more. Download the CSV."]
            )
            return
        rows_left, size = rows_left - frame.height, size + len(data)
        yield data


def _xml(frame: pl.DataFrame) -> bytes:
    cells = [
        _text_cell(name) if dtype == pl.String else _number_cell(name)
        for name, dtype in frame.schema.items()
    ]
    row = pl.concat_str(pl.lit("<row>"), *cells, pl.lit("</row>"))
    return "".join(frame.select(row=row)["row"].to_list()).encode()


def _text_cell(name: str) -> pl.Expr:
    text = pl.col(name).fill_null("").str.head(MOST_CHARACTERS)
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#13;")):
        text = text.str.replace_all(sign, entity, literal=True)
    text = text.str.replace_all(_ILLEGAL, "\N{REPLACEMENT CHARACTER}")
    start, end = '<c t="inlineStr"><is><t xml:space="preserve">', "</t></is></c>"
    return pl.concat_str(pl.lit(start), text, pl.lit(end))


def _number_cell(name: str) -> pl.Expr:
    number = pl.concat_str(pl.lit("<c><v>"), pl.col(name).cast(pl.String), pl.lit("</v></c>"))
    return number.fill_null("<c/>")


def _texts(texts: Sequence[str]) -> bytes:
    return _xml(pl.DataFrame([texts], schema=[str(at) for at in range(len(texts))], orient="row"))


def frame_cells(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> pl.DataFrame:
    """Return rows of cells as a frame for `stream_workbook`: columns of numbers, others as text."""
    columns = zip(*rows, strict=True) if rows else [()] * len(header)
    return pl.DataFrame([_column(name, cells) for name, cells in zip(header, columns, strict=True)])


def _column(name: str, cells: Sequence[Any]) -> pl.Series:
    if {type(cell) for cell in cells} - {type(None)} == {int}:
        return pl.Series(name, cells, dtype=pl.Int64)
    texts = [None if cell is None else str(cell) for cell in cells]
    return pl.Series(name, texts, dtype=pl.String)


class _Out:
    """A file in memory whose data is taken out piece by piece."""

    def __init__(self) -> None:
        self._data: list[bytes] = []
        self.size = 0

    def write(self, data: bytes) -> int:
        self._data.append(bytes(data))
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def take(self) -> bytes:
        """Return the data written since the last call."""
        data, self._data, self.size = b"".join(self._data), [], 0
        return data


def write_workbook(sheets: Mapping[str, Iterable[Iterable[Any]]]) -> BinaryIO:
    """Return a workbook in a file that is deleted when it is closed.

    sheets: the rows of each by its title.

    Characters that no workbook can have are replaced. Texts that a spreadsheet would read as
    formulas are not guarded here.
    """
    from openpyxl import Workbook  # every command would wait for it, and few write a workbook

    book = Workbook(write_only=True)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append([_printable(value) for value in row])
    file = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the answer that sends it
    book.save(file)
    file.seek(0)
    return file


def _printable(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return re.sub(_ILLEGAL, "\N{REPLACEMENT CHARACTER}", value)
