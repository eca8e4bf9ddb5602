"""The filters of the public records: one table of places and data filters.

Queries take their conditions from here, the serving file its codes of the values, and documents
and pages the spelling of both.

Source: the filter table of the data browser API; computations of the derived columns; meanings of
codes: Regulation C, 12 CFR 1003.4(a), and the filing instructions of 2018 and later.
"""

from __future__ import annotations

from databrowser.dimensions.dimension import Dimension, InstitutionDimension
from filing.lar.fields import STATES

_FIVE_DIGITS = r"[0-9]{5}"
_OTHER_STATES = ("UM",)  # the filter accepts it, although no loan can be filed for it
_SEXES = ("Male", "Female", "Joint", "Sex Not Available")
_ETHNICITIES = (
    "Hispanic or Latino",
    "Not Hispanic or Latino",
    "Joint",
    "Ethnicity Not Available",
    "Free Form Text Only",
)
_RACES = (
    "Asian",
    "Native Hawaiian or Other Pacific Islander",
    "Free Form Text Only",
    "Race Not Available",
    "American Indian or Alaska Native",
    "Black or African American",
    "2 or more minority races",
    "White",
    "Joint",
)
_UNITS = {
    "1": "1 unit",
    **dict.fromkeys(("2", "3", "4", "5-24", "25-49", "50-99", "100-149", ">149"), ""),
}
_AGES = {
    "8888": "Not applicable",
    "<25": "Younger than 25",
    **dict.fromkeys(("25-34", "35-44", "45-54", "55-64", "65-74"), ""),
    ">74": "Older than 74",
}
_RATIOS = (
    *("<20%", "20%-<30%", "30%-<36%"),
    *map(str, range(36, 50)),
    *("50%-60%", ">60%"),
)
_PRODUCTS = tuple(
    f"{kind}:{lien}"
    for kind in ("Conventional", "FHA", "VA", "FSA/RHS")
    for lien in ("First Lien", "Subordinate Lien")
)
_DWELLINGS = tuple(
    f"{kind}:{method}"
    for method in ("Site-Built", "Manufactured")
    for kind in ("Single Family (1-4 Units)", "Multifamily")
)


def _filter(
    parameter: str,
    column: str,
    label: str,
    error: tuple[str, str],
    values: tuple[str, ...] | dict[str, str],
    *,
    plural: str = "",
) -> Dimension:
    """Return a data filter. values: all of them, with the meanings of those that need one."""
    return Dimension(
        parameter=parameter,
        key=parameter,
        column=column,
        label=label,
        error_type=error[0],
        error_key=error[1],
        accepts=f"valid {plural or parameter.replace('_', ' ')} are ",
        values=tuple(values),
        meanings=values if isinstance(values, dict) else {},
    )


