"""What the public sees: midpoints, bins, shares, and what is left out."""

from __future__ import annotations

import pytest

from databrowser.publication.columns import MODIFIED, PUBLIC
from databrowser.publication.records.masking import public_rows
from filing.lar.fields import LAR_BY_NAME
from tests.databrowser.publication.loans import frame, published

AMOUNTS = {
    "10000": 15000.0,
    "9999.99": 5000.0,
    "117834": 115000.0,
    "119999.99": 115000.0,
    "120000": 125000.0,
    "1.2e5": 125000.0,
    "+0250000.50": 255000.0,
    "0.01": 5000.0,
    "20000000.01": 20005000.0,
}
VALUES = {
    "117834.99": "115000",
    "9999": "5000",
    "4294967296": "4294965000",  # beyond 32 bits
    "123456789012345678901234567890.5": "123456789012345678901234565000",
    "NA": "NA",
    "Exempt": "Exempt",
    "": "",
}
AGES = {
    -5: ("<25", "No"),
    0: ("<25", "No"),
    24: ("<25", "No"),
    25: ("25-34", "No"),
    34: ("25-34", "No"),
    35: ("35-44", "No"),
    45: ("45-54", "No"),
    55: ("55-64", "No"),
    61: ("55-64", "No"),
    62: ("55-64", "Yes"),
    64: ("55-64", "Yes"),
    65: ("65-74", "Yes"),
    74: ("65-74", "Yes"),
    75: (">74", "Yes"),
    1111: (">74", "Yes"),
    8888: ("8888", "NA"),
    9999: ("9999", "NA"),
}
RATIOS = {
    "-3": "<20%",
    "-0.5": "<20%",
    "0": "<20%",
    "19.99": "<20%",
    "20": "20%-<30%",
    "29.999": "20%-<30%",
    "30": "30%-<36%",
    "35.9": "30%-<36%",
    "35.99999999999999999999999": "30%-<36%",
    "36": "36",
    "36.7": "36",
    "49.99": "49",
    "4.25e1": "42",
    "050": "50%-60%",
    "60.99": "50%-60%",
    "61": ">60%",
    "123456789012345678901234567890": ">60%",
    "NA": "NA",
    "Exempt": "Exempt",
}
UNITS = {
    1: "1",
    4: "4",
    0: "0",
    -2: "-2",
    5: "5-24",
    24: "5-24",
    25: "25-49",
    49: "25-49",
    50: "50-99",
    99: "50-99",
    100: "100-149",
    149: "100-149",
    150: ">149",
}
# Affordable units, all units, and the percentage.
SHARES = [
    ("3", 8, "38"),  # 37.5
    ("1", 8, "13"),  # 12.5
    ("1", 3, "33"),
    ("2", 3, "67"),
    ("0", 10, "0"),
    ("10", 10, "100"),
    ("+007", 7, "100"),
    ("1", 200, "1"),  # 0.5
    ("NA", 10, "NA"),
    ("Exempt", 10, "Exempt"),
    ("3", 0, "NA"),
]


def test_loan_amounts_are_midpoints():
    changes = [{"loan_amount": amount} for amount in AMOUNTS]
    assert published("loan_amount", changes) == [*AMOUNTS.values()]


def test_property_values_are_midpoints_and_their_words_stay():
    changes = [{"property_value": value} for value in VALUES]
    assert published("property_value", changes) == [*VALUES.values()]


@pytest.mark.parametrize("who", ["applicant", "co_applicant"])
def test_ages_are_bins_and_tell_who_is_62_years_old(who):
    changes = [{f"{who}_age": age} for age in AGES]
    bins, flags = (published(f"{who}_{name}", changes) for name in ("age", "age_above_62"))
    assert [*zip(bins, flags, strict=True)] == [*AGES.values()]


def test_ratios_of_debt_to_income_lose_their_decimals_first():
    changes = [{"debt_to_income_ratio": ratio} for ratio in RATIOS]
    assert published("debt_to_income_ratio", changes) == [*RATIOS.values()]


def test_units_are_bins_from_five_on():
    assert published("total_units", [{"total_units": units} for units in UNITS]) == [
        *UNITS.values()
    ]


def test_affordable_units_are_a_share_of_all_units():
    changes = [
        {"multifamily_affordable_units": affordable, "total_units": units}
        for affordable, units, _ in SHARES
    ]
    assert published("multifamily_affordable_units", changes) == [each for *_, each in SHARES]


def test_a_code_that_may_be_blank_is_blank_and_every_other_0_is_0():
    loan = {"denial_reason_2": 0, "aus_2": 3, "purchaser_type": 0, "applicant_race_1": 0}
    [row] = public_rows(frame(loan), year=2024, census=None, limits=None).to_dicts()
    assert (row["denial_reason_2"], row["aus_2"], row["aus_3"]) == ("", "3", "")
    assert (row["purchaser_type"], row["applicant_race_1"]) == ("0", "")
    assert row["co_applicant_ethnicity_2"] == ""


