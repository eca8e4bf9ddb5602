"""Validity edits of the debt-to-income and the combined loan-to-value ratio, in percent."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import (
    NO_CO_APPLICANT,
    NOT_NATURAL_APPLICANT,
    NOT_NATURAL_CO_APPLICANT,
    if_then,
    no_co_applicant,
    not_natural_person,
    num,
    number,
    one_of,
)

_DEBT_TO_INCOME = ("debt_to_income_ratio", "multifamily_affordable_units", "action_taken")
_DEBT_TO_INCOME_APPLICANTS = (
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
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_DEBT_TO_INCOME,
        text="Debt-to-Income Ratio must be a number, Exempt, or NA, and cannot be left blank.",
        holds=one_of("debt_to_income_ratio", "NA", "Exempt") | number("debt_to_income_ratio"),
        breaks={"debt_to_income_ratio": "none"},
    ),
    Edit(
        code="V679-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_DEBT_TO_INCOME,
        text=(
            "If Action Taken is 4, 5, or 6 (application withdrawn, file closed for incompleteness, "
            "or purchased loan), then Debt-to-Income Ratio must be Exempt or NA."
        ),
        holds=if_then(
            one_of("action_taken", 4, 5, 6), one_of("debt_to_income_ratio", "NA", "Exempt")
        ),
        breaks=examples.PURCHASED | {"debt_to_income_ratio": "36"},
    ),
    Edit(
        code="V679-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_DEBT_TO_INCOME,
        text=(
            "If Multifamily Affordable Units is a number, then Debt-to-Income Ratio must be Exempt "
            "or NA."
        ),
        holds=if_then(
            number("multifamily_affordable_units"), one_of("debt_to_income_ratio", "NA", "Exempt")
        ),
        breaks=examples.MULTIFAMILY | {"debt_to_income_ratio": "36"},
    ),
    Edit(
        code="V680-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_DEBT_TO_INCOME_APPLICANTS,
        text=(
            f"If {NOT_NATURAL_APPLICANT} and {NO_CO_APPLICANT}, then Debt-to-Income Ratio must be "
            "Exempt or NA."
        ),
        holds=if_then(
            not_natural_person() & no_co_applicant(),
            one_of("debt_to_income_ratio", "NA", "Exempt"),
        ),
        breaks=examples.TO_A_COMPANY | {"debt_to_income_ratio": "36"},
    ),
    Edit(
        code="V680-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_DEBT_TO_INCOME_APPLICANTS,
        text=(
            f"If {NOT_NATURAL_APPLICANT} and {NOT_NATURAL_CO_APPLICANT}, then Debt-to-Income Ratio "
            "must be Exempt or NA."
        ),
        holds=if_then(
            not_natural_person() & not_natural_person("co_"),
            one_of("debt_to_income_ratio", "NA", "Exempt"),
        ),
        breaks=examples.TO_TWO_COMPANIES | {"debt_to_income_ratio": "36"},
    ),
    Edit(
        code="V681-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_COMBINED_LOAN_TO_VALUE,
        text=(
            "Combined Loan-to-Value Ratio must be a number greater than 0, Exempt, or NA, and "
            "cannot be left blank."
        ),
        holds=(
            one_of("combined_loan_to_value_ratio", "NA", "Exempt")
            | (num("combined_loan_to_value_ratio") > 0)
        ),
        breaks={"combined_loan_to_value_ratio": "0", "property_value": "NA"},
    ),
    Edit(
        code="V681-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_COMBINED_LOAN_TO_VALUE,
        text=(
            "If Action Taken is 4, 5, or 6 (application withdrawn, file closed for incompleteness, "
            "or purchased loan), then Combined Loan-to-Value Ratio must be Exempt or NA."
        ),
        holds=if_then(
            one_of("action_taken", 4, 5, 6), one_of("combined_loan_to_value_ratio", "NA", "Exempt")
        ),
        breaks=examples.PURCHASED | {"combined_loan_to_value_ratio": "80"},
    ),
)
