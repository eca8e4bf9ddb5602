"""What the records of a file come to: their number and loan amounts, by action taken.

The figures are computed when the file is read, and stored with its submission.
"""

from __future__ import annotations

from dataclasses import dataclass

from filing.lar.fields import LAR_BY_NAME
from filing.models import Submission
from filing.spreadsheets.code_texts import list_codes

_ORIGINATED = 1


@dataclass(frozen=True, slots=True)
class ActionTotal:
    """The records of one action taken, and the sum of their loan amounts in dollars."""

    code: int
    action: str
    records: int
    amount: float


@dataclass(frozen=True, slots=True)
class LoanTotals:
    """The records of a file by action taken."""

    actions: tuple[ActionTotal, ...]

    @property
    def amount(self) -> float:
        """The sum of all loan amounts, in dollars."""
        return sum(action.amount for action in self.actions)

    @property
    def originated(self) -> int:
        """The number of loans that were originated."""
        return sum(action.records for action in self.actions if action.code == _ORIGINATED)


def find_totals(submission: Submission) -> LoanTotals | None:
    """Return the totals of a file; none if it is not read, or an earlier release read it."""
    if not submission.totals:
        return None
    texts = list_codes(LAR_BY_NAME["action_taken"], submission.period.year)
    return LoanTotals(
        tuple(
            ActionTotal(int(code), texts.get(int(code), f"Code {code}"), records, amount)
            for code, (records, amount) in submission.totals.items()
        )
    )
