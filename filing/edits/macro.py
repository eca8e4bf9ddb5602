"""Macro edits: shares of the loans of a file, compared in whole numbers.

The limit of a share is in percent. A share of no loans at all is 0.
"""

from filing.edits.edit import Count, Edit, Given, Kind, Level, Need, between, since
from filing.edits.sentences import Condition
from filing.edits.vocabulary import exemption_taken, figure, num, number, one_of


def _at_most(part: str, whole: str) -> Condition:
    """Hold where the part is no more of the whole than the limit."""
    return figure(part) * 100 <= figure("limit") * figure(whole)


EDITS = (
    Edit(
        code="Q634",
        kind=Kind.MACRO,
        level=Level.FILE,
        periods=since(2018),
        fields=("action_taken", "loan_purpose"),
        text=(
            "With more than 25 originated purchase loans, originations should make up at most "
            "95 percent of all purchase rows."
        ),
        figures={
            "originated": Count(one_of("action_taken", 1) & one_of("loan_purpose", 1)),
            "purchases": Count(one_of("loan_purpose", 1)),
            "few": Given(25),
            "limit": Given(95),
        },
        computed="{originated:,} of {purchases:,} purchase rows originated, limit {limit} %",
        holds=(figure("originated") <= figure("few")) | _at_most("originated", "purchases"),
        needs=frozenset({Need.OTHER_ROWS}),
    ),
    Edit(
        code="Q635",
        kind=Kind.MACRO,
        level=Level.FILE,
        periods=since(2018),
        fields=("action_taken", "total_lines"),
        text="At most 15 percent of the rows should be approved but not accepted.",
        figures={
            "not_accepted": Count(one_of("action_taken", 2)),
            "loans": Count(),
            "limit": Given(15),
        },
        computed="{not_accepted:,} of {loans:,} rows approved but not accepted, limit {limit} %",
        holds=_at_most("not_accepted", "loans"),
        needs=frozenset({Need.OTHER_ROWS}),
    ),
    Edit(
        code="Q636",
        kind=Kind.MACRO,
        level=Level.FILE,
        periods=since(2018),
        fields=("action_taken", "total_lines"),
        text="At most 30 percent of the rows should be withdrawn applications.",
        figures={
            "withdrawn": Count(one_of("action_taken", 4)),
            "loans": Count(),
            "limit": Given(30),
        },
        computed="{withdrawn:,} of {loans:,} rows withdrawn, limit {limit} %",
        holds=_at_most("withdrawn", "loans"),
        needs=frozenset({Need.OTHER_ROWS}),
    ),
    Edit(
        code="Q637",
        kind=Kind.MACRO,
        level=Level.FILE,
        periods=since(2018),
        fields=("action_taken", "total_lines"),
        text="At most 15 percent of the rows should be closed as incomplete.",
        figures={
            "incomplete": Count(one_of("action_taken", 5)),
            "loans": Count(),
            "limit": Given(15),
        },
        computed="{incomplete:,} of {loans:,} rows closed as incomplete, limit {limit} %",
        holds=_at_most("incomplete", "loans"),
        needs=frozenset({Need.OTHER_ROWS}),
    ),
    # A file without actions 1 to 6 fails, although a share of nothing is 0 elsewhere: the edit has
    # always been run so, and the filer confirms that there were only preapproval requests.
    Edit(
        code="Q638",
        kind=Kind.MACRO,
        level=Level.FILE,
        periods=since(2018),
        fields=("action_taken",),
        text="Originations should be at least 20 percent of the rows with actions 1 to 6.",
        figures={
            "originated": Count(one_of("action_taken", 1)),
            "decided": Count(one_of("action_taken", 1, 2, 3, 4, 5, 6)),
            "limit": Given(20),
        },
        computed=(
            "{originated:,} of {decided:,} rows with actions 1 to 6 originated, "
            "at least {limit} % expected"
        ),
        holds=(figure("decided") > 0)
        & (figure("originated") * 100 >= figure("limit") * figure("decided")),
        needs=frozenset({Need.OTHER_ROWS}),
    ),
    Edit(
        code="Q639",
        kind=Kind.MACRO,
        level=Level.FILE,
        periods=since(2018),
        fields=("action_taken", "preapproval"),
        text=(
            "With more than 1,000 preapproval requests at least one denied request is to be "
            "expected."
        ),
        figures={
            "requested": Count(one_of("preapproval", 1)),
            "denied": Count(one_of("action_taken", 7)),
            "many": Given(1000),
        },
        computed="{requested:,} preapprovals requested, {denied:,} of them denied",
        holds=(figure("requested") <= figure("many")) | (figure("denied") > 0),
        needs=frozenset({Need.OTHER_ROWS}),
    ),
    Edit(
        code="Q640",
        kind=Kind.MACRO,
        level=Level.FILE,
        periods=since(2018),
        fields=("income", "total_lines"),
        text=(
            "At most 20 percent of the rows that give an income should have one below 10,000 "
            "dollars."
        ),
        figures={
            "low": Count(num("income") < 10),
            "incomes": Count(number("income")),
            "limit": Given(20),
        },
        computed="{low:,} of {incomes:,} incomes below 10,000 dollars, limit {limit} %",
        holds=_at_most("low", "incomes"),
        needs=frozenset({Need.OTHER_ROWS}),
    ),
    # From 2025 on Q646 and Q647 are quality edits of each loan.
    Edit(
        code="Q646",
        kind=Kind.MACRO,
        level=Level.FILE,
        periods=between(2019, 2024),
        fields=(),
        text=(
            "Some row uses an exemption code; the filer confirms its eligibility for the "
            "partial exemption."
        ),
        figures={"exempt": Count(exemption_taken())},
        computed="{exempt:,} rows with an exemption code",
        holds=figure("exempt") == 0,
        needs=frozenset({Need.OTHER_ROWS}),
    ),
    Edit(
        code="Q647",
        kind=Kind.MACRO,
        level=Level.FILE,
        periods=between(2019, 2024),
        fields=(),
        text=(
            "A non-depository filer (agency 7) is not entitled to the partial exemption, yet "
            "some row uses an exemption code."
        ),
        figures={
            "agency": Given("ts.federal_agency"),
            "exempt": Count(exemption_taken()),
        },
        computed="{exempt:,} rows with an exemption code, filed by agency {agency}",
        holds=(figure("agency") != 7) | (figure("exempt") == 0),
        needs=frozenset({Need.OTHER_ROWS, Need.TS}),
    ),
)
