"""Quality edits of the costs of a loan, in dollars."""

from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.rounding import at_most_percent
from filing.edits.sentences import Condition
from filing.edits.vocabulary import if_then, num, number

_CHARGES = ("origination_charges", "total_loan_costs", "total_points_and_fees")
_POINTS = ("discount_points", "total_loan_costs", "total_points_and_fees")


def _exceeds(total: str, part: str) -> Condition:
    """Hold where the total is more than the part, if both are numbers other than 0."""
    return if_then(_is_amount(total) & _is_amount(part), num(total) > num(part))


def _is_amount(field: str) -> Condition:
    return number(field) & (num(field) != 0)


EDITS = (
    Edit(
        code="Q615-1",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_CHARGES,
        text=(
            "If Total Loan Costs and Origination Charges are both numbers other than 0, then Total "
            "Loan Costs should generally be greater than Origination Charges."
        ),
        holds=_exceeds("total_loan_costs", "origination_charges"),
        breaks={"total_loan_costs": "1200"},
    ),
    Edit(
        code="Q615-2",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_CHARGES,
        text=(
            "If Total Points and Fees and Origination Charges are both numbers other than 0, then "
            "Total Points and Fees should generally be greater than Origination Charges."
        ),
        holds=_exceeds("total_points_and_fees", "origination_charges"),
        breaks={"total_loan_costs": "NA", "total_points_and_fees": "1200"},
    ),
    Edit(
        code="Q616-1",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_POINTS,
        text=(
            "If Total Loan Costs and Discount Points are both numbers other than 0, then Total "
            "Loan Costs should generally be greater than Discount Points."
        ),
        holds=_exceeds("total_loan_costs", "discount_points"),
        breaks={"discount_points": "3500.50"},
    ),
    Edit(
        code="Q616-2",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_POINTS,
        text=(
            "If Total Points and Fees and Discount Points are both numbers other than 0, then "
            "Total Points and Fees should generally be greater than Discount Points."
        ),
        holds=_exceeds("total_points_and_fees", "discount_points"),
        breaks={
            "total_loan_costs": "NA",
            "total_points_and_fees": "2000",
            "discount_points": "2000",
        },
    ),
    Edit(
        code="Q616-3",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2025),
        fields=("discount_points", "loan_amount"),
        text="Discount Points, in dollars, should generally be no more than 15% of Loan Amount.",
        holds=at_most_percent("discount_points", 15, "loan_amount"),
        breaks={"total_loan_costs": "40000", "discount_points": "37500.01"},
    ),
)
