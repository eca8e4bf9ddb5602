"""Quality edits of the loan: purpose and amount."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, since
from filing.edits.vocabulary import if_then, num, one_of

EDITS = (
    Edit(
        code="Q607",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("loan_amount", "lien_status"),
        text="Subordinate-lien amounts above 250,000 dollars are unusual.",
        holds=if_then(one_of("lien_status", 2), num("loan_amount") <= 250_000),
        breaks={"lien_status": 2, "loan_amount": "250000.01"},
    ),
    Edit(
        code="Q613",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("business_or_commercial_purpose", "loan_purpose"),
        text=(
            "A business-purpose loan is reportable only as purchase, improvement or "
            "refinancing, so purpose 'other' is doubtful."
        ),
        holds=if_then(
            one_of("business_or_commercial_purpose", 1),
            one_of("loan_purpose", 1, 2, 31, 32, 5),
        ),
        breaks=examples.BUSINESS_PURPOSE | {"loan_purpose": 4},
    ),
)
