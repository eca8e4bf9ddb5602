"""The columns of a public loan record, in the order in which they are published.

Two orders of the same columns: the public data set of a year (99 columns) and the modified LAR of
one institution (85 of them, without the derived ones). Inside this project a column has one name;
the published files spell some names differently.

Source: Filing instructions and the published data dictionaries of the public LAR and the modified
LAR; 12 CFR 1003.5(d).
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the public data set.

    name: here and in Parquet files. browser: in downloads of the data browser. field: the LAR field
    it is made from, None for a derived column.
    """

    name: str
    browser: str
    field: str | None

    @property
    def dtype(self) -> type[pl.DataType]:
        """The stored type: text as published, except for the year and the loan amount."""
        return _DTYPES.get(self.name, pl.String)


_DTYPES: dict[str, type[pl.DataType]] = {"activity_year": pl.Int32, "loan_amount": pl.Float64}


def _column(name: str, field: str | None = "", *, browser: str = "") -> Column:
    return Column(name, browser or name, name if field == "" else field)


def _numbered(name: str, last: int) -> list[Column]:
    """Return the numbered columns of a field that a record has several times."""
    spelled = name.replace("co_applicant", "co-applicant")
    return [
        _column(f"{name}_{number}", browser=f"{spelled}-{number}") for number in range(1, last + 1)
    ]


def _for_each_applicant(name: str, *, field: str | None = "") -> list[Column]:
    """Return the columns of the applicant and of the co-applicant."""
    return [
        _column(f"applicant_{name}", f"applicant_{field}" if field else field),
        _column(
            f"co_applicant_{name}",
            f"co_applicant_{field}" if field else field,
            browser=f"co-applicant_{name}",
        ),
    ]


PUBLIC: tuple[Column, ...] = (
    _column("activity_year", None),
    _column("lei"),
    _column("derived_msa_md", None, browser="derived_msa-md"),
    _column("state_code", "state"),
    _column("county_code", "county"),
    _column("census_tract"),
    _column("conforming_loan_limit", None),
    _column("derived_loan_product_type", None),
    _column("derived_dwelling_category", None),
    _column("derived_ethnicity", None),
    _column("derived_race", None),
    _column("derived_sex", None),
    _column("action_taken"),
    _column("purchaser_type"),
    _column("preapproval"),
    _column("loan_type"),
    _column("loan_purpose"),
    _column("lien_status"),
    _column("reverse_mortgage"),
    _column("open_end_line_of_credit", browser="open-end_line_of_credit"),
    _column("business_or_commercial_purpose"),
    _column("loan_amount"),
    _column("combined_loan_to_value_ratio", browser="loan_to_value_ratio"),
    _column("interest_rate"),
    _column("rate_spread"),
    _column("hoepa_status"),
    _column("total_loan_costs"),
    _column("total_points_and_fees"),
    _column("origination_charges"),
    _column("discount_points"),
    _column("lender_credits"),
    _column("loan_term"),
    _column("prepayment_penalty_term"),
    _column("intro_rate_period", "introductory_rate_period"),
    _column("negative_amortization"),
    _column("interest_only_payment", "interest_only_payments"),
    _column("balloon_payment"),
    _column("other_nonamortizing_features", "other_non_amortizing_features"),
    _column("property_value"),
    _column("construction_method"),
    _column("occupancy_type"),
    _column("manufactured_home_secured_property_type"),
    _column("manufactured_home_land_property_interest"),
    _column("total_units"),
    _column("multifamily_affordable_units"),
    _column("income"),
    _column("debt_to_income_ratio"),
    *_for_each_applicant("credit_score_type"),
    *_numbered("applicant_ethnicity", 5),
    *_numbered("co_applicant_ethnicity", 5),
    *_for_each_applicant("ethnicity_observed"),
    *_numbered("applicant_race", 5),
    *_numbered("co_applicant_race", 5),
    *_for_each_applicant("race_observed"),
    *_for_each_applicant("sex"),
    *_for_each_applicant("sex_observed"),
    *_for_each_applicant("age"),
    *_for_each_applicant("age_above_62", field="age"),
    _column("submission_of_application"),
    _column("initially_payable_to_institution"),
    *_numbered("aus", 5),
    *_numbered("denial_reason", 4),
    _column("tract_population", None),
    _column("tract_minority_population_percent", None),
    _column("ffiec_msa_md_median_family_income", None),
    _column("tract_to_msa_income_percentage", None),
    _column("tract_owner_occupied_units", None),
    _column("tract_one_to_four_family_homes", None),
    _column("tract_median_age_of_housing_units", None),
)

BY_NAME = {column.name: column for column in PUBLIC}
SCHEMA = {column.name: column.dtype for column in PUBLIC}


def _names(first: str, last: str) -> list[str]:
    """Return the columns from one to another, in the order of the public data set."""
    names = list(BY_NAME)
    return names[names.index(first) : names.index(last) + 1]


_IN_MODIFIED = {
    "applicant_credit_score_type": "applicant_credit_scoring_model",
    "co_applicant_credit_score_type": "co_applicant_credit_scoring_model",
    "other_nonamortizing_features": "other_non_amortizing_features",
}

# The columns of the modified LAR: the name here, and the name it is published under.
MODIFIED: dict[str, str] = {
    name: _IN_MODIFIED.get(name, name)
    for name in (
        "activity_year",
        "lei",
        "loan_type",
        "loan_purpose",
        "preapproval",
        "construction_method",
        "occupancy_type",
        "loan_amount",
        "action_taken",
        "state_code",
        "county_code",
        "census_tract",
        *_names("applicant_ethnicity_1", "co_applicant_sex_observed"),
        "applicant_age",
        "applicant_age_above_62",
        "co_applicant_age",
        "co_applicant_age_above_62",
        "income",
        "purchaser_type",
        "rate_spread",
        "hoepa_status",
        "lien_status",
        "applicant_credit_score_type",
        "co_applicant_credit_score_type",
        *_names("denial_reason_1", "denial_reason_4"),
        *_names("total_loan_costs", "lender_credits"),
        "interest_rate",
        "prepayment_penalty_term",
        "debt_to_income_ratio",
        "combined_loan_to_value_ratio",
        "loan_term",
        "intro_rate_period",
        "balloon_payment",
        "interest_only_payment",
        "negative_amortization",
        "other_nonamortizing_features",
        "property_value",
        "manufactured_home_secured_property_type",
        "manufactured_home_land_property_interest",
        "total_units",
        "multifamily_affordable_units",
        "submission_of_application",
        "initially_payable_to_institution",
        *_names("aus_1", "aus_5"),
        "reverse_mortgage",
        "open_end_line_of_credit",
        "business_or_commercial_purpose",
    )
}
