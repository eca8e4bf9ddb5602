"""Validity edits of credit scores and credit scoring models."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, EditPeriods, between, since
from filing.edits.sentences import Condition, listed
from filing.edits.vocabulary import (
    NOT_NATURAL_APPLICANT,
    NOT_NATURAL_CO_APPLICANT,
    all_of,
    any_of,
    blank,
    called,
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
_APPLICANTS = (
    "applicant_credit_score",
    "co_applicant_credit_score",
    "applicant_ethnicity_1",
    "applicant_race_1",
    "applicant_sex",
    "co_applicant_ethnicity_1",
    "co_applicant_race_1",
    "co_applicant_sex",
)

# Models with a code of their own, and the first code after them without a model; beside them, 8
# means another model and 9 not applicable.
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


def _lowest(
    code: str, periods: EditPeriods, fields: tuple[str, str], models: tuple[int, ...], lowest: int
) -> Edit:
    """Return the edit that the scores of some models are not below the lowest."""
    score, model = fields
    return Edit(
        code=code,
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=periods,
        fields=(model, score),
        text=(
            f"If {called(model)} is {listed(models)}, then {called(score)} must be {lowest} or "
            "greater."
        ),
        holds=if_then(one_of(model, *models), num(score) >= lowest),
        breaks={model: models[0], score: lowest - 1},
    )


EDITS = (
    Edit(
        code="V660-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_APPLICANT,
        text="Credit Score of Applicant or Borrower must be a number, and cannot be left blank.",
        holds=number("applicant_credit_score"),
        breaks={"applicant_credit_score": "none"},
    ),
    *(
        Edit(
            code="V660-2",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=periods,
            fields=_APPLICANT,
            text=(
                f"{called('applicant_credit_score_type')} must be "
                f"{listed((*sorted((*models, 8, 9)), 1111))}, and cannot be left blank."
            ),
            holds=one_of("applicant_credit_score_type", *models, 8, 9, 1111),
            breaks={"applicant_credit_score_type": unlisted},
        )
        for periods, models, unlisted in _LISTED_MODELS
    ),
    Edit(
        code="V661",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_APPLICANT,
        text=(
            "If Credit Score of Applicant or Borrower is 8888 (not applicable), then Applicant or "
            "Borrower, Name and Version of Credit Scoring Model must be 9 (not applicable), and "
            "vice versa."
        ),
        holds=iff(one_of("applicant_credit_score", 8888), one_of("applicant_credit_score_type", 9)),
        breaks={"applicant_credit_score": 8888},
    ),
    # Both ways: without a free-form model, every code that is not listed fails.
    *(
        Edit(
            code="V662-1",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=periods,
            fields=_MODEL,
            text=(
                f"If {called('applicant_credit_score_type')} is "
                f"{listed((*sorted((*models, 9)), 1111))}, then "
                f"{called('applicant_credit_score_type_free_form')} must be left blank, and vice "
                "versa."
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
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_MODEL,
        text=(
            "If Applicant or Borrower, Name and Version of Credit Scoring Model is 8 (other credit "
            "scoring model), then Applicant or Borrower, Name and Version of Credit Scoring Model: "
            "Conditional Free Form Text Field for Code 8 cannot be left blank, and vice versa."
        ),
        holds=iff(
            one_of("applicant_credit_score_type", 8),
            ~blank("applicant_credit_score_type_free_form"),
        ),
        breaks={"applicant_credit_score_type_free_form": "House model"},
    ),
    Edit(
        code="V663",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("action_taken", *_APPLICANT, "applicant_credit_score_type_free_form"),
        text=(
            "If Action Taken is 4, 5, or 6 (application withdrawn, file closed for incompleteness, "
            "or purchased loan), then Credit Score of Applicant or Borrower must be 8888 (not "
            "applicable) or 1111 (exempt), Applicant or Borrower, Name and Version of Credit "
            "Scoring Model must be 9 (not applicable) or 1111 (exempt), and Applicant or Borrower, "
            "Name and Version of Credit Scoring Model: Conditional Free Form Text Field for Code 8 "
            "must be left blank."
        ),
        holds=if_then(one_of("action_taken", 4, 5, 6), _not_scored()),
        breaks=examples.PURCHASED
        | {"applicant_credit_score": 720, "applicant_credit_score_type": 1},
    ),
    # No co-applicant (9999 and 10) is not accepted for these actions, even if it is true.
    Edit(
        code="V664",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("action_taken", *_CO_APPLICANT, "co_applicant_credit_score_type_free_form"),
        text=(
            "If Action Taken is 4, 5, or 6 (application withdrawn, file closed for incompleteness, "
            "or purchased loan), then Credit Score of Co-Applicant or Co-Borrower must be 8888 "
            "(not applicable) or 1111 (exempt), Co-Applicant or Co-Borrower, Name and Version of "
            "Credit Scoring Model must be 9 (not applicable) or 1111 (exempt), and Co-Applicant or "
            "Co-Borrower, Name and Version of Credit Scoring Model: Conditional Free Form Text "
            "Field for Code 8 must be left blank."
        ),
        holds=if_then(one_of("action_taken", 4, 5, 6), _not_scored("co_")),
        breaks=examples.PURCHASED
        | {"co_applicant_credit_score": 9999, "co_applicant_credit_score_type": 10},
    ),
    Edit(
        code="V665-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_CO_APPLICANT,
        text=(
            "Credit Score of Co-Applicant or Co-Borrower must be a number, and cannot be left "
            "blank."
        ),
        holds=number("co_applicant_credit_score"),
        breaks={"co_applicant_credit_score": "none"},
    ),
    *(
        Edit(
            code="V665-2",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=periods,
            fields=_CO_APPLICANT,
            text=(
                f"{called('co_applicant_credit_score_type')} must be "
                f"{listed((*sorted((*models, 8, 9, 10)), 1111))}, and cannot be left blank."
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
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_CO_APPLICANT,
        text=(
            "If Credit Score of Co-Applicant or Co-Borrower is 8888 (not applicable), then "
            "Co-Applicant or Co-Borrower, Name and Version of Credit Scoring Model must be 9 (not "
            "applicable), and vice versa."
        ),
        holds=iff(
            one_of("co_applicant_credit_score", 8888),
            one_of("co_applicant_credit_score_type", 9),
        ),
        breaks={"co_applicant_credit_score": 720, "co_applicant_credit_score_type": 9},
    ),
    Edit(
        code="V666-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_CO_APPLICANT,
        text=(
            "If Credit Score of Co-Applicant or Co-Borrower is 9999 (no co-applicant), then "
            "Co-Applicant or Co-Borrower, Name and Version of Credit Scoring Model must be 10 (no "
            "co-applicant), and vice versa."
        ),
        holds=iff(
            one_of("co_applicant_credit_score", 9999),
            one_of("co_applicant_credit_score_type", 10),
        ),
        breaks={"co_applicant_credit_score": 720},
    ),
    # Unlike V662-1 the same in all years: a model that is not valid yet fails only V665-2.
    Edit(
        code="V667-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_CO_MODEL,
        text=(
            "If Co-Applicant or Co-Borrower, Name and Version of Credit Scoring Model is 1, 2, 3, "
            "4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, or 1111, then Co-Applicant or Co-Borrower, "
            "Name and Version of Credit Scoring Model: Conditional Free Form Text Field for Code 8 "
            "must be left blank, and vice versa."
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
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_CO_MODEL,
        text=(
            "If Co-Applicant or Co-Borrower, Name and Version of Credit Scoring Model is 8 (other "
            "credit scoring model), then Co-Applicant or Co-Borrower, Name and Version of Credit "
            "Scoring Model: Conditional Free Form Text Field for Code 8 cannot be left blank, and "
            "vice versa."
        ),
        holds=iff(
            one_of("co_applicant_credit_score_type", 8),
            ~blank("co_applicant_credit_score_type_free_form"),
        ),
        breaks={"co_applicant_credit_score_type_free_form": "House model"},
    ),
    # Purchased loans are included, unlike for age and income.
    Edit(
        code="V668-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_APPLICANTS,
        text=(
            f"If {NOT_NATURAL_APPLICANT}, then Credit Score of Applicant or Borrower must be 8888 "
            "(not applicable) or 1111 (exempt)."
        ),
        holds=if_then(not_natural_person(), one_of("applicant_credit_score", 1111, 8888)),
        breaks=examples.TO_A_COMPANY
        | {"applicant_credit_score": 720, "applicant_credit_score_type": 1},
    ),
    Edit(
        code="V668-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_APPLICANTS,
        text=(
            f"If {NOT_NATURAL_CO_APPLICANT}, then Credit Score of Co-Applicant or Co-Borrower must "
            "be 8888 (not applicable) or 1111 (exempt)."
        ),
        holds=if_then(not_natural_person("co_"), one_of("co_applicant_credit_score", 1111, 8888)),
        breaks=examples.WITH_A_COMPANY
        | {"co_applicant_credit_score": 720, "co_applicant_credit_score_type": 1},
    ),
    # Exempt for one means exempt for both, even without a co-applicant.
    Edit(
        code="V710",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=(
            "applicant_credit_score",
            "co_applicant_credit_score",
            *_MODEL,
            *_CO_MODEL,
        ),
        text=(
            "If Credit Score of Applicant or Borrower, Credit Score of Co-Applicant or "
            "Co-Borrower, Applicant or Borrower, Name and Version of Credit Scoring Model, or "
            "Co-Applicant or Co-Borrower, Name and Version of Credit Scoring Model is 1111 "
            "(exempt), then all four must be 1111, and Applicant or Borrower, Name and Version of "
            "Credit Scoring Model: Conditional Free Form Text Field for Code 8 and Co-Applicant or "
            "Co-Borrower, Name and Version of Credit Scoring Model: Conditional Free Form Text "
            "Field for Code 8 must be left blank."
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
    # More than one model (7) and another model (8) have no lowest score.
    _lowest("V720-1", between(2022, 2023), _APPLICANT, (1, 2, 3, 4, 5, 6, 11), 280),
    _lowest("V720-1", since(2024), _APPLICANT, (1, 2, 3, 4, 5, 6, 11, 12), 280),
    _lowest("V720-2", between(2022, 2023), _CO_APPLICANT, (1, 2, 3, 4, 5, 6, 11), 280),
    _lowest("V720-2", since(2024), _CO_APPLICANT, (1, 2, 3, 4, 5, 6, 11, 12), 280),
    _lowest("V720-3", since(2024), _APPLICANT, (13, 14, 15), 300),
    _lowest("V720-4", since(2024), _CO_APPLICANT, (13, 14, 15), 300),
)
