"""Quality edits of the loan: purpose and amount."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import if_then, num, one_of

EDITS = (
    Edit(
        code="Q607",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("loan_amount", "lien_status"),
        text=(
            "If Lien Status is 2 (subordinate lien), then Loan Amount should generally be $250,000 "
            "or less."
        ),
        holds=if_then(one_of("lien_status", 2), num("loan_amount") <= 250_000),
        breaks={"lien_status": 2, "loan_amount": "250000.01"},
    ),
    Edit(
        code="Q613",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("business_or_commercial_purpose", "loan_purpose"),
        text=(
            "If Business or Commercial Purpose is 1, then Loan Purpose should generally be 1, 2, "
            "31, 32, or 5 (not other purpose)."
        ),
        holds=if_then(
            one_of("business_or_commercial_purpose", 1),
            one_of("loan_purpose", 1, 2, 31, 32, 5),
        ),
        breaks=examples.BUSINESS_PURPOSE | {"loan_purpose": 4},
    ),
)
