"""Validity edits of credit scores and of the models that they were computed with."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, between, since
from filing.edits.sentences import Condition
from filing.edits.vocabulary import (
    all_of,
    any_of,
    blank,
    if_then,
    iff,
    not_natural_person,
    num,
    number,
    one_of,
)

_APPLICANT = ("applicant_credit_score", "applicant_credit_score_type")
_CO_APPLICANT = ("co_applicant_credit_score", "co_applicant_credit_score_type")
_MODEL = ("applicant_credit_score_type", "applicant_credit_score_type_free_form")
_CO_MODEL = ("co_applicant_credit_score_type", "co_applicant_credit_score_type_free_form")
_OF_WHOM = (
    "applicant_credit_score",
    "co_applicant_credit_score",
    "applicant_ethnicity_1",
    "applicant_race_1",
    "applicant_sex",
    "co_applicant_ethnicity_1",
    "co_applicant_race_1",
    "co_applicant_sex",
)

# Models with a code of their own, and the first code after them that is none yet; beside them 8
# stands for another model, 9 for not applicable.
_LISTED_MODELS = (
    (between(2018, 2021), (1, 2, 3, 4, 5, 6, 7), 11),
    (between(2022, 2023), (1, 2, 3, 4, 5, 6, 7, 11), 12),
    (since(2024), (1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15), 16),
)


def _not_scored(prefix: str = "") -> Condition:
    """Hold where score and model are not applicable or exempt, and no model is named."""
    return all_of(
        one_of(f"{prefix}applicant_credit_score", 1111, 8888),
        one_of(f"{prefix}applicant_credit_score_type", 9, 1111),
        blank(f"{prefix}applicant_credit_score_type_free_form"),
    )


EDITS = (
    Edit(
        code="V660-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_APPLICANT,
        text="Credit score of the applicant must be a number.",
        holds=number("applicant_credit_score"),
        breaks={"applicant_credit_score": "none"},
    ),
    *(
        Edit(
            code="V660-2",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=periods,
            fields=_APPLICANT,
            text="The credit scoring model of the applicant must be a code valid for the year.",
            holds=one_of("applicant_credit_score_type", *models, 8, 9, 1111),
            breaks={"applicant_credit_score_type": unlisted},
        )
        for periods, models, unlisted in _LISTED_MODELS
    ),
    Edit(
        code="V661",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_APPLICANT,
        text=(
            "Score 8888 and scoring model 9 (both not applicable) must be reported together for "
            "the applicant."
        ),
        holds=iff(one_of("applicant_credit_score", 8888), one_of("applicant_credit_score_type", 9)),
        breaks={"applicant_credit_score": 8888},
    ),
    # Both ways: without a free-form model every code that is not listed fails.
    *(
        Edit(
            code="V662-1",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=periods,
            fields=_MODEL,
            text=(
                "The free-form scoring model of the applicant must be blank for every listed "
                "model, and filled for model 8."
            ),
            holds=iff(
                one_of("applicant_credit_score_type", *models, 9, 1111),
                blank("applicant_credit_score_type_free_form"),
            ),
            breaks={"applicant_credit_score_type": 8},
        )
        for periods, models, _ in _LISTED_MODELS
    ),
    Edit(
        code="V662-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_MODEL,
        text=(
            "The free-form scoring model of the applicant must be filled in for model 8, and "
            "only for model 8."
        ),
        holds=iff(
            one_of("applicant_credit_score_type", 8),
            ~blank("applicant_credit_score_type_free_form"),
        ),
        breaks={"applicant_credit_score_type_free_form": "House model"},
    ),
    Edit(
        code="V663",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("action_taken", *_APPLICANT, "applicant_credit_score_type_free_form"),
        text=(
            "For a withdrawn, incomplete or purchased loan the applicant's score must be 8888 or "
            "1111, the model 9 or 1111, and the free-form model blank."
        ),
        holds=if_then(one_of("action_taken", 4, 5, 6), _not_scored()),
        breaks=examples.PURCHASED
        | {"applicant_credit_score": 720, "applicant_credit_score_type": 1},
    ),
    # No co-applicant (9999 and 10) is no answer for these actions, even when there is none.
    Edit(
        code="V664",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("action_taken", *_CO_APPLICANT, "co_applicant_credit_score_type_free_form"),
        text=(
            "For a withdrawn, incomplete or purchased loan the co-applicant's score must be 8888 "
            "or 1111, the model 9 or 1111, and the free-form model blank."
        ),
        holds=if_then(one_of("action_taken", 4, 5, 6), _not_scored("co_")),
        breaks=examples.PURCHASED
        | {"co_applicant_credit_score": 9999, "co_applicant_credit_score_type": 10},
    ),
    Edit(
        code="V665-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_CO_APPLICANT,
        text="Credit score of the co-applicant must be a number.",
        holds=number("co_applicant_credit_score"),
        breaks={"co_applicant_credit_score": "none"},
    ),
    *(
        Edit(
            code="V665-2",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=periods,
            fields=_CO_APPLICANT,
            text=(
                "The credit scoring model of the co-applicant must be a code valid for the year "
                "(10 meaning there is no co-applicant)."
            ),
            holds=one_of("co_applicant_credit_score_type", *models, 8, 9, 10, 1111),
            breaks={
                "co_applicant_credit_score": 720,
                "co_applicant_credit_score_type": unlisted,
            },
        )
        for periods, models, unlisted in _LISTED_MODELS
    ),
    Edit(
        code="V666-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_CO_APPLICANT,
        text=(
            "Score 8888 and scoring model 9 (both not applicable) must be reported together for "
            "the co-applicant."
        ),
        holds=iff(
            one_of("co_applicant_credit_score", 8888),
            one_of("co_applicant_credit_score_type", 9),
        ),
        breaks={"co_applicant_credit_score": 720, "co_applicant_credit_score_type": 9},
    ),
    Edit(
        code="V666-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_CO_APPLICANT,
        text=("Score 9999 and scoring model 10 (both no co-applicant) must be reported together."),
        holds=iff(
            one_of("co_applicant_credit_score", 9999),
            one_of("co_applicant_credit_score_type", 10),
        ),
        breaks={"co_applicant_credit_score": 720},
    ),
    # Unlike V662-1 the same in all years: a model that is not valid yet fails V665-2 alone.
    Edit(
        code="V667-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_CO_MODEL,
        text=(
            "The free-form scoring model of the co-applicant must be blank for every model "
            "except 8, and filled for model 8."
        ),
        holds=iff(
            one_of(
                "co_applicant_credit_score_type",
                *(1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 1111),
            ),
            blank("co_applicant_credit_score_type_free_form"),
        ),
        breaks={"co_applicant_credit_score": 720, "co_applicant_credit_score_type": 8},
    ),
    Edit(
        code="V667-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_CO_MODEL,
        text=(
            "The free-form scoring model of the co-applicant must be filled in for model 8, and "
            "only for model 8."
        ),
        holds=iff(
            one_of("co_applicant_credit_score_type", 8),
            ~blank("co_applicant_credit_score_type_free_form"),
        ),
        breaks={"co_applicant_credit_score_type_free_form": "House model"},
    ),
    # Purchased loans are not excepted, though they are for age and income.
    Edit(
        code="V668-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_OF_WHOM,
        text=("When the applicant is not a natural person, the credit score must be 8888 or 1111."),
        holds=if_then(not_natural_person(), one_of("applicant_credit_score", 1111, 8888)),
        breaks=examples.TO_A_COMPANY
        | {"applicant_credit_score": 720, "applicant_credit_score_type": 1},
    ),
    Edit(
        code="V668-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_OF_WHOM,
        text=(
            "When the co-applicant is not a natural person, the credit score must be 8888 or 1111."
        ),
        holds=if_then(not_natural_person("co_"), one_of("co_applicant_credit_score", 1111, 8888)),
        breaks=examples.WITH_A_COMPANY
        | {"co_applicant_credit_score": 720, "co_applicant_credit_score_type": 1},
    ),
    # Exempt for one is exempt for both, even when there is no co-applicant.
    Edit(
        code="V710",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=(
            "applicant_credit_score",
            "co_applicant_credit_score",
            *_MODEL,
            *_CO_MODEL,
        ),
        text=(
            "If the credit score exemption is used anywhere, all four score and model columns "
            "must be 1111 and both free-form models blank."
        ),
        holds=if_then(
            any_of(*(one_of(column, 1111) for column in (*_APPLICANT, *_CO_APPLICANT))),
            all_of(
                *(one_of(column, 1111) for column in (*_APPLICANT, *_CO_APPLICANT)),
                blank("applicant_credit_score_type_free_form"),
                blank("co_applicant_credit_score_type_free_form"),
            ),
        ),
        breaks={"applicant_credit_score": 1111},
    ),
    # Several models (7) and another one (8) have no lowest score.
    Edit(
        code="V720-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=between(2022, 2023),
        fields=("applicant_credit_score_type", "applicant_credit_score"),
        text=("With scoring model 1 to 6 or 11 the applicant's credit score must be 280 or more."),
        holds=if_then(
            one_of("applicant_credit_score_type", 1, 2, 3, 4, 5, 6, 11),
            num("applicant_credit_score") >= 280,
        ),
        breaks={"applicant_credit_score": 279},
    ),
    Edit(
        code="V720-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2024),
        fields=("applicant_credit_score_type", "applicant_credit_score"),
        text=(
            "With scoring model 1 to 6, 11 or 12 the applicant's credit score must be 280 or more."
        ),
        holds=if_then(
            one_of("applicant_credit_score_type", 1, 2, 3, 4, 5, 6, 11, 12),
            num("applicant_credit_score") >= 280,
        ),
        breaks={"applicant_credit_score": 279},
    ),
    Edit(
        code="V720-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=between(2022, 2023),
        fields=("co_applicant_credit_score_type", "co_applicant_credit_score"),
        text=(
            "With scoring model 1 to 6 or 11 the co-applicant's credit score must be 280 or more."
        ),
        holds=if_then(
            one_of("co_applicant_credit_score_type", 1, 2, 3, 4, 5, 6, 11),
            num("co_applicant_credit_score") >= 280,
        ),
        breaks={"co_applicant_credit_score_type": 1, "co_applicant_credit_score": 279},
    ),
    Edit(
        code="V720-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2024),
        fields=("co_applicant_credit_score_type", "co_applicant_credit_score"),
        text=(
            "With scoring model 1 to 6, 11 or 12 the co-applicant's credit score must be 280 or "
            "more."
        ),
        holds=if_then(
            one_of("co_applicant_credit_score_type", 1, 2, 3, 4, 5, 6, 11, 12),
            num("co_applicant_credit_score") >= 280,
        ),
        breaks={"co_applicant_credit_score_type": 1, "co_applicant_credit_score": 279},
    ),
    Edit(
        code="V720-3",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2024),
        fields=("applicant_credit_score_type", "applicant_credit_score"),
        text=("With scoring model 13, 14 or 15 the applicant's credit score must be 300 or more."),
        holds=if_then(
            one_of("applicant_credit_score_type", 13, 14, 15),
            num("applicant_credit_score") >= 300,
        ),
        breaks={"applicant_credit_score_type": 13, "applicant_credit_score": 299},
    ),
    Edit(
        code="V720-4",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2024),
        fields=("co_applicant_credit_score_type", "co_applicant_credit_score"),
        text=(
            "With scoring model 13, 14 or 15 the co-applicant's credit score must be 300 or more."
        ),
        holds=if_then(
            one_of("co_applicant_credit_score_type", 13, 14, 15),
            num("co_applicant_credit_score") >= 300,
        ),
        breaks={"co_applicant_credit_score_type": 13, "co_applicant_credit_score": 299},
    ),
)
