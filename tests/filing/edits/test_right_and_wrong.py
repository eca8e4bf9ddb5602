"""Edits of single records: of each pair of changes, the first passes and the second does not.

Most rules have tables of what they accept (`test_codes.py`, `test_boundaries.py` and their
neighbors); here is what those leave open.
"""

import pytest

from filing.edits.edit import EditLevel
from tests.filing.edits.cases import verdicts

NAMED, CO_NAMED = ({f"{who}applicant_credit_score_type_free_form": "A"} for who in ("", "co_"))
EXEMPT_SCORES = {
    f"{who}applicant_credit_score{part}": 1111 for who in ("", "co_") for part in ("", "_type")
}
CASES = [
    ("Q601", "2024", {"application_date": "20220215"}, {"application_date": "20220214"}),
    ("Q608", "2024", {"application_date": "20240214"}, {"application_date": "20240215"}),
    ("Q648", "2024", {"lei": "EXAMPLE00000000000011"}, {"lei": "EXAMPLE000000000000"}),
    ("V619-3", "2024", {"action_taken_date": 20240105}, {"action_taken_date": 20240104}),
    ("V619-3", "2024", {"application_date": "NA"}, {"application_date": "99991231"}),
    ("V645", "2024", {"applicant_sex": 6, "applicant_sex_observed": 3},
     {"applicant_sex": 4, "applicant_sex_observed": 0}),
    ("V657-1", "2024", {"rate_spread": "Exempt"}, {"rate_spread": ""}),
    ("V671-1", "2024", {"denial_reason_free_form": "Why"},
     {"denial_reason_1": 1, "denial_reason_2": 2, "denial_reason_3": 3, "denial_reason_4": 9}),
    ("V671-2", "2024", {"denial_reason_1": 9},
     {"denial_reason_1": 99, "denial_reason_free_form": "Why"}),
    ("V672-2", "2024", {"total_points_and_fees": "-0.01"}, {"total_points_and_fees": "0.01"}),
    ("V673-5", "2024", {"total_loan_costs": "-0.01", "total_points_and_fees": "Exempt"},
     {"total_points_and_fees": "-0.01"}),
    ("V678-5", "2024", {"prepayment_penalty_term": "36", "loan_term": "2147483647"},
     {"prepayment_penalty_term": "36", "loan_term": "2147483648"}),
    ("V678-5", "2024", {"prepayment_penalty_term": "-2147483648"},
     {"prepayment_penalty_term": "-2147483649"}),
    ("V679-1", "2024", {"debt_to_income_ratio": "Exempt"}, {"debt_to_income_ratio": "36 %"}),
    ("V692-1", "2024", {"multifamily_affordable_units": "Exempt"},
     {"multifamily_affordable_units": "exempt"}),
    ("V693-3", "2024", {"action_taken": 6, "submission_of_application": 1},
     {"action_taken": 9, "submission_of_application": 3}),
    ("V695-1", "2024", {"nmlsr_id": "-2147483648"}, {"nmlsr_id": "-2147483649"}),
    ("V695-1", "2024", {"nmlsr_id": "9223372036854775808"}, {"nmlsr_id": "1e5"}),
    ("V695-3", "2025", {"nmlsr_id": "0001"}, {"nmlsr_id": "0000"}),
    ("V695-3", "2026", {"nmlsr_id": "0000001"}, {"nmlsr_id": "00000001"}),
    ("V696-3", "2021", {"aus_1": 0}, {"aus_2": 1, "aus_result_3": 1}),
    ("V700-1", "2024", {"aus_result_1": 17}, {"aus_1": 6, "aus_result_1": 1111}),
    ("V700-2", "2024", {"aus_1": 6}, {"aus_1": 1111, "aus_result_1": 17}),
    ("V701", "2024", {"aus_3": 1}, {"aus_result_3": 1}),
    ("V701", "2024", {"aus_1": 0}, {"aus_2": 1, "aus_result_3": 1}),
    ("V710", "2024", NAMED, EXEMPT_SCORES | NAMED),
    ("V710", "2024", CO_NAMED, EXEMPT_SCORES | CO_NAMED),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_edit_of_loans_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_a_sheet_is_compared_with_the_panel():
    assert verdicts(EditLevel.TS, ("Q303", "2026-Q3", {}, {"federal_agency": 1})) == (True, False)
