"""Validity edits of the debt-to-income and the combined loan-to-value ratio, in percent."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, since
from filing.edits.vocabulary import (
    if_then,
    no_co_applicant,
    not_natural_person,
    num,
    number,
    one_of,
)

_DEBT_TO_INCOME = ("debt_to_income_ratio", "multifamily_affordable_units", "action_taken")
_DEBT_TO_INCOME_OF_WHOM = (
    "debt_to_income_ratio",
    "applicant_ethnicity_1",
    "applicant_race_1",
    "applicant_sex",
    "co_applicant_ethnicity_1",
    "co_applicant_race_1",
    "co_applicant_sex",
)
_COMBINED_LOAN_TO_VALUE = ("combined_loan_to_value_ratio", "action_taken")

EDITS = (
    Edit(
        code="V679-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_DEBT_TO_INCOME,
        text="Debt-to-income ratio must be a number, NA or Exempt.",
        holds=one_of("debt_to_income_ratio", "NA", "Exempt") | number("debt_to_income_ratio"),
        breaks={"debt_to_income_ratio": "none"},
    ),
    Edit(
        code="V679-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_DEBT_TO_INCOME,
        text=(
            "For a withdrawn, incomplete or purchased loan, debt-to-income ratio must be NA or "
            "Exempt."
        ),
        holds=if_then(
            one_of("action_taken", 4, 5, 6), one_of("debt_to_income_ratio", "NA", "Exempt")
        ),
        breaks=examples.PURCHASED | {"debt_to_income_ratio": "36"},
    ),
    Edit(
        code="V679-3",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_DEBT_TO_INCOME,
        text=(
            "When a number of affordable units is reported, debt-to-income ratio must be NA or "
            "Exempt."
        ),
        holds=if_then(
            number("multifamily_affordable_units"), one_of("debt_to_income_ratio", "NA", "Exempt")
        ),
        breaks=examples.MULTIFAMILY | {"debt_to_income_ratio": "36"},
    ),
    Edit(
        code="V680-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_DEBT_TO_INCOME_OF_WHOM,
        text=(
            "When the applicant is not a natural person and there is no co-applicant, "
            "debt-to-income ratio must be NA or Exempt."
        ),
        holds=if_then(
            not_natural_person() & no_co_applicant(),
            one_of("debt_to_income_ratio", "NA", "Exempt"),
        ),
        breaks=examples.TO_A_COMPANY | {"debt_to_income_ratio": "36"},
    ),
    Edit(
        code="V680-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_DEBT_TO_INCOME_OF_WHOM,
        text=(
            "When neither applicant nor co-applicant is a natural person, debt-to-income ratio "
            "must be NA or Exempt."
        ),
        holds=if_then(
            not_natural_person() & not_natural_person("co_"),
            one_of("debt_to_income_ratio", "NA", "Exempt"),
        ),
        breaks=examples.TO_TWO_COMPANIES | {"debt_to_income_ratio": "36"},
    ),
    Edit(
        code="V681-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_COMBINED_LOAN_TO_VALUE,
        text="Combined loan-to-value ratio must be a number above zero, NA or Exempt.",
        holds=(
            one_of("combined_loan_to_value_ratio", "NA", "Exempt")
            | (num("combined_loan_to_value_ratio") > 0)
        ),
        breaks={"combined_loan_to_value_ratio": "0", "property_value": "NA"},
    ),
    Edit(
        code="V681-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_COMBINED_LOAN_TO_VALUE,
        text=(
            "For a withdrawn, incomplete or purchased loan, combined loan-to-value ratio must be "
            "NA or Exempt."
        ),
        holds=if_then(
            one_of("action_taken", 4, 5, 6), one_of("combined_loan_to_value_ratio", "NA", "Exempt")
        ),
        breaks=examples.PURCHASED | {"combined_loan_to_value_ratio": "80"},
    ),
)
