"""Quality edits of the loan amount."""

import pytest

from filing.edits.edit import EditLevel
from tests.filing.edits.cases import verdicts

FIVE = {"total_units": 5}

CASES = [
    ("Q623", "2018", {"loan_amount": "1999999.99"}, {"loan_amount": "2000000"}),
    ("Q623", "2024", {"loan_amount": "2e6", "income": "201"},
     {"loan_amount": "2e6", "income": "200"}),
    ("Q623", "2024", {"loan_amount": "2e6", "total_units": 5},
     {"loan_amount": "2e6", "total_units": 4}),
    ("Q623", "2024", {"loan_amount": "2e6", "income": "9" * 60},
     {"loan_amount": "2e6", "income": "-" + "9" * 60}),
    ("Q623", "2024", {"loan_amount": "2e6", "income": "NA"},
     {"loan_amount": "2000000.0000000000000000000001"}),
    ("Q624", "2018", {"loan_type": 2, "loan_amount": "637000.00"},
     {"loan_type": 2, "loan_amount": "637000.01"}),
    ("Q624", "2024", {"loan_type": 2, "loan_amount": "637001", "total_units": 2},
     {"loan_type": 2, "loan_amount": "637001"}),
    ("Q624", "2024", {"loan_amount": "1e6"}, {"loan_type": 2, "loan_amount": "1e6"}),
    ("Q625", "2018", {"loan_type": 3, "loan_amount": "1050000"},
     {"loan_type": 3, "loan_amount": "1050000.01"}),
    ("Q625", "2024", {"loan_type": 3, "loan_amount": "2e6", "total_units": 5},
     {"loan_type": 3, "loan_amount": "2e6", "total_units": 4}),
    ("Q625", "2024", {"loan_amount": "2e6"}, {"loan_type": 3, "loan_amount": "2e6"}),
    ("Q626", "2018", {"purchaser_type": 1, "loan_amount": "1225000"},
     {"purchaser_type": 1, "loan_amount": "1225000.01"}),
    ("Q626", "2024", {"purchaser_type": 4, "loan_amount": "2e6", "total_units": 5},
     {"purchaser_type": 4, "loan_amount": "2e6", "total_units": 4}),
    ("Q626", "2024", {"purchaser_type": 5, "loan_amount": "2e6"},
     {"purchaser_type": 2, "loan_amount": "2e6"}),
    ("Q627", "2018", FIVE | {"loan_amount": "100000"}, FIVE | {"loan_amount": "99999.99"}),
    ("Q627", "2024", FIVE | {"loan_amount": "1e7"}, FIVE | {"loan_amount": "10000000.01"}),
    ("Q627", "2024", {"loan_amount": "1", "total_units": 4}, FIVE | {"loan_amount": "1"}),
    ("Q628", "2018", {"loan_purpose": 1, "loan_amount": "10000.01"},
     {"loan_purpose": 1, "loan_amount": "10000"}),
    ("Q628", "2024", {"loan_purpose": 1, "loan_amount": "1", "total_units": 5},
     {"loan_purpose": 1, "loan_amount": "1", "total_units": 4}),
    ("Q628", "2024", {"loan_amount": "1"}, {"loan_purpose": 1, "loan_amount": "1"}),
    ("Q645-1", "2019", {"loan_amount": "500"}, {"loan_amount": "499.99"}),
    ("Q645-1", "2024", {"loan_amount": "5e2"}, {"action_taken": 6, "loan_amount": "-500"}),
    ("Q645-2", "2020-Q1", {"loan_purpose": 1, "loan_amount": "1000"},
     {"loan_purpose": 1, "loan_amount": "999.99"}),
    ("Q645-2", "2024", {"loan_amount": "0"}, {"loan_purpose": 1, "loan_amount": "0"}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)
