"""Quality edits of the income, which is filed in thousands of dollars."""

from filing.edits.edit import Edit, EditKind, EditLevel, annual_only, since
from filing.edits.vocabulary import all_of, if_then, num, number, one_of

EDITS = (
    Edit(
        code="Q606",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=annual_only(2018, 2019),
        fields=("income",),
        text="Income, in thousands of dollars, should generally be less than 3,000 ($3 million).",
        holds=if_then(number("income"), num("income") < 3_000),
        breaks={"income": "3000"},
    ),
    Edit(
        code="Q606",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2020),
        fields=("income",),
        text="Income, in thousands of dollars, should generally be less than 10,000 ($10 million).",
        holds=if_then(number("income"), num("income") < 10_000),
        breaks={"income": "10000"},
    ),
    Edit(
        code="Q629",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("action_taken", "total_units", "loan_purpose", "income"),
        text=(
            "If Action Taken is 1, 2, 3, 4, 5, 7, or 8 (not a purchased loan), Total Units is 4 or "
            "less, and Loan Purpose is 1, 2, or 4 (home purchase, home improvement, or other "
            "purpose), then Income should generally not be NA."
        ),
        holds=if_then(
            all_of(
                one_of("action_taken", 1, 2, 3, 4, 5, 7, 8),
                num("total_units") <= 4,
                one_of("loan_purpose", 1, 2, 4),
            ),
            ~one_of("income", "NA"),
        ),
        breaks={"loan_purpose": 2, "income": "NA"},
    ),
)
