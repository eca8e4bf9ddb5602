"""Validity edits of the ages of applicant and co-applicant."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, since
from filing.edits.vocabulary import if_then, not_natural_person, num, one_of

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
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_APPLICANT,
        text="Age of the applicant must be greater than 0.",
        holds=num("applicant_age") > 0,
        breaks={"applicant_age": 0},
    ),
    Edit(
        code="V651-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_APPLICANT,
        text=(
            "When the applicant is not a natural person and the loan was not purchased, the age of "
            "the applicant must be 8888."
        ),
        holds=if_then(
            not_natural_person() & ~one_of("action_taken", 6), one_of("applicant_age", 8888)
        ),
        breaks=examples.TO_A_COMPANY | {"applicant_age": 42},
    ),
    Edit(
        code="V652-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_CO_APPLICANT,
        text="Age of the co-applicant must be greater than 0.",
        holds=num("co_applicant_age") > 0,
        breaks={"co_applicant_age": 0},
    ),
    Edit(
        code="V652-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_CO_APPLICANT,
        text=(
            "When the co-applicant is not a natural person and the loan was not purchased, the age "
            "of the co-applicant must be 8888."
        ),
        holds=if_then(
            not_natural_person("co_") & ~one_of("action_taken", 6),
            one_of("co_applicant_age", 8888),
        ),
        breaks=examples.WITH_A_COMPANY | {"co_applicant_age": 42},
    ),
    Edit(
        code="V721-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2022),
        fields=("applicant_age",),
        text="Age of the applicant must be an age or 8888; 9999 and 1111 are refused.",
        holds=~one_of("applicant_age", 1111, 9999),
        breaks={"applicant_age": 9999},
    ),
    Edit(
        code="V721-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2022),
        fields=("co_applicant_age",),
        text="Age of the co-applicant must be an age, 8888 or 9999; 1111 is refused.",
        holds=~one_of("co_applicant_age", 1111),
        breaks={"co_applicant_age": 1111},
    ),
)
