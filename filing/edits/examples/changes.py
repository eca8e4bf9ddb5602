"""The values that make a correct loan one of some kind: `correct_loan(...) | KIND`.

Such a loan passes every edit of every period; kinds that do not contradict each other may be
combined. The examples of the edits are loans of these kinds with one value changed.
"""

Values = dict[str, str | int]

_NO_SCORE: Values = {"applicant_credit_score": 8888, "applicant_credit_score_type": 9}
_NO_CO_SCORE: Values = {"co_applicant_credit_score": 8888, "co_applicant_credit_score_type": 9}
_NO_SYSTEM: Values = {"aus_1": 6, "aus_result_1": 17}
_NO_RATIOS: Values = {"debt_to_income_ratio": "NA", "combined_loan_to_value_ratio": "NA"}

# No costs are reported.
NO_COSTS: Values = {
    "total_loan_costs": "NA",
    "origination_charges": "NA",
    "discount_points": "NA",
    "lender_credits": "NA",
}

# The borrower requested a preapproval, which is only possible for a home purchase.
PREAPPROVAL_REQUESTED: Values = {"loan_purpose": 1, "preapproval": 1}

# Approved but not accepted: such an offer had its rate, and no costs.
NOT_ACCEPTED: Values = NO_COSTS | {"action_taken": 2, "hoepa_status": 3}

# The application was denied.
DENIED: Values = NO_COSTS | {
    "action_taken": 3,
    "denial_reason_1": 1,
    "hoepa_status": 3,
    "rate_spread": "NA",
    "interest_rate": "NA",
}

# The application was withdrawn before a decision.
WITHDRAWN: Values = {
    **NO_COSTS,
    **_NO_SCORE,
    **_NO_CO_SCORE,
    **_NO_RATIOS,
    "action_taken": 4,
    "hoepa_status": 3,
    "rate_spread": "NA",
    "interest_rate": "NA",
    "property_value": "NA",
}

# Bought from another lender: there are costs, but no application.
PURCHASED: Values = {
    **_NO_SCORE,
    **_NO_CO_SCORE,
    **_NO_RATIOS,
    **_NO_SYSTEM,
    "action_taken": 6,
    "application_date": "NA",
    "rate_spread": "NA",
    "submission_of_application": 3,
    "initially_payable_to_institution": 3,
}

REVERSE_MORTGAGE: Values = NO_COSTS | {
    "reverse_mortgage": 1,
    "applicant_age": 70,
    "rate_spread": "NA",
    "loan_term": "NA",
}

# An open-end line of credit.
LINE_OF_CREDIT: Values = NO_COSTS | {"open_end_line_of_credit": 1}

# For a business or commercial purpose.
BUSINESS_PURPOSE: Values = NO_COSTS | {"business_or_commercial_purpose": 1}

# The applicant is not a natural person, and there is no co-applicant.
TO_A_COMPANY: Values = {
    **_NO_SCORE,
    **_NO_SYSTEM,
    "applicant_ethnicity_1": 4,
    "applicant_ethnicity_observed": 3,
    "applicant_race_1": 7,
    "applicant_race_observed": 3,
    "applicant_sex": 4,
    "applicant_sex_observed": 3,
    "applicant_age": 8888,
    "income": "NA",
    "debt_to_income_ratio": "NA",
}

# A company joins a natural person as co-applicant.
WITH_A_COMPANY: Values = {
    **_NO_CO_SCORE,
    "co_applicant_ethnicity_1": 4,
    "co_applicant_ethnicity_observed": 3,
    "co_applicant_race_1": 7,
    "co_applicant_race_observed": 3,
    "co_applicant_sex": 4,
    "co_applicant_sex_observed": 3,
    "co_applicant_age": 8888,
    "income": "NA",
}

TO_TWO_COMPANIES: Values = TO_A_COMPANY | WITH_A_COMPANY

# On a site-built house of five units, two of them affordable.
MULTIFAMILY: Values = {
    "total_units": 5,
    "multifamily_affordable_units": "2",
    "income": "NA",
    "hoepa_status": 3,
    "debt_to_income_ratio": "NA",
}

# On a manufactured home and the land that the borrower owns below it.
MANUFACTURED_HOME: Values = {
    "construction_method": 2,
    "manufactured_home_secured_property_type": 1,
    "manufactured_home_land_property_interest": 1,
}

KINDS: dict[str, Values] = {
    "a loan without costs": NO_COSTS,
    "a loan after a preapproval": PREAPPROVAL_REQUESTED,
    "an approved loan not accepted": NOT_ACCEPTED,
    "a denied application": DENIED,
    "a withdrawn application": WITHDRAWN,
    "a purchased loan": PURCHASED,
    "a reverse mortgage": REVERSE_MORTGAGE,
    "a line of credit": LINE_OF_CREDIT,
    "a loan for business": BUSINESS_PURPOSE,
    "a loan to a company": TO_A_COMPANY,
    "a loan to a person with a company": WITH_A_COMPANY,
    "a loan to two companies": TO_TWO_COMPANIES,
    "a loan on five units": MULTIFAMILY,
    "a loan on a manufactured home": MANUFACTURED_HOME,
}
