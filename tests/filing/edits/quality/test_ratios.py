"""Quality edits of the ratios."""

import pytest

from filing.edits.edit import EditLevel
from tests.filing.edits.cases import verdicts

COMBINED, DEBT = "combined_loan_to_value_ratio", "debt_to_income_ratio"


def of(loan_amount, property_value, combined, **others):
    amounts = {"loan_amount": loan_amount, "property_value": property_value}
    return amounts | {COMBINED: combined} | others


CASES = [
    ("Q617", "2018", {COMBINED: "80"}, {COMBINED: "79.99"}),
    ("Q617", "2019", {COMBINED: "NA"}, {COMBINED: "79", "loan_type": 2}),
    # 80.496 is 80 and 80.50 at the decimals that are typed.
    ("Q617", "2019", of("80496", "1e5", "80.00"), of("80496", "1e5", "80.40")),
    ("Q617", "2019", of("80496", "1e5", "80.50"), of("80504", "1e5", "80.40")),
    ("Q617", "2019", of("80504", "1e5", "80.50"), of("80505", "1e5", "80.50")),
    ("Q617", "2020", of("80504", "1e5", "80.50"), of("80550", "1e5", "80.50")),
    ("Q617", "2020", of("80505", "1e5", "80.50"), of("80505", "1e5", "80.5000000000000000000001")),
    ("Q617", "2024-Q1", {COMBINED: "79", "loan_type": 2}, {COMBINED: "79"}),
    ("Q617", "2024", of("250000", "300000", "83.33"), of("250000", "300000", "83.32")),
    ("Q617", "2024", of("250000", "300000", "83"), of("250000", "300000", "82")),
    ("Q617", "2024", of("80400", "100000", "80"), of("80500", "100000", "80")),
    ("Q617", "2024", of("8e29", "1e30", "80"), of("8.1e29", "1e30", "80")),
    ("Q617", "2024", of("1", "0", "0"), of("1", "0.001", "99999")),
    ("Q617", "2024", of("1", "NA", "0"), of("1", "1", "0")),
    ("Q617", "2024", of("1", "Exempt", "-1"), of("0", "1", "-1")),
    ("Q651", "2020", {COMBINED: "1"}, {COMBINED: "0.99999999999999999999"}),
    ("Q651", "2024-Q3", {COMBINED: "-0.5"}, {COMBINED: "1e-30"}),
    ("Q651", "2024", {COMBINED: "0.00"}, {COMBINED: ".8"}),
    ("Q651", "2024", {COMBINED: "Exempt"}, {COMBINED: "8e-1"}),
    ("Q651-1", "2025", {COMBINED: "1.5"}, {COMBINED: "1.49"}),
    ("Q651-1", "2026", {COMBINED: "NA"}, {COMBINED: "0.01"}),
    ("Q651-1", "2026", {COMBINED: "-1"}, {COMBINED: "1"}),
    ("Q651-2", "2025-Q1", {COMBINED: "149.99"}, {COMBINED: "150"}),
    ("Q651-2", "2026", {COMBINED: "NA"}, {COMBINED: "1e30"}),
    ("Q651-2", "2026", {COMBINED: "-150"}, {COMBINED: "150.00"}),
    ("Q652", "2020", {DEBT: "1"}, {DEBT: "0.99"}),
    ("Q652", "2024", {DEBT: "-0.5"}, {DEBT: "0.5"}),
    ("Q652", "2024", {DEBT: "NA"}, {DEBT: "1e-20"}),
    ("Q653-1", "2020", {COMBINED: "250"}, {COMBINED: "250.01"}),
    ("Q653-1", "2024", {COMBINED: "0"}, {COMBINED: "-0.01"}),
    ("Q653-1", "2024", {COMBINED: "NA"}, {COMBINED: "1111"}),
    ("Q653-1", "2024", {COMBINED: "Exempt"}, {COMBINED: "251", "action_taken": 2}),
    *(("Q653-1", "2024", {COMBINED: "251", "action_taken": other}, {COMBINED: "251"})
     for other in (3, 7)),
    *(("Q653-2", "2024", {COMBINED: "1000", "action_taken": action},
     {COMBINED: "1000.01", "action_taken": action}) for action in (3, 4, 5, 6, 7)),
    ("Q653-2", "2020", {COMBINED: "1001"}, {COMBINED: "-1", "action_taken": 3}),
    ("Q653-2", "2024", {COMBINED: "NA", "action_taken": 3}, {COMBINED: "1001", "action_taken": 3}),
    ("Q654", "2020", {DEBT: "80"}, {DEBT: "80.01"}),
    ("Q654", "2024", {DEBT: "0"}, {DEBT: "-0.01"}),
    ("Q654", "2022", {DEBT: "NA"}, {DEBT: "81", "action_taken": 2}),
    ("Q654", "2024", {DEBT: "Exempt"}, {DEBT: "81", "action_taken": 8}),
    ("Q654", "2024", {DEBT: "81", "action_taken": 3}, {DEBT: "81"}),
    ("Q654", "2024", {DEBT: "81", "income": "5"}, {DEBT: "81", "income": "6"}),
    ("Q654", "2024", {DEBT: "81", "income": "NA"}, {DEBT: "81", "income": "9" * 60}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)