@pytest.mark.parametrize(
    ("field", "column", "filed", "shown"),
    [
        ("income", "income", "+0050", "50"),
        ("income", "income", "-12", "-12"),
        ("income", "income", "NA", "NA"),
        ("rate_spread", "rate_spread", "-0.250", "-0.250"),
        ("total_loan_costs", "total_loan_costs", "1.5e3", "1500"),
        ("interest_rate", "interest_rate", "4.500", "4.500"),
        ("interest_rate", "interest_rate", ".5", "0.5"),
        ("discount_points", "discount_points", "", ""),
        ("lender_credits", "lender_credits", "Exempt", "Exempt"),
        ("introductory_rate_period", "intro_rate_period", "024", "24"),
        ("county", "county_code", "NA", "NA"),
        ("balloon_payment", "balloon_payment", 1111, "1111"),
    ],
)
def test_all_else_is_as_filed_in_plain_notation(field, column, filed, shown):
    assert published(column, [{field: filed}]) == [shown]


LEFT_OUT = (
    "uli",
    "application_date",
    "action_taken_date",
    "street",
    "city",
    "zip_code",
    "applicant_credit_score",
    "co_applicant_credit_score",
    "nmlsr_id",
    "aus_result_1",
    "record_id",
)


def test_what_names_a_person_or_a_place_is_in_no_column():
    free_forms = [name for name in LAR_BY_NAME if name.endswith("_free_form")]
    hidden = {name: f"secret {name}" for name in (*free_forms, "street", "city", "nmlsr_id")}
    rows = public_rows(frame(hidden), year=2024, census=None, limits=None)
    assert not any("secret" in str(value) for value in rows.row(0))
    used = {column.field for column in PUBLIC}
    assert used.isdisjoint({*LEFT_OUT, *free_forms})


# The columns as they are published, in their order.
PUBLISHED = (
    "activity_year,lei,derived_msa-md,state_code,county_code,census_tract,"
    "conforming_loan_limit,derived_loan_product_type,derived_dwelling_category,"
    "derived_ethnicity,derived_race,derived_sex,action_taken,purchaser_type,preapproval,"
    "loan_type,loan_purpose,lien_status,reverse_mortgage,open-end_line_of_credit,"
    "business_or_commercial_purpose,loan_amount,loan_to_value_ratio,interest_rate,rate_spread,"
    "hoepa_status,total_loan_costs,total_points_and_fees,origination_charges,discount_points,"
    "lender_credits,loan_term,prepayment_penalty_term,intro_rate_period,negative_amortization,"
    "interest_only_payment,balloon_payment,other_nonamortizing_features,property_value,"
    "construction_method,occupancy_type,manufactured_home_secured_property_type,"
    "manufactured_home_land_property_interest,total_units,multifamily_affordable_units,income,"
    "debt_to_income_ratio,applicant_credit_score_type,co-applicant_credit_score_type,"
    "applicant_ethnicity-1,applicant_ethnicity-2,applicant_ethnicity-3,applicant_ethnicity-4,"
    "applicant_ethnicity-5,co-applicant_ethnicity-1,co-applicant_ethnicity-2,"
    "co-applicant_ethnicity-3,co-applicant_ethnicity-4,co-applicant_ethnicity-5,"
    "applicant_ethnicity_observed,co-applicant_ethnicity_observed,applicant_race-1,"
    "applicant_race-2,applicant_race-3,applicant_race-4,applicant_race-5,co-applicant_race-1,"
    "co-applicant_race-2,co-applicant_race-3,co-applicant_race-4,co-applicant_race-5,"
    "applicant_race_observed,co-applicant_race_observed,applicant_sex,co-applicant_sex,"
    "applicant_sex_observed,co-applicant_sex_observed,applicant_age,co-applicant_age,"
    "applicant_age_above_62,co-applicant_age_above_62,submission_of_application,"
    "initially_payable_to_institution,aus-1,aus-2,aus-3,aus-4,aus-5,denial_reason-1,"
    "denial_reason-2,denial_reason-3,denial_reason-4,tract_population,"
    "tract_minority_population_percent,ffiec_msa_md_median_family_income,"
    "tract_to_msa_income_percentage,tract_owner_occupied_units,tract_one_to_four_family_homes,"
    "tract_median_age_of_housing_units"
)


def test_the_columns_are_those_that_are_published():
    assert [column.browser for column in PUBLIC] == PUBLISHED.split(",")
    assert len(MODIFIED) == 85
    assert not {name for name in MODIFIED if name.startswith(("derived", "tract", "ffiec"))}
