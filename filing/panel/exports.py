"""Exports institutions to a file that can be imported again, without formulas in its cells."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO

from django.db.models import QuerySet

from filing.access import fields
from filing.access.fields import Readers
from filing.errors import TooLarge
from filing.files import attachments, workbooks
from filing.lar.formulas import marked
from filing.models import Institution
from filing.panel.columns import READERS
from filing.panel.resource import cell_text
from filing.panel.sheets import MOST_ROWS

# The flags of signed filings are for information: an import ignores them.
_FLAGS = [
    "hmda_filer",
    "quarterly_filer_has_filed_q1",
    "quarterly_filer_has_filed_q2",
    "quarterly_filer_has_filed_q3",
]
COLUMNS = fields.visible(Institution, [*READERS, *_FLAGS], Readers.STAFF)
_BATCH = 500


def as_csv(institutions: QuerySet[Institution]) -> Iterator[bytes]:
    """Yield a CSV in UTF-8 with a byte order mark, for spreadsheets, some rows at a time."""
    rows = ([_text(value) for value in values] for values in _rows(institutions))
    pieces = attachments.csv_pieces(chain([COLUMNS], rows), size=_BATCH)
    return (piece.encode() for piece in chain([attachments.BOM], pieces))


def as_xlsx(institutions: QuerySet[Institution]) -> BinaryIO:
    """Return a workbook in a file that is deleted when it is closed.

    Raises: TooLarge for more institutions than an import takes.
    """
    if institutions.count() > MOST_ROWS:
        raise TooLarge(
            f"There are more than {MOST_ROWS:,} institutions. Filter them, or export them as CSV."
        )
    rows = ([_cell(value) for value in values] for values in _rows(institutions))
    return workbooks.write("institutions", chain([COLUMNS], rows))


def _rows(institutions: QuerySet[Institution]) -> Iterator[tuple[Any, ...]]:
    return institutions.values_list(*COLUMNS).iterator(chunk_size=_BATCH)


def _cell(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return _text(value)


def _text(value: Any) -> str:
    """Return a value as the text of a cell, in which only a number may begin with a minus."""
    return cell_text(value) if isinstance(value, int) else marked(cell_text(value))
