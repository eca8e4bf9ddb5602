"""Quality edits of the partial exemption, macro edits until 2024."""

from filing.edits.edit import Edit, EditKind, EditLevel, EditNeed, since
from filing.edits.vocabulary import exemption_taken, if_then, one_of

# As published: with State and the credit scores, which do not count, and without the models.
_LISTED = (
    "uli",
    "submission_of_application",
    "aus_result_1",
    "aus_result_2",
    "aus_result_3",
    "aus_result_4",
    "aus_result_5",
    "aus_1",
    "aus_2",
    "aus_3",
    "aus_4",
    "aus_5",
    "balloon_payment",
    "business_or_commercial_purpose",
    "applicant_credit_score",
    "co_applicant_credit_score",
    "denial_reason_1",
    "denial_reason_2",
    "denial_reason_3",
    "denial_reason_4",
    "interest_only_payments",
    "open_end_line_of_credit",
    "manufactured_home_land_property_interest",
    "manufactured_home_secured_property_type",
    "reverse_mortgage",
    "negative_amortization",
    "other_non_amortizing_features",
    "initially_payable_to_institution",
    "street",
    "city",
    "state",
    "zip_code",
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
    "property_value",
    "multifamily_affordable_units",
    "nmlsr_id",
)

EDITS = (
    Edit(
        code="Q646",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2025),
        fields=_LISTED,
        text=(
            "If any field of the record has the exemption code (Exempt or 1111), confirm that your "
            "institution is eligible for the partial exemption."
        ),
        holds=~exemption_taken(),
        breaks={"nmlsr_id": "Exempt"},
    ),
    Edit(
        code="Q647",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2025),
        fields=_LISTED,
        text=(
            "If Federal Agency on the transmittal sheet is 7 (HUD), then no field of the record "
            "should have the exemption code (Exempt or 1111): the partial exemption is for insured "
            "depository institutions and insured credit unions."
        ),
        holds=if_then(one_of("ts.federal_agency", 7), ~exemption_taken()),
        needs=frozenset({EditNeed.TS}),
        breaks={"nmlsr_id": "Exempt", "ts.federal_agency": 7},
    ),
)
