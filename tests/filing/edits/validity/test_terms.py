"""Validity edits of the terms: length, introductory rate and features that do not amortize."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import terms
from tests.filing.edits.cases import verdicts, without_case

ALL_EXEMPT = {
    "balloon_payment": 1111,
    "interest_only_payments": 1111,
    "negative_amortization": 1111,
    "other_non_amortizing_features": 1111,
}

CASES = [
    ("V682-1", "2024", {"loan_term": "1"}, {"loan_term": "0"}),
    ("V682-1", "2024", {"loan_term": "2147483647"}, {"loan_term": "2147483648"}),
    ("V682-1", "2024", {"loan_term": "+0360"}, {"loan_term": "-360"}),
    ("V682-1", "2024", {"loan_term": "NA"}, {"loan_term": ""}),
    ("V682-1", "2024", {"loan_term": "Exempt"}, {"loan_term": "exempt"}),
    (
        "V682-2",
        "2024",
        {"reverse_mortgage": 1, "loan_term": "NA"},
        {"reverse_mortgage": 1},
    ),
    ("V682-2", "2024", {"reverse_mortgage": 1111}, {"reverse_mortgage": 1, "loan_term": "0"}),
    ("V683", "2024", {"introductory_rate_period": "1"}, {"introductory_rate_period": "0"}),
    ("V683", "2024", {"introductory_rate_period": "NA"}, {"introductory_rate_period": "-1"}),
    ("V683", "2024", {"introductory_rate_period": "Exempt"}, {"introductory_rate_period": ""}),
    (
        "V683",
        "2024",
        {"introductory_rate_period": "2147483647"},
        {"introductory_rate_period": "9" * 26},
    ),
    ("V684", "2024", {"balloon_payment": 1}, {"balloon_payment": 3}),
    ("V684", "2024", {"balloon_payment": 1111}, {"balloon_payment": 0}),
    ("V685", "2024", {"interest_only_payments": 1}, {"interest_only_payments": 3}),
    ("V685", "2024", {"interest_only_payments": 1111}, {"interest_only_payments": 0}),
    ("V686", "2024", {"negative_amortization": 1}, {"negative_amortization": 3}),
    ("V686", "2024", {"negative_amortization": 1111}, {"negative_amortization": 0}),
    ("V687", "2024", {"other_non_amortizing_features": 1}, {"other_non_amortizing_features": 3}),
    ("V687", "2024", {"other_non_amortizing_features": 1111}, {"other_non_amortizing_features": 0}),
    ("V715", "2024", ALL_EXEMPT, ALL_EXEMPT | {"balloon_payment": 2}),
    ("V715", "2024", {}, {"balloon_payment": 1111}),
    ("V715", "2024", {"interest_only_payments": 1}, {"interest_only_payments": 1111}),
    ("V715", "2024", {"negative_amortization": 1}, {"negative_amortization": 1111}),
    ("V715", "2024", ALL_EXEMPT, {"other_non_amortizing_features": 1111}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(terms.EDITS, EditLevel.LAR, CASES) == []
