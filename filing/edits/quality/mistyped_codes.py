"""Quality edits of mistyped codes: 1111 where it means nothing, 8888 or 9999 with 3 or 5 digits."""

from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import any_of, any_reads, num

# In some columns 1111 counts only as typed, because 1111.00 may be a real amount; in others its
# value counts.
_EXEMPT_AS_TYPED = (
    "uli",
    "prepayment_penalty_term",
    "debt_to_income_ratio",
    "combined_loan_to_value_ratio",
    "loan_term",
    "introductory_rate_period",
    "street",
    "city",
    "state",
    "zip_code",
    "property_value",
    "multifamily_affordable_units",
    "nmlsr_id",
)
_EXEMPT_AS_NUMBER = (
    "interest_rate",
    "rate_spread",
    "total_loan_costs",
    "total_points_and_fees",
    "origination_charges",
    "discount_points",
    "lender_credits",
)
_NEVER_EXEMPT = (
    "total_units",
    "income",
    "purchaser_type",
    "hoepa_status",
    "lien_status",
    "loan_type",
    "loan_purpose",
    "construction_method",
    "occupancy_type",
    "loan_amount",
    "rate_spread",
    "preapproval",
    "action_taken",
    "applicant_ethnicity_1",
    "applicant_ethnicity_2",
    "applicant_ethnicity_3",
    "applicant_ethnicity_4",
    "applicant_ethnicity_5",
    "applicant_ethnicity_observed",
    "co_applicant_ethnicity_observed",
    "applicant_race_1",
    "applicant_race_2",
    "applicant_race_3",
    "applicant_race_4",
    "applicant_race_5",
    "co_applicant_race_1",
    "co_applicant_race_2",
    "co_applicant_race_3",
    "co_applicant_race_4",
    "co_applicant_race_5",
    "applicant_race_observed",
    "co_applicant_race_observed",
    "applicant_sex",
    "co_applicant_sex",
    "applicant_sex_observed",
    "co_applicant_sex_observed",
    "applicant_age",
    "co_applicant_age",
    "aus_2",
    "aus_3",
    "aus_4",
    "aus_5",
    "aus_result_2",
    "aus_result_3",
    "aus_result_4",
    "aus_result_5",
)
_NOT_APPLICABLE = (
    "applicant_age",
    "co_applicant_age",
    "applicant_credit_score",
    "co_applicant_credit_score",
    "street",
    "city",
    "state",
    "zip_code",
    "income",
    "rate_spread",
    "total_loan_costs",
    "total_points_and_fees",
    "origination_charges",
    "discount_points",
    "lender_credits",
    "interest_rate",
    "prepayment_penalty_term",
    "debt_to_income_ratio",
    "combined_loan_to_value_ratio",
    "loan_term",
    "introductory_rate_period",
    "multifamily_affordable_units",
    "property_value",
    "nmlsr_id",
)

EDITS = (
    Edit(
        code="Q656",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2021),
        fields=(
            "interest_rate",
            "rate_spread",
            "prepayment_penalty_term",
            "debt_to_income_ratio",
            "combined_loan_to_value_ratio",
            "loan_term",
            "introductory_rate_period",
            "street",
            "city",
            "state",
            "zip_code",
            "total_loan_costs",
            "total_points_and_fees",
            "origination_charges",
            "discount_points",
            "lender_credits",
            "property_value",
            "multifamily_affordable_units",
            "nmlsr_id",
        ),
        text=(
            "1111 should generally not be reported in any of these fields: where the partial "
            "exemption covers one of them, report Exempt."
        ),
        holds=~any_of(
            any_reads(_EXEMPT_AS_TYPED, 1111),
            *(num(field) == 1111 for field in _EXEMPT_AS_NUMBER),
        ),
        breaks={"origination_charges": "1111.00"},
    ),
    # Validity edits refuse 1111 in coded columns; this edit finds it there when it runs alone.
    Edit(
        code="Q657",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2021),
        fields=_NEVER_EXEMPT,
        text=(
            "1111 should generally not be reported in any of these fields: it does not mean exempt "
            "there."
        ),
        holds=~(any_reads(_NEVER_EXEMPT, 1111) | (num("loan_amount") == 1111)),
        breaks={"income": "1111"},
    ),
    Edit(
        code="Q659-1",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2022),
        fields=_NOT_APPLICABLE,
        text=(
            "888 or 88888 should generally not be reported in any of these fields: check whether "
            "8888 or NA was intended."
        ),
        holds=~any_reads(_NOT_APPLICABLE, 888, 88888, zeros=2),
        breaks={"origination_charges": "888"},
    ),
    Edit(
        code="Q659-2",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2022),
        fields=_NOT_APPLICABLE,
        text=(
            "999 or 99999 should generally not be reported in any of these fields: check whether "
            "9999 or NA was intended."
        ),
        holds=~any_reads(_NOT_APPLICABLE, 999, 99999, zeros=2),
        breaks={"origination_charges": "999.00"},
    ),
)
