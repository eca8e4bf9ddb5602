"""Validity edits of income, in thousands of dollars."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, since
from filing.edits.vocabulary import if_then, int32, not_natural_person, number, one_of

_OF_WHOM = (
    "income",
    "applicant_ethnicity_1",
    "applicant_race_1",
    "applicant_sex",
    "co_applicant_ethnicity_1",
    "co_applicant_race_1",
    "co_applicant_sex",
)

EDITS = (
    # The parser lets numbers of any size through, and takes neither decimals nor Exempt.
    Edit(
        code="V654-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("income", "multifamily_affordable_units"),
        text="Income must be a whole number (it may be negative) or NA.",
        holds=one_of("income", "NA") | int32("income"),
        breaks={"income": "-2147483649"},
    ),
    Edit(
        code="V654-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("income", "multifamily_affordable_units"),
        text="When a number of affordable units is reported, income must be NA.",
        holds=if_then(number("multifamily_affordable_units"), one_of("income", "NA")),
        breaks=examples.MULTIFAMILY | {"income": "120"},
    ),
    Edit(
        code="V655-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_OF_WHOM,
        text=(
            "When the applicant is not a natural person and the loan was not purchased, income "
            "must be NA."
        ),
        holds=if_then(
            not_natural_person() & ~one_of("action_taken", 6),
            one_of("income", "NA"),
        ),
        breaks=examples.TO_A_COMPANY | {"income": "120"},
    ),
    # The co-applicant alone decides, whoever the applicant is.
    Edit(
        code="V655-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_OF_WHOM,
        text=(
            "When the co-applicant is not a natural person and the loan was not purchased, "
            "income must be NA."
        ),
        holds=if_then(
            not_natural_person("co_") & ~one_of("action_taken", 6),
            one_of("income", "NA"),
        ),
        breaks=examples.WITH_A_COMPANY | {"income": "120"},
    ),
)
