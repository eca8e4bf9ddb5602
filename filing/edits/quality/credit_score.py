"""Quality edits of the credit scores of applicant and co-applicant."""

from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import if_then, num, one_of

_SCORES_AND_MODELS = (
    "applicant_credit_score",
    "applicant_credit_score_type",
    "co_applicant_credit_score",
    "co_applicant_credit_score_type",
)
# Exempt, not a number, not applicable, and no co-applicant; the last passes for the applicant
# as well.
_NO_SCORES = (1111, 7777, 8888, 9999)

EDITS = (
    Edit(
        code="Q642-1",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_SCORES_AND_MODELS,
        text=(
            "If Credit Score of Applicant or Borrower is 7777 (not a number), then Applicant or "
            "Borrower, Name and Version of Credit Scoring Model should generally be 7 or 8 (more "
            "than one, or other, credit scoring model)."
        ),
        holds=if_then(
            one_of("applicant_credit_score", 7777), one_of("applicant_credit_score_type", 7, 8)
        ),
        breaks={"applicant_credit_score": 7777},
    ),
    Edit(
        code="Q642-2",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_SCORES_AND_MODELS,
        text=(
            "If Credit Score of Co-Applicant or Co-Borrower is 7777 (not a number), then "
            "Co-Applicant or Co-Borrower, Name and Version of Credit Scoring Model should "
            "generally be 7 or 8 (more than one, or other, credit scoring model)."
        ),
        holds=if_then(
            one_of("co_applicant_credit_score", 7777),
            one_of("co_applicant_credit_score_type", 7, 8),
        ),
        breaks={"co_applicant_credit_score": 7777, "co_applicant_credit_score_type": 1},
    ),
    Edit(
        code="Q649-1",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2020),
        fields=("applicant_credit_score",),
        text=(
            "Credit Score of Applicant or Borrower should generally be between 300 and 900, or be "
            "1111, 7777, 8888, or 9999."
        ),
        holds=one_of("applicant_credit_score", *_NO_SCORES)
        | num("applicant_credit_score").is_between(300, 900),
        breaks={"applicant_credit_score": 299},
    ),
    Edit(
        code="Q649-2",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2020),
        fields=("co_applicant_credit_score",),
        text=(
            "Credit Score of Co-Applicant or Co-Borrower should generally be between 300 and 900, "
            "or be 1111, 7777, 8888, or 9999."
        ),
        holds=one_of("co_applicant_credit_score", *_NO_SCORES)
        | num("co_applicant_credit_score").is_between(300, 900),
        breaks={"co_applicant_credit_score": 901, "co_applicant_credit_score_type": 1},
    ),
)
