"""Quality edits of the loan amount, in dollars, beside units, income, type and purpose."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import if_then, num, one_of

EDITS = (
    Edit(
        code="Q623",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("loan_amount", "total_units", "income"),
        text=(
            "If Total Units is 4 or less and Income is 200 or less ($200,000), then Loan Amount "
            "should generally be less than $2,000,000."
        ),
        holds=if_then(
            (num("total_units") <= 4) & (num("income") <= 200),
            num("loan_amount") < 2_000_000,
        ),
        breaks={"loan_amount": "2000000", "property_value": "2500000"},
    ),
    # The limits of Q624 to Q628 are the same in all years, whatever those of FHA and the counties.
    Edit(
        code="Q624",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("loan_type", "total_units", "loan_amount"),
        text=(
            "If Loan Type is 2 (FHA) and Total Units is 1, then Loan Amount should generally be "
            "$637,000 or less."
        ),
        holds=if_then(
            one_of("loan_type", 2) & one_of("total_units", 1),
            num("loan_amount") <= 637_000,
        ),
        breaks={"loan_type": 2, "loan_amount": "637000.01", "property_value": "800000"},
    ),
    Edit(
        code="Q625",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("loan_type", "total_units", "loan_amount"),
        text=(
            "If Loan Type is 3 (VA) and Total Units is 4 or less, then Loan Amount should "
            "generally be $1,050,000 or less."
        ),
        holds=if_then(
            one_of("loan_type", 3) & (num("total_units") <= 4),
            num("loan_amount") <= 1_050_000,
        ),
        breaks={"loan_type": 3, "loan_amount": "1050000.01", "property_value": "1500000"},
    ),
    Edit(
        code="Q626",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("purchaser_type", "total_units", "loan_amount"),
        text=(
            "If Type of Purchaser is 1, 2, 3, or 4 (Fannie Mae, Ginnie Mae, Freddie Mac, or Farmer "
            "Mac) and Total Units is 4 or less, then Loan Amount should generally be $1,225,000 or "
            "less."
        ),
        holds=if_then(
            one_of("purchaser_type", 1, 2, 3, 4) & (num("total_units") <= 4),
            num("loan_amount") <= 1_225_000,
        ),
        breaks={"purchaser_type": 1, "loan_amount": "1225000.01", "property_value": "1600000"},
    ),
    Edit(
        code="Q627",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("total_units", "loan_amount"),
        text=(
            "If Total Units is 5 or greater, then Loan Amount should generally be between $100,000 "
            "and $10,000,000."
        ),
        holds=if_then(
            num("total_units") >= 5,
            (num("loan_amount") >= 100_000) & (num("loan_amount") <= 10_000_000),
        ),
        breaks=examples.MULTIFAMILY | {"loan_amount": "99999.99"},
    ),
    Edit(
        code="Q628",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("loan_purpose", "loan_amount", "total_units"),
        text=(
            "If Loan Purpose is 1 (home purchase) and Total Units is 4 or less, then Loan Amount "
            "should generally be greater than $10,000."
        ),
        holds=if_then(
            one_of("loan_purpose", 1) & (num("total_units") <= 4),
            num("loan_amount") > 10_000,
        ),
        breaks={"loan_purpose": 1, "loan_amount": "10000"},
    ),
    Edit(
        code="Q645-1",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2019),
        fields=("loan_amount",),
        text="Loan Amount should generally be $500 or greater.",
        holds=num("loan_amount") >= 500,
        breaks={"loan_amount": "499.99", "discount_points": "50"},
    ),
    Edit(
        code="Q645-2",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2019),
        fields=("loan_amount", "loan_purpose"),
        text=(
            "If Loan Purpose is 1 (home purchase), then Loan Amount should generally be $1,000 or "
            "greater."
        ),
        holds=if_then(one_of("loan_purpose", 1), num("loan_amount") >= 1_000),
        breaks={"loan_purpose": 1, "loan_amount": "999.99", "discount_points": "50"},
    ),
)
