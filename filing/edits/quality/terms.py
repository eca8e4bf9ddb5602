"""Quality edits of the terms of a loan: its length in months."""

from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import if_then, num, number

EDITS = (
    Edit(
        code="Q658",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2022),
        fields=("loan_term",),
        text="If Loan Term is a number, then it should generally be 600 months or less.",
        holds=if_then(number("loan_term"), num("loan_term") <= 600),
        breaks={"loan_term": "601"},
    ),
)
