"""Syntactical edits of loans and of the file; those of the transmittal sheet stand with it."""

from filing.edits import examples
from filing.edits.edit import Count, Edit, Given, Kind, Level, Need, Repeats, quarterly_only, since
from filing.edits.repeats import LINE
from filing.edits.vocabulary import figure, lower, num, one_of, upper, value

EDITS = (
    Edit(
        code="S300",
        kind=Kind.SYNTACTICAL,
        level=Level.LAR,
        periods=since(2018),
        fields=("record_id",),
        text="Every row after the first is a loan record and has to carry record identifier 2.",
        holds=one_of("record_id", 2),
        breaks={"record_id": 1},
    ),
    Edit(
        code="S301",
        kind=Kind.SYNTACTICAL,
        level=Level.LAR,
        periods=since(2018),
        fields=("lei",),
        text=(
            "The LEI on a loan row has to be the one given on the transmittal sheet of the "
            "same file."
        ),
        holds=lower("lei") == lower("ts.lei"),
        needs=frozenset({Need.TS}),
        breaks=examples.PURCHASED | {"lei": "SOMEBODYELSE00000000"},
    ),
    Edit(
        code="S304",
        kind=Kind.SYNTACTICAL,
        level=Level.FILE,
        periods=since(2018),
        fields=("total_lines",),
        text=(
            "The number of entries announced on the transmittal sheet has to equal the number "
            "of loan rows in the file."
        ),
        figures={"reported": Given("ts.total_lines"), "found": Count()},
        holds=figure("reported") == figure("found"),
        needs=frozenset({Need.TS, Need.OTHER_ROWS}),
    ),
    # The lines are compared as they were filed: NA and na, or 1 and 01, make two loans differ.
    Edit(
        code="S305",
        kind=Kind.SYNTACTICAL,
        level=Level.FILE,
        periods=since(2018),
        fields=("all",),
        text="No two loan rows of a file may be identical.",
        figures={"copies": Repeats(of=value(LINE))},
        holds=figure("copies") == 0,
        needs=frozenset({Need.OTHER_ROWS}),
    ),
    Edit(
        code="S306",
        kind=Kind.SYNTACTICAL,
        level=Level.FILE,
        periods=since(2020),
        fields=("uli",),
        text="A ULI may occur only once among the originated loans (action taken 1) of a file.",
        figures={"copies": Repeats(of=upper("uli"), where=one_of("action_taken", 1))},
        holds=figure("copies") == 0,
        needs=frozenset({Need.OTHER_ROWS}),
    ),
    # An older date counts as inside the first quarter: there is no earlier quarter of the year.
    Edit(
        code="S307",
        kind=Kind.SYNTACTICAL,
        level=Level.FILE,
        periods=quarterly_only(2022),
        fields=("calendar_quarter", "calendar_year"),
        text=(
            "A quarterly file needs at least one row whose action was taken inside the "
            "quarter being filed, and none acted on after that quarter ended."
        ),
        figures={
            "inside": Count(
                (num("action_taken_date") <= num("quarter_end"))
                & (one_of("filing_quarter", 1) | (num("action_taken_date") >= num("quarter_start")))
            ),
            "after": Count(num("action_taken_date") > num("quarter_end")),
        },
        holds=(figure("inside") > 0) & (figure("after") == 0),
        needs=frozenset({Need.OTHER_ROWS}),
    ),
)
