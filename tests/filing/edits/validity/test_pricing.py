"""Validity edits of rate spread, HOEPA status and lien status."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import pricing
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    # None of the values that break this one can be read from a file.
    ("V657-1", "2024", {"rate_spread": "NA"}, {"rate_spread": "na"}),
    ("V657-1", "2024", {"rate_spread": "Exempt"}, {"rate_spread": ""}),
    ("V657-1", "2024", {"rate_spread": "-1.50"}, {"rate_spread": "1111%"}),
    ("V657-2", "2024", {"action_taken": 3, "rate_spread": "NA"}, {"action_taken": 3}),
    ("V657-2", "2024", {"action_taken": 7, "rate_spread": "Exempt"}, {"action_taken": 7}),
    ("V657-2", "2024", {"action_taken": 2}, {"action_taken": 4}),
    ("V657-2", "2024", {"action_taken": 8}, {"action_taken": 5, "rate_spread": "0"}),
    ("V657-2", "2024", {"action_taken": 9}, {"action_taken": 6, "rate_spread": "-0.01"}),
    ("V657-3", "2024", {"reverse_mortgage": 1, "rate_spread": "NA"}, {"reverse_mortgage": 1}),
    (
        "V657-3",
        "2024",
        {"reverse_mortgage": 1, "rate_spread": "Exempt"},
        {"reverse_mortgage": 1, "rate_spread": "1111"},
    ),
    ("V657-3", "2024", {"reverse_mortgage": 1111}, {"reverse_mortgage": 1, "rate_spread": "0"}),
    ("V658-1", "2024", {"hoepa_status": 1}, {"hoepa_status": 0}),
    ("V658-1", "2024", {"hoepa_status": 3}, {"hoepa_status": 4}),
    ("V658-2", "2024", {"action_taken": 2, "hoepa_status": 3}, {"action_taken": 2}),
    ("V658-2", "2024", {"action_taken": 6}, {"action_taken": 8, "hoepa_status": 1}),
    ("V658-2", "2024", {"action_taken": 9}, {"action_taken": 7, "hoepa_status": 4}),
    ("V659", "2024", {"lien_status": 2}, {"lien_status": 0}),
    ("V659", "2024", {"lien_status": 1}, {"lien_status": 3}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(pricing.EDITS, EditLevel.LAR, CASES) == []
