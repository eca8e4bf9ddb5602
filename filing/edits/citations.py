"""The paragraphs of Regulation C behind an edit."""

from __future__ import annotations

from filing.edits.edit import Edit, Level
from filing.edits.read_fields import fields_read
from filing.lar import regulation
from filing.lar.fields import LAR_BY_NAME, WHOLE_ROW

_EXEMPTION = ("Q646", "Q647", "Q656", "Q657", *(f"V{number}" for number in range(709, 716)))
# The paragraph of an edit beside those of its fields.
_FURTHER = dict.fromkeys(_EXEMPTION, regulation.PARTIAL_EXEMPTION) | {
    "S302": regulation.ANNUAL_REPORTING,
    "S307": regulation.QUARTERLY_REPORTING,
    "V602": regulation.ANNUAL_REPORTING,
    "V609": regulation.CHECK_DIGITS,
    "V718": regulation.QUARTERLY_REPORTING,
}


def citation(edit: Edit) -> str:
    """Return the citation of the fields that the rule reads; a blank for the file format alone."""
    paragraphs = {_paragraph(edit, name) for name in fields_read(edit)}
    paragraphs.add(_FURTHER.get(edit.code, ""))
    return regulation.citation(filter(None, paragraphs))


def _paragraph(edit: Edit, name: str) -> str:
    """Return the paragraph of a field that the edit reads; a blank if it has none."""
    if name == WHOLE_ROW:
        return regulation.ALL_DATA
    if edit.level is not Level.TS and name in LAR_BY_NAME:
        return regulation.RECORD_PARAGRAPHS.get(name, "")
    return regulation.SHEET_PARAGRAPHS.get(name.removeprefix("ts."), "")
