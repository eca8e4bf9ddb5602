"""Amounts, rates and ratios: the values on either side of where an edit begins to fail."""

import pytest

from tests.filing.edits.codes import ALWAYS, holding, periods

NOTHING = ("NA", "Exempt")
# More digits than are kept still count: these are more than 0, 1 and 6.5.
SMALL = (".000000000000001", ".0000000000000001", ".00000000000000001", "1e-20", "1E-99")
ABOVE = ("6.500000000000001", "6.5000000000000001", "6.50000000000000001")

# Code, first and last year, changes of the loan, column, values that pass, values that fail.
AMOUNTS = [
    ("V617", ALWAYS, {}, "loan_amount", ("0", "-0", "0.00", "1e-20"), ("-0.01", "-1e-20")),
    ("V654-1", ALWAYS, {}, "income", ("NA", "0", "-1", str(2**31 - 1), str(-(2**31))),
     ("", str(2**31), str(-(2**31) - 1))),
    ("V654-2", ALWAYS, {"multifamily_affordable_units": "0"}, "income", ("NA",), ("0", "120")),
    *((code, ALWAYS, {}, column, (*NOTHING, "0", "0.01", *SMALL), ("-0.01", "-1"))
     for code, column in (("V672-1", "total_loan_costs"), ("V673-1", "total_points_and_fees"),
     ("V674-1", "origination_charges"))),
    *((code, ALWAYS, {}, column, ("", *NOTHING, "0.01", *SMALL), ("0", "0.00", "-0.01"))
     for code, column in (("V675-1", "discount_points"), ("V676-1", "lender_credits"))),
    ("V677-1", "2018", {}, "interest_rate", (*NOTHING, "0.01", *SMALL), ("0", "-0.01")),
    ("V677-1", "2019-", {}, "interest_rate", (*NOTHING, "0", *SMALL), ("-0.01", "-1e-20")),
    ("V678-1", ALWAYS, {}, "prepayment_penalty_term", (*NOTHING, "0", "1", str(2**31 - 1)),
     ("-1", str(2**31))),
    ("V678-5", ALWAYS, {"loan_term": "360"}, "prepayment_penalty_term", (*NOTHING, "0", "360"),
     ("361",)),
    ("V678-5", ALWAYS, {"prepayment_penalty_term": "12"}, "loan_term", (*NOTHING, "12"), ("11",)),
    ("V681-1", ALWAYS, {}, "combined_loan_to_value_ratio", (*NOTHING, *SMALL), ("0", "-0.01")),
    *((code, ALWAYS, {}, column, (*NOTHING, "1", str(2**31 - 1)), ("0", "-1", str(2**31)))
     for code, column in (("V682-1", "loan_term"), ("V683", "introductory_rate_period"))),
    ("V688-1", ALWAYS, {}, "property_value", (*NOTHING, *SMALL), ("0", "-0.01")),
    ("V692-2", ALWAYS, {"total_units": 4}, "multifamily_affordable_units", NOTHING, ("0", "4")),
    ("V692-3", ALWAYS, {"total_units": 5}, "multifamily_affordable_units",
     (*NOTHING, "0", "5", "-1"), ("6", str(2**31))),
    ("Q606", "2018-2019", {}, "income", ("NA", "2999", "-1"), ("3000",)),
    ("Q606", "2020-", {}, "income", ("NA", "9999", "-1"), ("10000",)),
    ("Q607", ALWAYS, {"lien_status": 2}, "loan_amount", ("250000",),
     ("250000.01", "250000.00000000000000001")),
    ("Q609", ALWAYS, {"purchaser_type": 1}, "rate_spread", (*NOTHING, "10", "10.000"), ("10.001",)),
    ("Q610", ALWAYS, {}, "rate_spread", (*NOTHING, "6.5", "6.50"), ("6.51", *ABOVE)),
    ("Q611", ALWAYS, {"lien_status": 2}, "rate_spread", (*NOTHING, "8.5", "8.50"), ("8.51",)),
    *((code, ALWAYS, {whole: "100"}, part, (*NOTHING, "0", "99.99", "-1"),
     ("100", "100.00", "101")) for code, whole, part in (("Q615-1", "total_loan_costs",
     "origination_charges"), ("Q615-2", "total_points_and_fees", "origination_charges"),
     ("Q616-1", "total_loan_costs", "discount_points"),
     ("Q616-2", "total_points_and_fees", "discount_points"))),
    *((code, ALWAYS, {part: "100"}, whole, (*NOTHING, "0", "0.00", "100.01"), ("100", "-1"))
     for code, whole, part in (("Q615-1", "total_loan_costs", "origination_charges"),
     ("Q615-2", "total_points_and_fees", "origination_charges"),
     ("Q616-1", "total_loan_costs", "discount_points"),
     ("Q616-2", "total_points_and_fees", "discount_points"))),
    ("Q616-3", "2025-", {"loan_amount": "100"}, "discount_points", ("", *NOTHING, "15"),
     ("15.01",)),
    ("Q623", ALWAYS, {"loan_amount": "2000000"}, "income", ("NA", "201"), ("200", "-1")),
    ("Q623", ALWAYS, {}, "loan_amount", ("1999999.99",), ("2000000",)),
    ("Q624", ALWAYS, {"loan_type": 2}, "loan_amount", ("637000",), ("637000.01",)),
    ("Q625", ALWAYS, {"loan_type": 3}, "loan_amount", ("1050000",), ("1050000.01",)),
    ("Q626", ALWAYS, {"purchaser_type": 4}, "loan_amount", ("1225000",), ("1225000.01",)),
    ("Q627", ALWAYS, {"total_units": 5}, "loan_amount", ("100000", "10000000"),
     ("99999.99", "10000000.01")),
    ("Q628", ALWAYS, {"loan_purpose": 1}, "loan_amount", ("10000.01",), ("10000",)),
    ("Q629", ALWAYS, {"loan_purpose": 1}, "income", ("0", "120"), ("NA",)),
    ("Q645-1", "2019-", {}, "loan_amount", ("500",), ("499.99",)),
    ("Q645-2", "2019-", {"loan_purpose": 1}, "loan_amount", ("1000",), ("999.99",)),
    ("Q650", "2020", {}, "interest_rate", (*NOTHING, "0", "-1", "0.5"), ("0.49", *SMALL)),
    ("Q650-1", "2021-", {}, "interest_rate", (*NOTHING, "0", "-1", "0.5"), ("0.49", *SMALL)),
    ("Q650-2", "2021-", {}, "interest_rate", (*NOTHING, "20", "20.000"),
     ("20.001", "20.00000000000000001")),
    ("Q651", "2020-2024", {}, "combined_loan_to_value_ratio", (*NOTHING, "1", "0", "-1"),
     ("0.99", *SMALL)),
    ("Q651-1", "2025-", {}, "combined_loan_to_value_ratio", (*NOTHING, "1.5", "0", "-1"),
     ("1.49", *SMALL)),
    ("Q651-2", "2025-", {}, "combined_loan_to_value_ratio", (*NOTHING, "149.99"),
     ("150", "150.01")),
    ("Q652", "2020-", {}, "debt_to_income_ratio", (*NOTHING, "1", "0", "-1"), ("0.99", *SMALL)),
    ("Q654", "2020-", {"income": "6"}, "debt_to_income_ratio", (*NOTHING, "0", "80"),
     ("-0.01", "80.01")),
    ("Q654", "2020-", {"debt_to_income_ratio": "81"}, "income", ("NA", "5", "-1"), ("6",)),
    ("Q655", "2021-", {"total_units": 5}, "multifamily_affordable_units", ("Exempt", "0", "-1"),
     ("NA",)),
    ("Q658", "2022-", {}, "loan_term", (*NOTHING, "600", "-1"), ("601",)),
    ("Q660-1", "2024-", {}, "street", ("x" * 100, "é" * 100), ("x" * 101,)),
]  # fmt: skip

