"""Validity edits of loans, a module for each section of the record."""

from filing.edits.validity import action, geography, identifiers, loan

VALIDITY = (
    *identifiers.EDITS,
    *loan.EDITS,
    *action.EDITS,
    *geography.EDITS,
)
