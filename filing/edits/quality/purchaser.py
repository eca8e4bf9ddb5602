"""Quality edits of the type of purchaser."""

from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import if_then, num, one_of

EDITS = (
    Edit(
        code="Q605-1",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("purchaser_type", "loan_type"),
        text=(
            "If Type of Purchaser is 1 or 3 (Fannie Mae or Freddie Mac), then Loan Type should "
            "generally be 1 (conventional)."
        ),
        holds=if_then(one_of("purchaser_type", 1, 3), one_of("loan_type", 1)),
        breaks={"purchaser_type": 1, "loan_type": 2},
    ),
    Edit(
        code="Q605-2",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("purchaser_type", "loan_type"),
        text=(
            "If Type of Purchaser is 2 (Ginnie Mae), then Loan Type should generally be 2, 3, or 4 "
            "(FHA, VA, or RHS or FSA)."
        ),
        holds=if_then(one_of("purchaser_type", 2), one_of("loan_type", 2, 3, 4)),
        breaks={"purchaser_type": 2},
    ),
    Edit(
        code="Q609",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("purchaser_type", "rate_spread"),
        text=(
            "If Type of Purchaser is 1, 2, 3, or 4 (Fannie Mae, Ginnie Mae, Freddie Mac, or Farmer "
            "Mac), then Rate Spread should generally be 10% or less, Exempt, or NA."
        ),
        holds=if_then(
            one_of("purchaser_type", 1, 2, 3, 4),
            one_of("rate_spread", "NA", "Exempt") | (num("rate_spread") <= 10),
        ),
        breaks={"purchaser_type": 4, "rate_spread": "10.01", "hoepa_status": 1},
    ),
    Edit(
        code="Q612",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("purchaser_type", "hoepa_status"),
        text=(
            "If Type of Purchaser is 1 or 3 (Fannie Mae or Freddie Mac), then HOEPA Status should "
            "generally be 2 or 3 (not a high-cost mortgage, or not applicable)."
        ),
        holds=if_then(one_of("purchaser_type", 1, 3), one_of("hoepa_status", 2, 3)),
        breaks={"purchaser_type": 3, "hoepa_status": 1},
    ),
)
