"""Validity edits of the action taken and its date."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import if_then, num, one_of, valid_date, year_of

EDITS = (
    Edit(
        code="V618",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("action_taken",),
        text="Action Taken must be 1, 2, 3, 4, 5, 6, 7, or 8, and cannot be left blank.",
        holds=one_of("action_taken", 1, 2, 3, 4, 5, 6, 7, 8),
        breaks={"action_taken": 9},
    ),
    Edit(
        code="V619-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("action_taken_date", "application_date"),
        text=(
            "Action Taken Date must be a valid date in the format YYYYMMDD, and cannot be left "
            "blank."
        ),
        holds=valid_date("action_taken_date"),
        breaks={"action_taken_date": 20240231},
    ),
    # Only the year, in quarterly filing as well: S307 checks the quarter.
    Edit(
        code="V619-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("action_taken_date", "application_date"),
        text="Action Taken Date must be in the filing year.",
        holds=year_of("action_taken_date") == num("filing_year"),
        breaks={"application_date": "19991201", "action_taken_date": 19991231},
    ),
    Edit(
        code="V619-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("action_taken", "action_taken_date", "application_date"),
        text=(
            "If Action Taken is 1, 2, 3, 4, 5, 7, or 8 and Application Date is not NA, then Action "
            "Taken Date must be on or after Application Date."
        ),
        holds=if_then(
            one_of("action_taken", 1, 2, 3, 4, 5, 7, 8) & ~one_of("application_date", "NA"),
            num("action_taken_date") >= num("application_date"),
        ),
        breaks=examples.NOT_ACCEPTED | {"application_date": "20991231"},
    ),
)
