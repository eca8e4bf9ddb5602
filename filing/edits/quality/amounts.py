"""Quality edits of the loan amount, in dollars, beside units, income, type and purpose."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, since
from filing.edits.vocabulary import if_then, num, one_of

EDITS = (
    Edit(
        code="Q623",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("loan_amount", "total_units", "income"),
        text=(
            "An income of up to 200,000 dollars and a loan of two million or more on a "
            "one-to-four-unit property do not fit well."
        ),
        holds=if_then(
            (num("total_units") <= 4) & (num("income") <= 200),
            num("loan_amount") < 2_000_000,
        ),
        breaks={"loan_amount": "2000000", "property_value": "2500000"},
    ),
    # The limits of Q624 to Q628 are the same in all years; those of FHA and the counties are not
    # looked at.
    Edit(
        code="Q624",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("loan_type", "total_units", "loan_amount"),
        text="An FHA loan on a single unit is rarely above 637,000 dollars.",
        holds=if_then(
            one_of("loan_type", 2) & one_of("total_units", 1),
            num("loan_amount") <= 637_000,
        ),
        breaks={"loan_type": 2, "loan_amount": "637000.01", "property_value": "800000"},
    ),
    Edit(
        code="Q625",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("loan_type", "total_units", "loan_amount"),
        text="A VA loan on one to four units is rarely above 1,050,000 dollars.",
        holds=if_then(
            one_of("loan_type", 3) & (num("total_units") <= 4),
            num("loan_amount") <= 1_050_000,
        ),
        breaks={"loan_type": 3, "loan_amount": "1050000.01", "property_value": "1500000"},
    ),
    Edit(
        code="Q626",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("purchaser_type", "total_units", "loan_amount"),
        text=(
            "Loans on one to four units sold to Fannie, Ginnie, Freddie or Farmer Mac are "
            "rarely above 1,225,000 dollars."
        ),
        holds=if_then(
            one_of("purchaser_type", 1, 2, 3, 4) & (num("total_units") <= 4),
            num("loan_amount") <= 1_225_000,
        ),
        breaks={"purchaser_type": 1, "loan_amount": "1225000.01", "property_value": "1600000"},
    ),
    Edit(
        code="Q627",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("total_units", "loan_amount"),
        text=(
            "Loans on five or more units normally lie between one hundred thousand and ten "
            "million dollars."
        ),
        holds=if_then(
            num("total_units") >= 5,
            (num("loan_amount") >= 100_000) & (num("loan_amount") <= 10_000_000),
        ),
        breaks=examples.MULTIFAMILY | {"loan_amount": "99999.99"},
    ),
    Edit(
        code="Q628",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("loan_purpose", "loan_amount", "total_units"),
        text="Purchase loans on one to four units are normally above 10,000 dollars.",
        holds=if_then(
            one_of("loan_purpose", 1) & (num("total_units") <= 4),
            num("loan_amount") > 10_000,
        ),
        breaks={"loan_purpose": 1, "loan_amount": "10000"},
    ),
    Edit(
        code="Q645-1",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2019),
        fields=("loan_amount",),
        text="Loan amounts below 500 dollars are doubtful.",
        holds=num("loan_amount") >= 500,
        breaks={"loan_amount": "499.99", "discount_points": "50"},
    ),
    Edit(
        code="Q645-2",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2019),
        fields=("loan_amount", "loan_purpose"),
        text="Purchase loans below 1,000 dollars are doubtful.",
        holds=if_then(one_of("loan_purpose", 1), num("loan_amount") >= 1_000),
        breaks={"loan_purpose": 1, "loan_amount": "999.99", "discount_points": "50"},
    ),
)
