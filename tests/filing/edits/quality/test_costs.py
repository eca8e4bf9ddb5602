"""Quality edits of the costs."""

import pytest

from filing.edits.edit import EditLevel
from tests.filing.edits.cases import verdicts

COSTS, FEES = "total_loan_costs", "total_points_and_fees"
CHARGES, POINTS = "origination_charges", "discount_points"

CASES = [
    ("Q615-1", "2018", {COSTS: "1200.01"}, {COSTS: "1200"}),
    ("Q615-1", "2024", {COSTS: "0.00"}, {COSTS: "0.01"}),
    ("Q615-1", "2024", {COSTS: "NA"}, {COSTS: "1199.99999999999999999999"}),
    ("Q615-1", "2024", {COSTS: "1e9"}, {CHARGES: "1e9"}),
    ("Q615-1", "2024", {CHARGES: "0"}, {CHARGES: "3500.50"}),
    ("Q615-1", "2024", {COSTS: "1", CHARGES: "Exempt"}, {COSTS: "1"}),
    ("Q615-1", "2024", {COSTS: "-1", CHARGES: "-2"}, {COSTS: "-1"}),
    ("Q615-2", "2018", {FEES: "1200.01"}, {FEES: "1200"}),
    ("Q615-2", "2024", {FEES: "0", COSTS: "1"}, {FEES: "1e3"}),
    ("Q615-2", "2024", {FEES: "1", CHARGES: "0e5"}, {FEES: "1"}),
    ("Q616-1", "2018", {POINTS: "3500.49"}, {POINTS: "3500.5"}),
    ("Q616-1", "2024", {COSTS: "1", POINTS: ""}, {COSTS: "1"}),
    ("Q616-1", "2024", {COSTS: "1", POINTS: "NA"}, {COSTS: "-1"}),
    ("Q616-1", "2024", {COSTS: "-1", POINTS: "-2"}, {COSTS: "-1", POINTS: "-1"}),
    ("Q616-1", "2024", {COSTS: "0", POINTS: "1"}, {COSTS: "-0.01", POINTS: "1"}),
    ("Q616-2", "2018", {FEES: "500.01"}, {FEES: "500"}),
    ("Q616-2", "2024", {FEES: "499", POINTS: ""}, {FEES: "499"}),
    ("Q616-2", "2024", {FEES: "NA", COSTS: "1"}, {FEES: "1"}),
    ("Q616-3", "2025", {POINTS: "37500"}, {POINTS: "37500.01"}),
    ("Q616-3", "2026-Q1", {POINTS: "NA"}, {POINTS: "1e5"}),
    ("Q616-3", "2025", {POINTS: ""}, {POINTS: "37500.000000000000000000001"}),
    # The limit is 15.015, which is 15.02 in cents.
    ("Q616-3", "2025", {"loan_amount": "100.1", POINTS: "15.02"}, {"loan_amount": "100.1"}),
    ("Q616-3", "2025", {"loan_amount": "100.1", POINTS: "15.02"},
     {"loan_amount": "100.09", POINTS: "15.02"}),
    ("Q616-3", "2025", {"loan_amount": "-1e2", POINTS: "-15.000"},
     {"loan_amount": "-1e2", POINTS: "-14.99"}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)