# A loan of as much as the property is worth: 100 percent. Sixteen digits, and seventeen.
WHOLE = ("99999999999999.99", "999999999999999.99", "9999999999999999", "99999999999999999")
LARGE = [
    *(("Q617", "2020-", {"loan_amount": amount, "property_value": amount},
     "combined_loan_to_value_ratio", ("100", "100.00", "99999", "99999.99", "NA", "Exempt"),
     ("99", "99.99", "99.9999", "0", "-1")) for amount in WHOLE),
    *(("Q616-3", "2025-", {"loan_amount": "1" + "0" * zeros}, "discount_points",
     ("15" + "0" * (zeros - 2), "14"), ("15" + "0" * (zeros - 2) + ".01",
     "16" + "0" * (zeros - 2))) for zeros in (12, 13, 14, 15, 16, 17)),
]  # fmt: skip

ROWS = [*AMOUNTS, *LARGE]


@pytest.mark.parametrize(
    ("code", "years", "changes", "field", "right", "wrong"),
    ROWS,
    ids=[f"{number} {code} {field}" for number, (code, _, _, field, *_) in enumerate(ROWS)],
)
def test_an_edit_holds_up_to_its_boundary(code, years, changes, field, right, wrong):
    for period in periods(code, years):
        assert holding(code, period, changes, field, [*right, *wrong]) == [*right]
