"""Quality edits of the dates of application and action."""

from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import if_then, num, number, one_of

EDITS = (
    # Dates are numbers YYYYMMDD: 20000 less is the same day two years before, which may not exist.
    Edit(
        code="Q601",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("application_date", "action_taken_date"),
        text=(
            "Application Date should generally be no more than two years before Action Taken Date."
        ),
        holds=if_then(
            number("application_date"),
            num("application_date") >= num("action_taken_date") - 20_000,
        ),
        breaks={"application_date": "19991231"},
    ),
    Edit(
        code="Q608",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("action_taken", "action_taken_date", "application_date"),
        text=(
            "If Action Taken is 1 (loan originated), then Action Taken Date should generally be "
            "after Application Date."
        ),
        holds=if_then(
            number("application_date") & one_of("action_taken", 1),
            num("action_taken_date") > num("application_date"),
        ),
        breaks={"application_date": "20991231"},
    ),
)
