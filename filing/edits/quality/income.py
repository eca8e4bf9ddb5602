"""Quality edits of the income, which is filed in thousands of dollars."""

from filing.edits.edit import Edit, Kind, Level, annual_only, since
from filing.edits.vocabulary import all_of, if_then, num, number, one_of

EDITS = (
    Edit(
        code="Q606",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=annual_only(2018, 2019),
        fields=("income",),
        text="Income (in thousands) is rarely three million dollars or more.",
        holds=if_then(number("income"), num("income") < 3_000),
        breaks={"income": "3000"},
    ),
    Edit(
        code="Q606",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2020),
        fields=("income",),
        text="Income (in thousands) is rarely ten million dollars or more.",
        holds=if_then(number("income"), num("income") < 10_000),
        breaks={"income": "10000"},
    ),
    Edit(
        code="Q629",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("action_taken", "total_units", "loan_purpose", "income"),
        text=(
            "Income is normally known for non-purchased applications for purchase, improvement "
            "or other purposes on one to four units."
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
