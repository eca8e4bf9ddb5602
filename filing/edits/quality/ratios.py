"""Quality edits of the ratios: combined loan to value and debt to income, both in percent."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, annual_only, between, since
from filing.edits.rounding import covers_loan_to_value
from filing.edits.sentences import Condition
from filing.edits.vocabulary import if_then, num, number, one_of

_COMBINED, _DEBT = "combined_loan_to_value_ratio", "debt_to_income_ratio"
_LOAN_TO_VALUE = (_COMBINED, "loan_amount", "property_value")


def _not_a_fraction(ratio: str, least: float) -> Condition:
    """Hold where the ratio, if above 0, is large enough for a percentage."""
    return if_then(num(ratio) > 0, num(ratio) >= least)


def _up_to(most: int, ratio: str) -> Condition:
    """Hold where the ratio is no less than 0 and no more than this, or is NA or Exempt."""
    return one_of(ratio, "NA", "Exempt") | (num(ratio) >= 0) & (num(ratio) <= most)


EDITS = (
    # A property value of 0 leaves nothing to compare.
    Edit(
        code="Q617",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=annual_only(2018, 2019),
        fields=_LOAN_TO_VALUE,
        text=(
            "Combined Loan-to-Value Ratio should generally be at least the loan-to-value ratio "
            "calculated from Loan Amount and Property Value."
        ),
        holds=covers_loan_to_value(_COMBINED, as_typed=True),
        breaks={_COMBINED: "79"},
    ),
    Edit(
        code="Q617",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2020),
        fields=_LOAN_TO_VALUE,
        text=(
            "If Loan Type is 1 (conventional), then Combined Loan-to-Value Ratio should generally "
            "be at least the loan-to-value ratio calculated from Loan Amount and Property Value."
        ),
        holds=if_then(one_of("loan_type", 1), covers_loan_to_value(_COMBINED)),
        breaks={_COMBINED: "79"},
    ),
    Edit(
        code="Q651",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=between(2020, 2024),
        fields=(_COMBINED,),
        text=(
            "If Combined Loan-to-Value Ratio is greater than 0, then it should generally be 1% or "
            "greater: report a percentage, such as 80, not a fraction, such as 0.8."
        ),
        holds=_not_a_fraction(_COMBINED, 1),
        breaks={_COMBINED: "0.8", "property_value": "NA"},
    ),
    Edit(
        code="Q651-1",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2025),
        fields=(_COMBINED,),
        text=(
            "If Combined Loan-to-Value Ratio is greater than 0, then it should generally be 1.5% "
            "or greater: report a percentage, such as 80, not a fraction, such as 0.8."
        ),
        holds=_not_a_fraction(_COMBINED, 1.5),
        breaks={_COMBINED: "1.49", "property_value": "NA"},
    ),
    Edit(
        code="Q651-2",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2025),
        fields=(_COMBINED,),
        text=(
            "If Combined Loan-to-Value Ratio is a number, then it should generally be less than "
            "150%."
        ),
        holds=if_then(number(_COMBINED), num(_COMBINED) < 150),
        breaks={_COMBINED: "150"},
    ),
    Edit(
        code="Q652",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2020),
        fields=(_DEBT,),
        text=(
            "If Debt-to-Income Ratio is greater than 0, then it should generally be 1% or greater: "
            "report a percentage, such as 36, not a fraction, such as 0.36."
        ),
        holds=_not_a_fraction(_DEBT, 1),
        breaks={_DEBT: "0.36"},
    ),
    # The two parts of Q653 allow more than Q651-2: a ratio may trigger both.
    Edit(
        code="Q653-1",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2020),
        fields=("action_taken", _COMBINED),
        text=(
            "If Action Taken is 1, 2, or 8 (originated, or approved but not accepted), then "
            "Combined Loan-to-Value Ratio should generally be between 0% and 250%, Exempt, or NA."
        ),
        holds=if_then(one_of("action_taken", 1, 2, 8), _up_to(250, _COMBINED)),
        breaks={_COMBINED: "250.01"},
    ),
    Edit(
        code="Q653-2",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2020),
        fields=("action_taken", _COMBINED),
        text=(
            "If Action Taken is 3, 4, 5, 6, or 7, then Combined Loan-to-Value Ratio should "
            "generally be between 0% and 1,000%, Exempt, or NA."
        ),
        holds=if_then(one_of("action_taken", 3, 4, 5, 6, 7), _up_to(1_000, _COMBINED)),
        breaks=examples.DENIED | {_COMBINED: "1000.01"},
    ),
    Edit(
        code="Q654",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2020),
        fields=(_DEBT, "income", "action_taken"),
        text=(
            "If Income is greater than 5 ($5,000) and Action Taken is 1, 2, or 8 (originated, or "
            "approved but not accepted), then Debt-to-Income Ratio should generally be between 0% "
            "and 80%, Exempt, or NA."
        ),
        holds=if_then(
            (num("income") > 5) & one_of("action_taken", 1, 2, 8),
            _up_to(80, _DEBT),
        ),
        breaks={_DEBT: "80.01"},
    ),
)
