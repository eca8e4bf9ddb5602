"""Quality edits of the identifiers: LEI and ULI."""

from filing.edits.edit import Count, Edit, Given, Kind, Level, Need, Repeats, since
from filing.edits.vocabulary import figure, first, if_then, length, one_of, upper

EDITS = (
    # Q600-warning, a companion of annual 2020 only, is left out: its code is none by the rules for
    # codes, and S306 came in its place.
    Edit(
        code="Q600",
        kind=Kind.QUALITY,
        level=Level.FILE,
        periods=since(2018),
        fields=("uli",),
        text="Each ULI (or NULI) should be used for one row of the file only.",
        figures={
            "reported": Given("ts.total_lines"),
            "loans": Count(),
            "copies": Repeats(of=upper("uli")),
        },
        holds=figure("reported") == figure("loans") - figure("copies"),
        needs=frozenset({Need.OTHER_ROWS, Need.TS}),
    ),
    # The parser writes the LEI in upper case but leaves the ULI alone, so one in lower case fails.
    Edit(
        code="Q648",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2020),
        fields=("action_taken", "lei", "uli"),
        text=(
            "A full-length ULI should begin with the filer's own LEI unless the loan was purchased."
        ),
        holds=if_then(
            (length("uli") > 22) & one_of("action_taken", 1, 2, 3, 4, 5, 7, 8),
            first("lei", 20) == first("uli", 20),
        ),
        breaks={"uli": "ANOTHERBANK000000001LOAN182"},
    ),
)
