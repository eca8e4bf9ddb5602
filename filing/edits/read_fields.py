"""The fields that the rule of an edit reads, and the paragraphs of Regulation C behind them.

The bureau may list other fields for an edit.
"""

from __future__ import annotations

from collections.abc import Iterator

from filing.edits.edit import Edit, EditLevel, KnownFigure, RecordCount, RepeatCount
from filing.edits.repeats import WHOLE_LINE
from filing.edits.sentences import ColumnValue, Condition
from filing.edits.trees import columns_read
from filing.lar import regulation
from filing.lar.fields import LAR_BY_NAME, SHEET_PREFIX, TS_BY_NAME, WHOLE_ROW

_EXEMPTION = ("Q646", "Q647", "Q656", "Q657", *(f"V{number}" for number in range(709, 716)))
# The paragraph of an edit beside those of its fields.
_FURTHER = dict.fromkeys(_EXEMPTION, regulation.PARTIAL_EXEMPTION) | {
    "S302": regulation.ANNUAL_REPORTING,
    "S307": regulation.QUARTERLY_REPORTING,
    "V602": regulation.ANNUAL_REPORTING,
    "V609": regulation.CHECK_DIGITS,
    "V718": regulation.QUARTERLY_REPORTING,
}


def fields_read(edit: Edit) -> tuple[str, ...]:
    """Return the fields that the rule reads: of loans in file order, then of the transmittal sheet.

    They are named as the fields of an edit; `ts.` leads one of the transmittal sheet that loans
    have as well. Facts of the period and of the panel are not fields.
    """
    names = {_field(column) for column in _columns(edit)}
    return tuple(sorted(filter(None, names), key=lambda name: _place(edit, name)))


def reads_as_listed(edit: Edit) -> bool:
    """Return whether the rule reads exactly the fields that the bureau lists for the edit."""
    return set(fields_read(edit)) == set(edit.fields)


def _columns(edit: Edit) -> Iterator[str]:
    """Yield the columns that the rule and its figures are computed from."""
    yield from _roots(edit.holds) - set(edit.figures)
    for figure in edit.figures.values():
        match figure:
            case KnownFigure(str(name)):
                yield name
            case RepeatCount(of, where):
                yield from _roots(of)
                yield from _roots(where)
            case RecordCount(where):
                yield from _roots(where)


def _roots(words: Condition | ColumnValue | None) -> frozenset[str]:
    return columns_read(words.node) if words else frozenset()


def _field(column: str) -> str:
    """Return the field of a column; a blank if the column is not of a field."""
    if column == WHOLE_LINE:
        return WHOLE_ROW
    of_sheet = column.removeprefix(SHEET_PREFIX)
    if column != of_sheet:
        return column if of_sheet in LAR_BY_NAME else of_sheet
    return column if column in LAR_BY_NAME or column in TS_BY_NAME else ""


def _place(edit: Edit, name: str) -> tuple[bool, int]:
    of_loan = edit.level is not EditLevel.TS and name in LAR_BY_NAME
    if name == WHOLE_ROW or of_loan:
        return False, LAR_BY_NAME[name].number if of_loan else 0
    return True, TS_BY_NAME[name.removeprefix(SHEET_PREFIX)].number


def cite_edit(edit: Edit) -> str:
    """Return the citation of the fields that the rule reads; a blank for the file format alone."""
    paragraphs = {_paragraph(edit, name) for name in fields_read(edit)}
    paragraphs.add(_FURTHER.get(edit.code, ""))
    return regulation.cite_paragraphs(filter(None, paragraphs))


def _paragraph(edit: Edit, name: str) -> str:
    """Return the paragraph of a field that the edit reads; a blank if it has none."""
    if name == WHOLE_ROW:
        return regulation.ALL_DATA
    if edit.level is not EditLevel.TS and name in LAR_BY_NAME:
        return regulation.RECORD_PARAGRAPHS.get(name, "")
    return regulation.SHEET_PARAGRAPHS.get(name.removeprefix(SHEET_PREFIX), "")
