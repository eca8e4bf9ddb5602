"""Validity edits of income, in thousands of dollars."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import (
    NOT_NATURAL_APPLICANT,
    NOT_NATURAL_CO_APPLICANT,
    if_then,
    int32,
    not_natural_person,
    number,
    one_of,
)

_APPLICANTS = (
    "income",
    "applicant_ethnicity_1",
    "applicant_race_1",
    "applicant_sex",
    "co_applicant_ethnicity_1",
    "co_applicant_race_1",
    "co_applicant_sex",
)

EDITS = (
    # The parser accepts whole numbers of any size, and neither decimals nor Exempt.
    Edit(
        code="V654-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("income", "multifamily_affordable_units"),
        text=(
            "Income must be a whole number, positive or negative, in thousands of dollars, or NA, "
            "and cannot be left blank."
        ),
        holds=one_of("income", "NA") | int32("income"),
        breaks={"income": "-2147483649"},
    ),
    Edit(
        code="V654-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("income", "multifamily_affordable_units"),
        text="If Multifamily Affordable Units is a number, then Income must be NA.",
        holds=if_then(number("multifamily_affordable_units"), one_of("income", "NA")),
        breaks=examples.MULTIFAMILY | {"income": "120"},
    ),
    Edit(
        code="V655-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_APPLICANTS,
        text=(
            f"If {NOT_NATURAL_APPLICANT} and Action Taken is not 6 (purchased loan), then Income "
            "must be NA."
        ),
        holds=if_then(
            not_natural_person() & ~one_of("action_taken", 6),
            one_of("income", "NA"),
        ),
        breaks=examples.TO_A_COMPANY | {"income": "120"},
    ),
    # Only the co-applicant counts here, whatever the applicant is.
    Edit(
        code="V655-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_APPLICANTS,
        text=(
            f"If {NOT_NATURAL_CO_APPLICANT} and Action Taken is not 6 (purchased loan), then "
            "Income must be NA."
        ),
        holds=if_then(
            not_natural_person("co_") & ~one_of("action_taken", 6),
            one_of("income", "NA"),
        ),
        breaks=examples.WITH_A_COMPANY | {"income": "120"},
    ),
)
