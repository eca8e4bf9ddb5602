"""Validity edits of the type of purchaser."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, since
from filing.edits.vocabulary import if_then, one_of

_FIELDS = ("purchaser_type", "action_taken")

EDITS = (
    # 0 means that the loan was not sold; a blank cannot be read.
    Edit(
        code="V656-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_FIELDS,
        text="Type of purchaser must be a known code: 0 to 6, 71, 72, 8 or 9.",
        holds=one_of("purchaser_type", 0, 1, 2, 3, 4, 5, 6, 71, 72, 8, 9),
        breaks={"purchaser_type": 7},
    ),
    Edit(
        code="V656-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_FIELDS,
        text="When the loan was neither originated nor purchased, the type of purchaser must be 0.",
        holds=if_then(one_of("action_taken", 2, 3, 4, 5, 7, 8), one_of("purchaser_type", 0)),
        breaks=examples.NOT_ACCEPTED | {"purchaser_type": 1},
    ),
)
