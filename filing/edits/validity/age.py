"""Validity edits of the ages of applicant and co-applicant."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import (
    NOT_NATURAL_APPLICANT,
    NOT_NATURAL_CO_APPLICANT,
    if_then,
    not_natural_person,
    num,
    one_of,
)

_APPLICANT = ("applicant_age", "applicant_ethnicity_1", "applicant_race_1", "applicant_sex")
_CO_APPLICANT = (
    "co_applicant_age",
    "co_applicant_ethnicity_1",
    "co_applicant_race_1",
    "co_applicant_sex",
)

EDITS = (
    Edit(
        code="V651-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_APPLICANT,
        text=(
            "Age of Applicant or Borrower must be a whole number greater than 0, and cannot be "
            "left blank."
        ),
        holds=num("applicant_age") > 0,
        breaks={"applicant_age": 0},
    ),
    Edit(
        code="V651-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_APPLICANT,
        text=(
            f"If {NOT_NATURAL_APPLICANT} and Action Taken is not 6 (purchased loan), then Age of "
            "Applicant or Borrower must be 8888 (not applicable)."
        ),
        holds=if_then(
            not_natural_person() & ~one_of("action_taken", 6), one_of("applicant_age", 8888)
        ),
        breaks=examples.TO_A_COMPANY | {"applicant_age": 42},
    ),
    Edit(
        code="V652-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_CO_APPLICANT,
        text=(
            "Age of Co-Applicant or Co-Borrower must be a whole number greater than 0, and cannot "
            "be left blank."
        ),
        holds=num("co_applicant_age") > 0,
        breaks={"co_applicant_age": 0},
    ),
    Edit(
        code="V652-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_CO_APPLICANT,
        text=(
            f"If {NOT_NATURAL_CO_APPLICANT} and Action Taken is not 6 (purchased loan), then Age "
            "of Co-Applicant or Co-Borrower must be 8888 (not applicable)."
        ),
        holds=if_then(
            not_natural_person("co_") & ~one_of("action_taken", 6),
            one_of("co_applicant_age", 8888),
        ),
        breaks=examples.WITH_A_COMPANY | {"co_applicant_age": 42},
    ),
    Edit(
        code="V721-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2022),
        fields=("applicant_age",),
        text=(
            "Age of Applicant or Borrower cannot be 1111 or 9999: enter the age in years, or 8888 "
            "(not applicable)."
        ),
        holds=~one_of("applicant_age", 1111, 9999),
        breaks={"applicant_age": 9999},
    ),
    Edit(
        code="V721-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2022),
        fields=("co_applicant_age",),
        text=(
            "Age of Co-Applicant or Co-Borrower cannot be 1111: enter the age in years, 8888 (not "
            "applicable), or 9999 (no co-applicant)."
        ),
        holds=~one_of("co_applicant_age", 1111),
        breaks={"co_applicant_age": 1111},
    ),
)
