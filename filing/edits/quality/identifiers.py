"""Quality edits of the identifiers: the ULI."""

from filing.edits.edit import Count, Edit, Given, Kind, Level, Need, Repeats, since
from filing.edits.vocabulary import figure, upper

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
)
