"""Validity edits of the flags: reverse mortgage, open-end line of credit, business purpose."""

from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import one_of

EDITS = (
    Edit(
        code="V706",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("reverse_mortgage",),
        text="Reverse Mortgage must be 1, 2, or 1111 (exempt), and cannot be left blank.",
        holds=one_of("reverse_mortgage", 1, 2, 1111),
        breaks={"reverse_mortgage": 3},
    ),
    Edit(
        code="V707",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("open_end_line_of_credit",),
        text="Open-End Line of Credit must be 1, 2, or 1111 (exempt), and cannot be left blank.",
        holds=one_of("open_end_line_of_credit", 1, 2, 1111),
        breaks={"open_end_line_of_credit": 3},
    ),
    Edit(
        code="V708",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("business_or_commercial_purpose",),
        text=(
            "Business or Commercial Purpose must be 1, 2, or 1111 (exempt), and cannot be left "
            "blank."
        ),
        holds=one_of("business_or_commercial_purpose", 1, 2, 1111),
        breaks={"business_or_commercial_purpose": 3},
    ),
)
