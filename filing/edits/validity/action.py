"""Validity edits of the action taken and its date."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, since
from filing.edits.vocabulary import if_then, num, one_of, valid_date, year_of

EDITS = (
    Edit(
        code="V618",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("action_taken",),
        text="Action taken must be one of the codes 1 to 8.",
        holds=one_of("action_taken", 1, 2, 3, 4, 5, 6, 7, 8),
        breaks={"action_taken": 9},
    ),
    Edit(
        code="V619-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("action_taken_date", "application_date"),
        text="Action taken date must be a real date (YYYYMMDD).",
        holds=valid_date("action_taken_date"),
        breaks={"action_taken_date": 20240231},
    ),
    # The year alone, in quarterly filing too: the quarter is the business of S307.
    Edit(
        code="V619-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("action_taken_date", "application_date"),
        text="The action taken date must fall in the year being filed.",
        holds=year_of("action_taken_date") == num("filing_year"),
        breaks={"application_date": "19991201", "action_taken_date": 19991231},
    ),
    Edit(
        code="V619-3",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("action_taken", "action_taken_date", "application_date"),
        text="The action taken date may not be earlier than the application date.",
        holds=if_then(
            one_of("action_taken", 1, 2, 3, 4, 5, 7, 8) & ~one_of("application_date", "NA"),
            num("action_taken_date") >= num("application_date"),
        ),
        breaks=examples.NOT_ACCEPTED | {"application_date": "20991231"},
    ),
)
