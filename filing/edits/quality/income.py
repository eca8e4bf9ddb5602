"""Quality edits of the income, which is filed in thousands of dollars."""

from filing.edits.edit import Edit, Kind, Level, annual_only, since
from filing.edits.vocabulary import if_then, num, number

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
)
