"""Validity edits of the costs of a loan, in dollars: from total loan costs to lender credits."""

from typing import NamedTuple

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.sentences import Condition
from filing.edits.vocabulary import blank, called, if_then, iff, num, one_of


class _Loans(NamedTuple):
    """Loans of a kind: the clause that names them, the condition, and a correct example."""

    clause: str
    condition: Condition
    example: dict[str, str | int]


_REVERSE_MORTGAGE = _Loans(
    "If Reverse Mortgage is 1",
    one_of("reverse_mortgage", 1),
    examples.REVERSE_MORTGAGE,
)
_LINE_OF_CREDIT = _Loans(
    "If Open-End Line of Credit is 1",
    one_of("open_end_line_of_credit", 1),
    examples.LINE_OF_CREDIT,
)
_BUSINESS_PURPOSE = _Loans(
    "If Business or Commercial Purpose is 1",
    one_of("business_or_commercial_purpose", 1),
    examples.BUSINESS_PURPOSE,
)
_NO_LOAN = _Loans(
    "If Action Taken is 2, 3, 4, 5, 7, or 8 (neither originated nor purchased)",
    one_of("action_taken", 2, 3, 4, 5, 7, 8),
    examples.NOT_ACCEPTED,
)
# For a purchased loan, points and fees are not reported, unlike the other costs.
_NOT_ORIGINATED = _Loans(
    "If Action Taken is 2, 3, 4, 5, 6, 7, or 8 (not originated)",
    one_of("action_taken", 2, 3, 4, 5, 6, 7, 8),
    examples.NOT_ACCEPTED,
)

_TOTAL_LOAN_COSTS = (
    "total_loan_costs",
    "total_points_and_fees",
    "action_taken",
    "reverse_mortgage",
    "open_end_line_of_credit",
    "business_or_commercial_purpose",
)
_TOTAL_POINTS_AND_FEES = (
    "total_points_and_fees",
    "action_taken",
    "reverse_mortgage",
    "business_or_commercial_purpose",
)
_WHEN = (
    "reverse_mortgage",
    "open_end_line_of_credit",
    "business_or_commercial_purpose",
    "action_taken",
)
_ORIGINATION_CHARGES = ("origination_charges", *_WHEN)
_DISCOUNT_POINTS = ("discount_points", *_WHEN)
_LENDER_CREDITS = ("lender_credits", *_WHEN)


def _without(code: str, loans: _Loans, fields: tuple[str, ...]) -> Edit:
    """Return the edit that the first field is NA or Exempt, not blank, for loans of a kind."""
    column = fields[0]
    return Edit(
        code=code,
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=fields,
        text=f"{loans.clause}, then {called(column)} must be Exempt or NA.",
        holds=if_then(loans.condition, one_of(column, "NA", "Exempt")),
        breaks=loans.example | {column: "100"},
    )


