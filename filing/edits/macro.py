"""Macro edits: shares of the records of a file, compared in whole numbers.

The limit of a share is in percent. A share of no records is 0.
"""

from filing.edits.edit import (
    Edit,
    EditKind,
    EditLevel,
    EditNeed,
    KnownFigure,
    RecordCount,
    between,
    since,
)
from filing.edits.sentences import Condition
from filing.edits.vocabulary import exemption_taken, figure, num, number, one_of


def _at_most(part: str, whole: str) -> Condition:
    """Hold where the part is no more of the whole than the limit."""
    return figure(part) * 100 <= figure("limit") * figure(whole)


EDITS = (
    Edit(
        code="Q634",
        kind=EditKind.MACRO,
        level=EditLevel.FILE,
        periods=since(2018),
        fields=("action_taken", "loan_purpose"),
        text=(
            "If more than 25 records have Action Taken 1 (loan originated) and Loan Purpose 1 "
            "(home purchase), then these should be at most 95% of all records with Loan Purpose 1."
        ),
        figures={
            "originated": RecordCount(one_of("action_taken", 1) & one_of("loan_purpose", 1)),
            "purchases": RecordCount(one_of("loan_purpose", 1)),
            "few": KnownFigure(25),
            "limit": KnownFigure(95),
        },
        computed="{originated:,} of {purchases:,} home purchase records originated; limit {limit}%",
        holds=(figure("originated") <= figure("few")) | _at_most("originated", "purchases"),
        needs=frozenset({EditNeed.OTHER_ROWS}),
    ),
    Edit(
        code="Q635",
        kind=EditKind.MACRO,
        level=EditLevel.FILE,
        periods=since(2018),
        fields=("action_taken", "total_lines"),
        text=(
            "Records with Action Taken 2 (application approved but not accepted) should be at most "
            "15% of all records."
        ),
        figures={
            "not_accepted": RecordCount(one_of("action_taken", 2)),
            "loans": RecordCount(),
            "limit": KnownFigure(15),
        },
        computed="{not_accepted:,} of {loans:,} records approved but not accepted; limit {limit}%",
        holds=_at_most("not_accepted", "loans"),
        needs=frozenset({EditNeed.OTHER_ROWS}),
    ),
    Edit(
        code="Q636",
        kind=EditKind.MACRO,
        level=EditLevel.FILE,
        periods=since(2018),
        fields=("action_taken", "total_lines"),
        text=(
            "Records with Action Taken 4 (application withdrawn) should be at most 30% of all "
            "records."
        ),
        figures={
            "withdrawn": RecordCount(one_of("action_taken", 4)),
            "loans": RecordCount(),
            "limit": KnownFigure(30),
        },
        computed="{withdrawn:,} of {loans:,} records withdrawn; limit {limit}%",
        holds=_at_most("withdrawn", "loans"),
        needs=frozenset({EditNeed.OTHER_ROWS}),
    ),
    Edit(
        code="Q637",
        kind=EditKind.MACRO,
        level=EditLevel.FILE,
        periods=since(2018),
        fields=("action_taken", "total_lines"),
        text=(
            "Records with Action Taken 5 (file closed for incompleteness) should be at most 15% of "
            "all records."
        ),
        figures={
            "incomplete": RecordCount(one_of("action_taken", 5)),
            "loans": RecordCount(),
            "limit": KnownFigure(15),
        },
        computed="{incomplete:,} of {loans:,} records closed for incompleteness; limit {limit}%",
        holds=_at_most("incomplete", "loans"),
        needs=frozenset({EditNeed.OTHER_ROWS}),
    ),
    # A file without actions 1 to 6 fails, although a share of no records is 0 elsewhere: the edit
    # has always worked like this, and the filer confirms that there were only preapproval requests.
    Edit(
        code="Q638",
        kind=EditKind.MACRO,
        level=EditLevel.FILE,
        periods=since(2018),
        fields=("action_taken",),
        text=(
            "Records with Action Taken 1 (loan originated) should be at least 20% of all records "
            "with Action Taken 1, 2, 3, 4, 5, or 6."
        ),
        figures={
            "originated": RecordCount(one_of("action_taken", 1)),
            "decided": RecordCount(one_of("action_taken", 1, 2, 3, 4, 5, 6)),
            "limit": KnownFigure(20),
        },
        computed=(
            "{originated:,} of {decided:,} records with Action Taken 1 to 6 originated; "
            "minimum {limit}%"
        ),
        holds=(figure("decided") > 0)
        & (figure("originated") * 100 >= figure("limit") * figure("decided")),
        needs=frozenset({EditNeed.OTHER_ROWS}),
    ),
    Edit(
        code="Q639",
        kind=EditKind.MACRO,
        level=EditLevel.FILE,
        periods=since(2018),
        fields=("action_taken", "preapproval"),
        text=(
            "If more than 1,000 records have Preapproval 1 (requested), then at least one record "
            "should have Action Taken 7 (preapproval request denied)."
        ),
        figures={
            "requested": RecordCount(one_of("preapproval", 1)),
            "denied": RecordCount(one_of("action_taken", 7)),
            "many": KnownFigure(1000),
        },
        computed="{requested:,} preapproval requests, {denied:,} denied",
        holds=(figure("requested") <= figure("many")) | (figure("denied") > 0),
        needs=frozenset({EditNeed.OTHER_ROWS}),
    ),
    Edit(
        code="Q640",
        kind=EditKind.MACRO,
        level=EditLevel.FILE,
        periods=since(2018),
        fields=("income", "total_lines"),
        text=(
            "Records with Income less than 10 ($10,000) should be at most 20% of all records with "
            "a number in Income."
        ),
        figures={
            "low": RecordCount(num("income") < 10),
            "incomes": RecordCount(number("income")),
            "limit": KnownFigure(20),
        },
        computed="{low:,} of {incomes:,} records with Income less than $10,000; limit {limit}%",
        holds=_at_most("low", "incomes"),
        needs=frozenset({EditNeed.OTHER_ROWS}),
    ),
    # From 2025 on Q646 and Q647 are quality edits of each loan.
    Edit(
        code="Q646",
        kind=EditKind.MACRO,
        level=EditLevel.FILE,
        periods=between(2019, 2024),
        fields=(),
        text=(
            "If any record has a field with the exemption code (Exempt or 1111), confirm that your "
            "institution is eligible for the partial exemption."
        ),
        figures={"exempt": RecordCount(exemption_taken())},
        computed="{exempt:,} records with an exemption code",
        holds=figure("exempt") == 0,
        needs=frozenset({EditNeed.OTHER_ROWS}),
    ),
    Edit(
        code="Q647",
        kind=EditKind.MACRO,
        level=EditLevel.FILE,
        periods=between(2019, 2024),
        fields=(),
        text=(
            "If Federal Agency is 7 (HUD), then no record should have a field with the exemption "
            "code (Exempt or 1111): the partial exemption is for insured depository institutions "
            "and insured credit unions."
        ),
        figures={
            "agency": KnownFigure("ts.federal_agency"),
            "exempt": RecordCount(exemption_taken()),
        },
        computed="{exempt:,} records with an exemption code; Federal Agency {agency}",
        holds=(figure("agency") != 7) | (figure("exempt") == 0),
        needs=frozenset({EditNeed.OTHER_ROWS, EditNeed.TS}),
    ),
)
