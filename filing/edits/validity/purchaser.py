"""Validity edits of the type of purchaser."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import if_then, one_of

_FIELDS = ("purchaser_type", "action_taken")

EDITS = (
    # 0 means that the loan was not sold; a blank is a formatting error.
    Edit(
        code="V656-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_FIELDS,
        text=(
            "Type of Purchaser must be 0, 1, 2, 3, 4, 5, 6, 71, 72, 8, or 9, and cannot be left "
            "blank."
        ),
        holds=one_of("purchaser_type", 0, 1, 2, 3, 4, 5, 6, 71, 72, 8, 9),
        breaks={"purchaser_type": 7},
    ),
    Edit(
        code="V656-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_FIELDS,
        text=(
            "If Action Taken is 2, 3, 4, 5, 7, or 8 (neither originated nor purchased), then Type "
            "of Purchaser must be 0 (not applicable)."
        ),
        holds=if_then(one_of("action_taken", 2, 3, 4, 5, 7, 8), one_of("purchaser_type", 0)),
        breaks=examples.NOT_ACCEPTED | {"purchaser_type": 1},
    ),
)