EDITS = (
    Edit(
        code="V672-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_TOTAL_LOAN_COSTS,
        text=(
            "Total Loan Costs must be a number greater than or equal to 0, Exempt, or NA, and "
            "cannot be left blank."
        ),
        holds=one_of("total_loan_costs", "NA", "Exempt") | (num("total_loan_costs") >= 0),
        breaks=examples.NO_COSTS | {"total_loan_costs": "-0.01"},
    ),
    Edit(
        code="V672-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_TOTAL_LOAN_COSTS,
        text=(
            "If Total Points and Fees is a number greater than or equal to 0, then Total Loan "
            "Costs must be NA."
        ),
        holds=if_then(num("total_points_and_fees") >= 0, one_of("total_loan_costs", "NA")),
        breaks={"total_points_and_fees": "2000"},
    ),
    _without("V672-3", _REVERSE_MORTGAGE, _TOTAL_LOAN_COSTS),
    _without("V672-4", _LINE_OF_CREDIT, _TOTAL_LOAN_COSTS),
    _without("V672-5", _BUSINESS_PURPOSE, _TOTAL_LOAN_COSTS),
    _without("V672-6", _NO_LOAN, _TOTAL_LOAN_COSTS),
    Edit(
        code="V673-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_TOTAL_POINTS_AND_FEES,
        text=(
            "Total Points and Fees must be a number greater than or equal to 0, Exempt, or NA, and "
            "cannot be left blank."
        ),
        holds=one_of("total_points_and_fees", "NA", "Exempt") | (num("total_points_and_fees") >= 0),
        breaks=examples.NO_COSTS | {"total_points_and_fees": "-0.01"},
    ),
    _without("V673-2", _NOT_ORIGINATED, _TOTAL_POINTS_AND_FEES),
    _without("V673-3", _REVERSE_MORTGAGE, _TOTAL_POINTS_AND_FEES),
    _without("V673-4", _BUSINESS_PURPOSE, _TOTAL_POINTS_AND_FEES),
    Edit(
        code="V673-5",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_TOTAL_POINTS_AND_FEES,
        text=(
            "If Total Loan Costs is a number greater than or equal to 0, then Total Points and "
            "Fees must be NA."
        ),
        holds=if_then(num("total_loan_costs") >= 0, one_of("total_points_and_fees", "NA")),
        breaks={"total_points_and_fees": "2000"},
    ),
    Edit(
        code="V674-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_ORIGINATION_CHARGES,
        text=(
            "Origination Charges must be a number greater than or equal to 0, Exempt, or NA, and "
            "cannot be left blank."
        ),
        holds=one_of("origination_charges", "NA", "Exempt") | (num("origination_charges") >= 0),
        breaks={"origination_charges": "-0.01"},
    ),
    _without("V674-2", _REVERSE_MORTGAGE, _ORIGINATION_CHARGES),
    _without("V674-3", _LINE_OF_CREDIT, _ORIGINATION_CHARGES),
    _without("V674-4", _BUSINESS_PURPOSE, _ORIGINATION_CHARGES),
    _without("V674-5", _NO_LOAN, _ORIGINATION_CHARGES),
    # No points and no credits are reported as a blank, not as 0.
    Edit(
        code="V675-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_DISCOUNT_POINTS,
        text="Discount Points must be a number greater than 0, Exempt, or NA, or be left blank.",
        holds=(
            blank("discount_points")
            | one_of("discount_points", "NA", "Exempt")
            | (num("discount_points") > 0)
        ),
        breaks={"discount_points": "0"},
    ),
    _without("V675-2", _REVERSE_MORTGAGE, _DISCOUNT_POINTS),
    _without("V675-3", _LINE_OF_CREDIT, _DISCOUNT_POINTS),
    _without("V675-4", _BUSINESS_PURPOSE, _DISCOUNT_POINTS),
    _without("V675-5", _NO_LOAN, _DISCOUNT_POINTS),
    Edit(
        code="V676-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_LENDER_CREDITS,
        text="Lender Credits must be a number greater than 0, Exempt, or NA, or be left blank.",
        holds=(
            blank("lender_credits")
            | one_of("lender_credits", "NA", "Exempt")
            | (num("lender_credits") > 0)
        ),
        breaks={"lender_credits": "0"},
    ),
    _without("V676-2", _REVERSE_MORTGAGE, _LENDER_CREDITS),
    _without("V676-3", _LINE_OF_CREDIT, _LENDER_CREDITS),
    _without("V676-4", _BUSINESS_PURPOSE, _LENDER_CREDITS),
    _without("V676-5", _NO_LOAN, _LENDER_CREDITS),
    Edit(
        code="V712",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("total_loan_costs", "total_points_and_fees"),
        text="Total Loan Costs and Total Points and Fees must both be Exempt, or neither.",
        holds=iff(one_of("total_points_and_fees", "Exempt"), one_of("total_loan_costs", "Exempt")),
        breaks={"total_loan_costs": "NA", "total_points_and_fees": "Exempt"},
    ),
)
