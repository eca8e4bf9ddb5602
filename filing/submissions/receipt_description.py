"""What is said of a receipt wherever one is read: whether it is in force, and what was not checked.

The page, the PDF, the email, the public check and the proof say it from here. A missing rule is
never a passed rule, and a replaced receipt never one that is in force.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from filing import day_hours, standing
from filing.models import ReferenceData, Signature, Submission
from filing.receipts import documents
from filing.receipts.documents import ReceiptFact
from filing.reference_data.registry import CENSUS
from filing.statuses import FilingStatus
from filing.submissions import rules_run

_NO_RULES = "no edits: the period had no rules, which does not mean that the data passed"
_NOT_RUN, _STAND_IN = "editsNotRun", "censusStandIn"


@dataclass(frozen=True, slots=True)
class ReceiptDescription:
    """What is said of a receipt beside what was filed. It names neither the signer nor the file.

    rules: which checked the file; blank if no edit was run. unrun: each reason for which edits were
    not run, with their codes. stand_in: the year of the census that was used in place of one of the
    data year. replacement: the signature that replaced it.
    """

    rules: str
    unrun: list[tuple[str, list[str]]]
    stand_in: int | None
    replacement: Signature | None
    is_canceled: bool

    @property
    def state(self) -> str:
        """Why it is not in force; blank if it is."""
        if self.replacement:
            number = self.replacement.submission.sequence_number
            day = day_hours.describe_day(self.replacement.signed_at)
            return f"Replaced by submission {number}, filed on {day}"
        return "The filing was canceled" if self.is_canceled else ""

    def list_facts(self) -> list[ReceiptFact]:
        """Return all of it under labels."""
        facts = [ReceiptFact("State", self.state)] if self.state else []
        if self.replaced_by:
            facts.append(self.replaced_by)
        return [*facts, *self.list_checks()]

    def list_checks(self) -> list[ReceiptFact]:
        """Return which rules checked the file, and which did not."""
        facts = [ReceiptFact("Checked with", self.rules or _NO_RULES)]
        if self.stand_in:
            text = f"that of {self.stand_in}, in place of one of the data year"
            facts.append(ReceiptFact("Census", text))
        for reason, codes in self.unrun:
            facts.append(ReceiptFact("Edits not run", f"{', '.join(codes)} ({reason})"))
        return facts

    @property
    def replaced_by(self) -> ReceiptFact | None:
        """The number of the receipt that replaced it."""
        if self.replacement is None:
            return None
        return ReceiptFact("Replaced by", self.replacement.receipt, code=True)

    def as_json(self) -> dict[str, Any]:
        """Return what was not checked, as the proof and the public check have it."""
        return _name_unchecked(self.unrun, self.stand_in)


def describe_receipt(signature: Signature) -> ReceiptDescription:
    """Return what is said of the receipt of a signature.

    What was not checked is what the signing request has stored, if that release did.
    """
    submission = signature.submission
    claims = documents.read_claims(signature) or {}
    if _NOT_RUN not in claims:
        claims = make_check_claims(submission)
    replaced_by = standing.find_replacement(submission)
    is_unchecked = rules_run.was_signed_without_rules(submission)
    return ReceiptDescription(
        rules="" if is_unchecked else submission.rules_in_sentence,
        unrun=[(each["reason"], each["edits"]) for each in claims[_NOT_RUN]],
        stand_in=claims[_STAND_IN],
        replacement=replaced_by.signature if replaced_by else None,
        is_canceled=submission.filing.status == FilingStatus.CANCELLED,
    )


def make_check_claims(submission: Submission) -> dict[str, Any]:
    """Return what the receipt of a submission certifies of what was not checked."""
    unrun = rules_run.group_reasons_not_run(rules_run.find_unrun_edits(submission))
    return _name_unchecked(unrun, _find_stand_in(submission))


def _name_unchecked(unrun: list[tuple[str, list[str]]], stand_in: int | None) -> dict[str, Any]:
    edits = [{"reason": reason, "edits": codes} for reason, codes in unrun]
    return {_NOT_RUN: edits, _STAND_IN: stand_in}


def _find_stand_in(submission: Submission) -> int | None:
    """Return the year of the census that checked a submission, if it is not its own."""
    if not submission.census_run:
        return None
    files = ReferenceData.objects.filter(kind=CENSUS, path=submission.census_run)
    year: int | None = files.values_list("year", flat=True).first()
    return None if year == submission.period.year else year