STATE = Dimension(
    parameter="states",
    key="state",
    column="state_code",
    label="State",
    error_type="invalid-states",
    error_key="invalidStates",
    accepts="valid states are ",
    values=tuple(sorted((*STATES, *_OTHER_STATES))),
    is_place=True,
)
MSAMD = Dimension(
    parameter="msamds",
    key="msamd",
    column="derived_msa_md",
    label="MSA/MD",
    error_type="invalid-msamds",
    error_key="invalidMsaMds",
    accepts="an MSA/MD code has five digits, such as 31080; 99999 means outside any MSA/MD",
    form=_FIVE_DIGITS,
    is_place=True,
)
COUNTY = Dimension(
    parameter="counties",
    key="county",
    column="county_code",
    label="County",
    error_type="invalid-counties",
    error_key="invalidCounties",
    accepts="a county code has five digits, such as 06037",
    form=_FIVE_DIGITS,
    is_place=True,
)
LEI = InstitutionDimension(
    parameter="leis",
    key="lei",
    column="lei",
    label="Institution (LEI)",
    error_type="invalid-LEIs",
    error_key="invalidLEIs",
    accepts="an LEI has 20 letters or digits",
    form=r"[0-9A-Z]{20}",
    is_place=True,
)
PLACES: tuple[Dimension, ...] = (STATE, MSAMD, COUNTY, LEI)
FILTERS: tuple[Dimension, ...] = (
    _filter(
        "actions_taken",
        "action_taken",
        "Action taken",
        ("invalid-action-taken-type", "invalidActions"),
        {
            "1": "Loan originated",
            "2": "Approved but not accepted",
            "3": "Application denied",
            "4": "Application withdrawn",
            "5": "File closed for incompleteness",
            "6": "Purchased loan",
            "7": "Preapproval request denied",
            "8": "Preapproval approved, not accepted",
        },
        plural="actions",
    ),
    _filter("races", "derived_race", "Race", ("invalid-races", "invalidRaces"), _RACES),
    _filter("sexes", "derived_sex", "Sex", ("invalid-sexes", "invalidSexes"), _SEXES),
    _filter(
        "loan_types",
        "loan_type",
        "Loan type",
        ("invalid-loan-types", "invalidLoanTypes"),
        {
            "1": "Conventional",
            "2": "FHA",
            "3": "VA",
            "4": "USDA RHS or FSA",
        },
    ),
    _filter(
        "loan_purposes",
        "loan_purpose",
        "Loan purpose",
        ("invalid-loan-purposes", "invalidLoanPurposes"),
        {
            "1": "Home purchase",
            "2": "Home improvement",
            "31": "Refinancing",
            "32": "Cash-out refinancing",
            "4": "Other purpose",
            "5": "Not applicable",
        },
    ),
    _filter(
        "lien_statuses",
        "lien_status",
        "Lien status",
        ("invalid-lien-statuses", "invalidLienStatuses"),
        {"1": "First lien", "2": "Subordinate lien"},
        plural="statuses",
    ),
    _filter(
        "construction_methods",
        "construction_method",
        "Construction method",
        ("invalid-construction-methods", "invalidConstructionMethods"),
        {"1": "Site-built", "2": "Manufactured home"},
    ),
    _filter(
        "dwelling_categories",
        "derived_dwelling_category",
        "Dwelling category",
        ("invalid-dwelling-categories", "invalidDwellingCategories"),
        _DWELLINGS,
    ),
    _filter(
        "loan_products",
        "derived_loan_product_type",
        "Loan product",
        ("invalid-loan-products", "invalidLoanProducts"),
        _PRODUCTS,
    ),
    _filter(
        "total_units",
        "total_units",
        "Total units",
        ("invalid-total-units", "invalidTotalUnits"),
        _UNITS,
    ),
    _filter(
        "ethnicities",
        "derived_ethnicity",
        "Ethnicity",
        ("invalid-ethnicities", "invalidEthnicities"),
        _ETHNICITIES,
    ),
    _filter(
        "ageapplicant",
        "applicant_age",
        "Age of the applicant",
        ("invalid-age-of-applicant", "invalidAgeApplicant"),
        _AGES,
        plural="age groups",
    ),
)
DIMENSIONS: tuple[Dimension, ...] = (*PLACES, *FILTERS)
# Figures are also given by these, but no query filters by them.
TRACT = Dimension(
    parameter="tracts",
    key="tract",
    column="census_tract",
    label="Census tract",
    error_type="invalid-tracts",
    error_key="invalidTracts",
    accepts="a census tract has eleven digits, such as 06037206300",
    form=r"[0-9]{11}",
    is_place=True,
)
DEBT_TO_INCOME = _filter(
    "debt_to_income_ratios",
    "debt_to_income_ratio",
    "Debt-to-income ratio",
    ("invalid-debt-to-income-ratios", "invalidDebtToIncomeRatios"),
    _RATIOS,
)
# Columns of numbers in a serving file; blank, NA and Exempt are null.
NUMBERS = ("interest_rate", "rate_spread", "income", "combined_loan_to_value_ratio")
BY_PARAMETER = {dimension.parameter: dimension for dimension in DIMENSIONS}
ACTION, AGE = BY_PARAMETER["actions_taken"], BY_PARAMETER["ageapplicant"]
_KIND_OF_LOAN = (ACTION, BY_PARAMETER["loan_types"], BY_PARAMETER["loan_purposes"])
# The tables of a serving file with counts and sums, not records: that with the fewest rows first.
# Few queries choose an age, and it has nearly three times as many rows as without.
ROLLUPS: dict[str, tuple[Dimension, ...]] = {
    "rollup_of_counties": (STATE, MSAMD, COUNTY, *_KIND_OF_LOAN),
    "rollup_of_lenders": (STATE, LEI, *_KIND_OF_LOAN),
    "rollup": (STATE, *(each for each in FILTERS if each is not AGE)),
    "rollup_with_age": (STATE, *FILTERS),
}
