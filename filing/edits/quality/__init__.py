"""Quality edits of loans, a module for each section of the record."""

from filing.edits.quality import (
    action,
    applicant,
    exemption,
    geography,
    identifiers,
    income,
    loan,
    pricing,
    purchaser,
)

QUALITY = (
    *identifiers.EDITS,
    *loan.EDITS,
    *action.EDITS,
    *geography.EDITS,
    *applicant.EDITS,
    *income.EDITS,
    *purchaser.EDITS,
    *pricing.EDITS,
    *exemption.EDITS,
)
