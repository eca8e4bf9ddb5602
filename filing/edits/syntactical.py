"""Syntactical edits of loans and of the file; `transmittal` has those of the transmittal sheet."""

from filing.edits import examples
from filing.edits.edit import (
    Edit,
    EditKind,
    EditLevel,
    EditNeed,
    KnownFigure,
    RecordCount,
    RepeatCount,
    quarterly_only,
    since,
)
from filing.edits.repeats import WHOLE_LINE
from filing.edits.vocabulary import figure, num, one_of, upper, value

EDITS = (
    Edit(
        code="S300",
        kind=EditKind.SYNTACTICAL,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("record_id",),
        text="Record Identifier must be 2 on every line after the transmittal sheet.",
        holds=one_of("record_id", 2),
        breaks={"record_id": 1},
    ),
    Edit(
        code="S301",
        kind=EditKind.SYNTACTICAL,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("lei",),
        text=(
            "Legal Entity Identifier (LEI) of each record must match the Legal Entity Identifier "
            "(LEI) on the transmittal sheet."
        ),
        # In lower case, a letter outside of ASCII (U+212A) would count as K.
        holds=upper("lei") == upper("ts.lei"),
        needs=frozenset({EditNeed.TS}),
        breaks=examples.PURCHASED | {"lei": "SOMEBODYELSE00000000"},
    ),
    Edit(
        code="S304",
        kind=EditKind.SYNTACTICAL,
        level=EditLevel.FILE,
        periods=since(2018),
        fields=("total_lines",),
        text=(
            "Total Number of Entries Contained in Submission must equal the number of records in "
            "the file."
        ),
        figures={"reported": KnownFigure("ts.total_lines"), "found": RecordCount()},
        holds=figure("reported") == figure("found"),
        needs=frozenset({EditNeed.TS, EditNeed.OTHER_ROWS}),
    ),
    # The lines are compared as filed: NA and na, or 1 and 01, are different.
    Edit(
        code="S305",
        kind=EditKind.SYNTACTICAL,
        level=EditLevel.FILE,
        periods=since(2018),
        fields=("all",),
        text="No two records in the file can be identical in all data fields.",
        figures={"copies": RepeatCount(of=value(WHOLE_LINE))},
        holds=figure("copies") == 0,
        needs=frozenset({EditNeed.OTHER_ROWS}),
    ),
    Edit(
        code="S306",
        kind=EditKind.SYNTACTICAL,
        level=EditLevel.FILE,
        periods=since(2020),
        fields=("uli",),
        text=(
            "If Action Taken is 1 (loan originated), then Universal Loan Identifier (ULI) cannot "
            "repeat that of another originated loan in the file."
        ),
        figures={"copies": RepeatCount(of=upper("uli"), where=one_of("action_taken", 1))},
        holds=figure("copies") == 0,
        needs=frozenset({EditNeed.OTHER_ROWS}),
    ),
    # An older date counts as inside the first quarter: the year has no earlier quarter.
    Edit(
        code="S307",
        kind=EditKind.SYNTACTICAL,
        level=EditLevel.FILE,
        periods=quarterly_only(2022),
        fields=("calendar_quarter", "calendar_year"),
        text=(
            "A quarterly file must contain at least one record with an Action Taken Date in the "
            "quarter being filed, and none with an Action Taken Date after it."
        ),
        figures={
            "inside": RecordCount(
                (num("action_taken_date") <= num("quarter_end"))
                & (one_of("filing_quarter", 1) | (num("action_taken_date") >= num("quarter_start")))
            ),
            "after": RecordCount(num("action_taken_date") > num("quarter_end")),
        },
        holds=(figure("inside") > 0) & (figure("after") == 0),
        needs=frozenset({EditNeed.OTHER_ROWS}),
    ),
)
