"""Quality edits of the applicant and the co-applicant: their ages."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, annual_only, since
from filing.edits.vocabulary import if_then, num, one_of

EDITS = (
    # Became Q614-1 in 2020.
    Edit(
        code="Q614",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=annual_only(2018, 2019),
        fields=("applicant_age",),
        text=(
            "If Age of Applicant or Borrower is not 8888 (not applicable), then it should "
            "generally be between 18 and 100."
        ),
        holds=if_then(~one_of("applicant_age", 8888), num("applicant_age").is_between(18, 100)),
        breaks={"applicant_age": 17},
    ),
    Edit(
        code="Q614-1",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2020),
        fields=("uli", "applicant_age"),
        text=(
            "If Age of Applicant or Borrower is not 8888 (not applicable), then it should "
            "generally be between 18 and 100."
        ),
        holds=if_then(~one_of("applicant_age", 8888), num("applicant_age").is_between(18, 100)),
        breaks={"applicant_age": 101},
    ),
    Edit(
        code="Q614-2",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2020),
        fields=("uli", "co_applicant_age"),
        text=(
            "If Age of Co-Applicant or Co-Borrower is neither 8888 (not applicable) nor 9999 (no "
            "co-applicant), then it should generally be between 18 and 100."
        ),
        holds=if_then(
            ~one_of("co_applicant_age", 8888, 9999),
            num("co_applicant_age").is_between(18, 100),
        ),
        breaks={"co_applicant_age": 17},
    ),
    # 8888 and 9999 pass as well.
    Edit(
        code="Q622",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("reverse_mortgage", "applicant_age"),
        text=(
            "If Reverse Mortgage is 1, then Age of Applicant or Borrower should generally be 62 or "
            "greater."
        ),
        holds=if_then(one_of("reverse_mortgage", 1), num("applicant_age") >= 62),
        breaks=examples.REVERSE_MORTGAGE | {"applicant_age": 61},
    ),
)
