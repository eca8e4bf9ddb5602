"""Quality edits of the credit scores of applicant and co-applicant."""

from filing.edits.edit import Edit, Kind, Level, since
from filing.edits.vocabulary import if_then, num, one_of

_SCORES_AND_MODELS = (
    "applicant_credit_score",
    "applicant_credit_score_type",
    "co_applicant_credit_score",
    "co_applicant_credit_score_type",
)
# Exempt, not a number, not applicable and no co-applicant: the last is let through for the
# applicant too.
_NO_SCORES = (1111, 7777, 8888, 9999)

EDITS = (
    Edit(
        code="Q642-1",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_SCORES_AND_MODELS,
        text="A score that is not a number (7777) goes with scoring model 7 or 8.",
        holds=if_then(
            one_of("applicant_credit_score", 7777), one_of("applicant_credit_score_type", 7, 8)
        ),
        breaks={"applicant_credit_score": 7777},
    ),
    Edit(
        code="Q642-2",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_SCORES_AND_MODELS,
        text="A co-applicant score that is not a number (7777) goes with scoring model 7 or 8.",
        holds=if_then(
            one_of("co_applicant_credit_score", 7777),
            one_of("co_applicant_credit_score_type", 7, 8),
        ),
        breaks={"co_applicant_credit_score": 7777, "co_applicant_credit_score_type": 1},
    ),
    Edit(
        code="Q649-1",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2020),
        fields=("applicant_credit_score",),
        text="Credit scores normally lie between 300 and 900.",
        holds=one_of("applicant_credit_score", *_NO_SCORES)
        | num("applicant_credit_score").is_between(300, 900),
        breaks={"applicant_credit_score": 299},
    ),
    Edit(
        code="Q649-2",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2020),
        fields=("co_applicant_credit_score",),
        text="Co-applicant credit scores normally lie between 300 and 900.",
        holds=one_of("co_applicant_credit_score", *_NO_SCORES)
        | num("co_applicant_credit_score").is_between(300, 900),
        breaks={"co_applicant_credit_score": 901, "co_applicant_credit_score_type": 1},
    ),
)
