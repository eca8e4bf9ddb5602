"""Writes institutions to a file that can be imported again, without formulas in its cells."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from django.db.models import QuerySet
from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from filing.errors import TooLarge
from filing.lar.formulas import marked
from filing.models import Institution
from filing.panel.columns import READERS
from filing.panel.resource import shown
from filing.panel.sheets import MOST_ROWS

# The flags of what was filed are for people: an import leaves them as they are.
COLUMNS = [
    *READERS,
    "hmda_filer",
    "quarterly_filer_has_filed_q1",
    "quarterly_filer_has_filed_q2",
    "quarterly_filer_has_filed_q3",
]
_ROWS_AT_A_TIME = 500


def as_csv(institutions: QuerySet[Institution]) -> Iterator[bytes]:
    """Yield a CSV in UTF-8, with the mark by which spreadsheets know it, some rows at a time."""
    yield b"\xef\xbb\xbf"
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for number, values in enumerate(_rows(institutions), start=1):
        writer.writerow([_text(value) for value in values])
        if number % _ROWS_AT_A_TIME == 0:
            yield _taken(text)
    yield _taken(text)


def as_xlsx(institutions: QuerySet[Institution]) -> BinaryIO:
    """Return a workbook in a file that is gone when it is closed.

    Raises: TooLarge for more institutions than an import takes.
    """
    if institutions.count() > MOST_ROWS:
        raise TooLarge(f"These are more than {MOST_ROWS:,} institutions: filter them, or take CSV.")
    book = Workbook(write_only=True)
    sheet = book.create_sheet("institutions")
    sheet.append(COLUMNS)
    for values in _rows(institutions):
        sheet.append([_cell(value) for value in values])
    file = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the answer that sends it
    book.save(file)
    file.seek(0)
    return file


def _rows(institutions: QuerySet[Institution]) -> Iterator[tuple[Any, ...]]:
    return institutions.values_list(*COLUMNS).iterator(chunk_size=_ROWS_AT_A_TIME)


def _cell(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return ILLEGAL_CHARACTERS_RE.sub("\N{REPLACEMENT CHARACTER}", _text(value))


def _text(value: Any) -> str:
    """Return a value as the text of a cell: a number may begin with a minus, nothing else."""
    return shown(value) if isinstance(value, int) else marked(shown(value))


def _taken(text: io.StringIO) -> bytes:
    taken = text.getvalue().encode()
    text.seek(0)
    text.truncate()
    return taken
