"""Quality edits of the identifiers: LEI and ULI."""

from filing.edits.edit import (
    Edit,
    EditKind,
    EditLevel,
    EditNeed,
    KnownFigure,
    RecordCount,
    RepeatCount,
    since,
)
from filing.edits.vocabulary import figure, first, if_then, length, one_of, upper

EDITS = (
    # Q600-warning, of annual 2020 only, is left out: its code breaks the rules for codes, and S306
    # replaced it.
    Edit(
        code="Q600",
        kind=EditKind.QUALITY,
        level=EditLevel.FILE,
        periods=since(2018),
        fields=("uli",),
        text=(
            "Each Universal Loan Identifier (ULI) should be reported only once: Total Number of "
            "Entries Contained in Submission should equal the number of different ones in the "
            "file."
        ),
        figures={
            "reported": KnownFigure("ts.total_lines"),
            "loans": RecordCount(),
            "copies": RepeatCount(of=upper("uli")),
        },
        holds=figure("reported") == figure("loans") - figure("copies"),
        needs=frozenset({EditNeed.OTHER_ROWS, EditNeed.TS}),
    ),
    # The parser changes the LEI to upper case but not the ULI, so a ULI in lower case fails.
    Edit(
        code="Q648",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2020),
        fields=("action_taken", "lei", "uli"),
        text=(
            "If Action Taken is 1, 2, 3, 4, 5, 7, or 8 (not a purchased loan) and Universal Loan "
            "Identifier (ULI) has more than 22 characters, then its first 20 should be the Legal "
            "Entity Identifier (LEI)."
        ),
        holds=if_then(
            (length("uli") > 22) & one_of("action_taken", 1, 2, 3, 4, 5, 7, 8),
            first("lei", 20) == first("uli", 20),
        ),
        breaks={"uli": "ANOTHERBANK000000001LOAN182"},
    ),
)
