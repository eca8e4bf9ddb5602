"""Amounts, rates and words: the values on either side of where an edit begins to fail."""

import pytest

from filing.edits import examples
from tests.filing.edits.cases import LEI
from tests.filing.edits.codes import ALWAYS, holding, periods

NOTHING = ("NA", "Exempt")
NUMBERS = ("0", "0.00", "5")
NO_PERSON = {
    f"{who}applicant_{name}": value
    for who in ("", "co_")
    for name, value in (("ethnicity_1", 4), ("race_1", 7), ("sex", 4))
}
# More digits than are kept still count: these are more than 0, 1 and 6.5.
SMALL = (".000000000000001", ".0000000000000001", ".00000000000000001", "1e-20", "1E-99")
ABOVE = ("6.500000000000001", "6.5000000000000001", "6.50000000000000001")

# Code, first and last year, changes of the loan, column, values that pass, values that fail.
AMOUNTS = [
    ("V617", ALWAYS, {}, "loan_amount", ("0", "-0", "0.00", "1e-20"), ("-0.01", "-1e-20")),
    (
        "V654-1",
        ALWAYS,
        {},
        "income",
        ("NA", "0", "-1", str(2**31 - 1), str(-(2**31))),
        ("", str(2**31), str(-(2**31) - 1)),
    ),
    ("V654-2", ALWAYS, {"multifamily_affordable_units": "0"}, "income", ("NA",), ("0", "120")),
    *(
        (code, ALWAYS, {}, column, (*NOTHING, "0", "0.01", *SMALL), ("-0.01", "-1"))
        for code, column in (
            ("V672-1", "total_loan_costs"),
            ("V673-1", "total_points_and_fees"),
            ("V674-1", "origination_charges"),
        )
    ),
    *(
        (code, ALWAYS, {}, column, ("", *NOTHING, "0.01", *SMALL), ("0", "0.00", "-0.01"))
        for code, column in (("V675-1", "discount_points"), ("V676-1", "lender_credits"))
    ),
    ("V677-1", "2018", {}, "interest_rate", (*NOTHING, "0.01", *SMALL), ("0", "-0.01")),
    ("V677-1", "2019-2026", {}, "interest_rate", (*NOTHING, "0", *SMALL), ("-0.01", "-1e-20")),
    (
        "V678-1",
        ALWAYS,
        {},
        "prepayment_penalty_term",
        (*NOTHING, "0", "1", str(2**31 - 1)),
        ("-1", str(2**31)),
    ),
    (
        "V678-5",
        ALWAYS,
        {"loan_term": "360"},
        "prepayment_penalty_term",
        (*NOTHING, "0", "360"),
        ("361",),
    ),
    ("V678-5", ALWAYS, {"prepayment_penalty_term": "12"}, "loan_term", (*NOTHING, "12"), ("11",)),
    ("V681-1", ALWAYS, {}, "combined_loan_to_value_ratio", (*NOTHING, *SMALL), ("0", "-0.01")),
    *(
        (code, ALWAYS, {}, column, (*NOTHING, "1", str(2**31 - 1)), ("0", "-1", str(2**31)))
        for code, column in (("V682-1", "loan_term"), ("V683", "introductory_rate_period"))
    ),
    ("V688-1", ALWAYS, {}, "property_value", (*NOTHING, *SMALL), ("0", "-0.01")),
    ("V692-2", ALWAYS, {"total_units": 4}, "multifamily_affordable_units", NOTHING, ("0", "4")),
    (
        "V692-3",
        ALWAYS,
        {"total_units": 5},
        "multifamily_affordable_units",
        (*NOTHING, "0", "5", "-1"),
        ("6", str(2**31)),
    ),
    ("Q606", "2018-2019", {}, "income", ("NA", "2999", "-1"), ("3000",)),
    ("Q606", "2020-2026", {}, "income", ("NA", "9999", "-1"), ("10000",)),
    (
        "Q607",
        ALWAYS,
        {"lien_status": 2},
        "loan_amount",
        ("250000",),
        ("250000.01", "250000.00000000000000001"),
    ),
    ("Q609", ALWAYS, {"purchaser_type": 1}, "rate_spread", (*NOTHING, "10", "10.000"), ("10.001",)),
    ("Q610", ALWAYS, {}, "rate_spread", (*NOTHING, "6.5", "6.50"), ("6.51", *ABOVE)),
    ("Q611", ALWAYS, {"lien_status": 2}, "rate_spread", (*NOTHING, "8.5", "8.50"), ("8.51",)),
    *(
        (
            code,
            ALWAYS,
            {whole: "100"},
            part,
            (*NOTHING, "0", "99.99", "-1"),
            ("100", "100.00", "101"),
        )
        for code, whole, part in (
            ("Q615-1", "total_loan_costs", "origination_charges"),
            ("Q615-2", "total_points_and_fees", "origination_charges"),
            ("Q616-1", "total_loan_costs", "discount_points"),
            ("Q616-2", "total_points_and_fees", "discount_points"),
        )
    ),
    *(
        (code, ALWAYS, {part: "100"}, whole, (*NOTHING, "0", "0.00", "100.01"), ("100", "-1"))
        for code, whole, part in (
            ("Q615-1", "total_loan_costs", "origination_charges"),
            ("Q615-2", "total_points_and_fees", "origination_charges"),
            ("Q616-1", "total_loan_costs", "discount_points"),
            ("Q616-2", "total_points_and_fees", "discount_points"),
        )
    ),
    (
        "Q616-3",
        "2025-2026",
        {"loan_amount": "100"},
        "discount_points",
        ("", *NOTHING, "15"),
        ("15.01",),
    ),
    ("Q623", ALWAYS, {"loan_amount": "2000000"}, "income", ("NA", "201"), ("200", "-1")),
    ("Q623", ALWAYS, {}, "loan_amount", ("1999999.99",), ("2000000",)),
    ("Q624", ALWAYS, {"loan_type": 2}, "loan_amount", ("637000",), ("637000.01",)),
    ("Q625", ALWAYS, {"loan_type": 3}, "loan_amount", ("1050000",), ("1050000.01",)),
    ("Q626", ALWAYS, {"purchaser_type": 4}, "loan_amount", ("1225000",), ("1225000.01",)),
    (
        "Q627",
        ALWAYS,
        {"total_units": 5},
        "loan_amount",
        ("100000", "10000000"),
        ("99999.99", "10000000.01"),
    ),
    ("Q628", ALWAYS, {"loan_purpose": 1}, "loan_amount", ("10000.01",), ("10000",)),
    ("Q629", ALWAYS, {"loan_purpose": 1}, "income", ("0", "120"), ("NA",)),
    ("Q645-1", "2019-2026", {}, "loan_amount", ("500",), ("499.99",)),
    ("Q645-2", "2019-2026", {"loan_purpose": 1}, "loan_amount", ("1000",), ("999.99",)),
    ("Q650", "2020", {}, "interest_rate", (*NOTHING, "0", "-1", "0.5"), ("0.49", *SMALL)),
    ("Q650-1", "2021-2026", {}, "interest_rate", (*NOTHING, "0", "-1", "0.5"), ("0.49", *SMALL)),
    (
        "Q650-2",
        "2021-2026",
        {},
        "interest_rate",
        (*NOTHING, "20", "20.000"),
        ("20.001", "20.00000000000000001"),
    ),
    (
        "Q651",
        "2020-2024",
        {},
        "combined_loan_to_value_ratio",
        (*NOTHING, "1", "0", "-1"),
        ("0.99", *SMALL),
    ),
    (
        "Q651-1",
        "2025-2026",
        {},
        "combined_loan_to_value_ratio",
        (*NOTHING, "1.5", "0", "-1"),
        ("1.49", *SMALL),
    ),
    (
        "Q651-2",
        "2025-2026",
        {},
        "combined_loan_to_value_ratio",
        (*NOTHING, "149.99"),
        ("150", "150.01"),
    ),
    ("Q652", "2020-2026", {}, "debt_to_income_ratio", (*NOTHING, "1", "0", "-1"), ("0.99", *SMALL)),
    (
        "Q654",
        "2020-2026",
        {"income": "6"},
        "debt_to_income_ratio",
        (*NOTHING, "0", "80"),
        ("-0.01", "80.01"),
    ),
    ("Q654", "2020-2026", {"debt_to_income_ratio": "81"}, "income", ("NA", "5", "-1"), ("6",)),
    (
        "Q655",
        "2021-2026",
        {"total_units": 5},
        "multifamily_affordable_units",
        ("Exempt", "0", "-1"),
        ("NA",),
    ),
    ("Q658", "2022-2026", {}, "loan_term", (*NOTHING, "600", "-1"), ("601",)),
    ("Q660-1", "2024-2026", {}, "street", ("x" * 100, "é" * 100), ("x" * 101,)),
]

# Where a loan is of some kind, no amount stands there.
NO_AMOUNTS = [
    *(
        (code, ALWAYS, {"action_taken": action}, column, NOTHING, (*NUMBERS, *blanks))
        for code, column, actions, blanks in (
            ("V657-2", "rate_spread", (3, 4, 5, 6, 7), ()),
            ("V672-6", "total_loan_costs", (2, 3, 4, 5, 7, 8), ()),
            ("V673-2", "total_points_and_fees", (2, 3, 4, 5, 6, 7, 8), ()),
            ("V674-5", "origination_charges", (2, 3, 4, 5, 7, 8), ()),
            ("V675-5", "discount_points", (2, 3, 4, 5, 7, 8), ("",)),
            ("V676-5", "lender_credits", (2, 3, 4, 5, 7, 8), ("",)),
            ("V677-2", "interest_rate", (3, 4, 5, 7), ()),
            ("V678-2", "prepayment_penalty_term", (6,), ()),
            ("V679-2", "debt_to_income_ratio", (4, 5, 6), ()),
            ("V681-2", "combined_loan_to_value_ratio", (4, 5, 6), ()),
            ("V688-2", "property_value", (4, 5), ()),
        )
        for action in actions
    ),
    *(
        (code, ALWAYS, {flag: 1}, column, NOTHING, NUMBERS)
        for flag, codes in (
            (
                "reverse_mortgage",
                (
                    *(("V657-3", "rate_spread"), ("V672-3", "total_loan_costs")),
                    *(("V673-3", "total_points_and_fees"), ("V674-2", "origination_charges")),
                    *(("V675-2", "discount_points"), ("V676-2", "lender_credits")),
                    *(("V678-3", "prepayment_penalty_term"), ("V682-2", "loan_term")),
                ),
            ),
            (
                "open_end_line_of_credit",
                (
                    *(("V672-4", "total_loan_costs"), ("V674-3", "origination_charges")),
                    *(("V675-3", "discount_points"), ("V676-3", "lender_credits")),
                ),
            ),
            (
                "business_or_commercial_purpose",
                (
                    *(("V672-5", "total_loan_costs"), ("V673-4", "total_points_and_fees")),
                    *(("V674-4", "origination_charges"), ("V675-4", "discount_points")),
                    *(("V676-4", "lender_credits"), ("V678-4", "prepayment_penalty_term")),
                ),
            ),
        )
        for code, column in codes
    ),
    (
        "V672-2",
        ALWAYS,
        {"total_points_and_fees": "0"},
        "total_loan_costs",
        ("NA",),
        ("Exempt", *NUMBERS),
    ),
    (
        "V673-5",
        ALWAYS,
        {"total_loan_costs": "0"},
        "total_points_and_fees",
        ("NA",),
        ("Exempt", *NUMBERS),
    ),
    (
        "V712",
        ALWAYS,
        {"total_loan_costs": "Exempt"},
        "total_points_and_fees",
        ("Exempt",),
        ("NA", *NUMBERS),
    ),
    (
        "V712",
        ALWAYS,
        {"total_points_and_fees": "Exempt"},
        "total_loan_costs",
        ("Exempt",),
        ("NA", *NUMBERS),
    ),
    (
        "V712",
        ALWAYS,
        {"total_loan_costs": "NA"},
        "total_points_and_fees",
        ("NA", *NUMBERS),
        ("Exempt",),
    ),
    (
        "V679-3",
        ALWAYS,
        {"multifamily_affordable_units": "2"},
        "debt_to_income_ratio",
        NOTHING,
        NUMBERS,
    ),
    ("V655-1", ALWAYS, NO_PERSON, "income", ("NA",), ("0", "120")),
    ("V655-2", ALWAYS, NO_PERSON, "income", ("NA",), ("0", "120")),
    ("V680-2", ALWAYS, NO_PERSON, "debt_to_income_ratio", NOTHING, NUMBERS),
    (
        "V680-1",
        ALWAYS,
        NO_PERSON
        | {"co_applicant_ethnicity_1": 5, "co_applicant_race_1": 8, "co_applicant_sex": 5},
        "debt_to_income_ratio",
        NOTHING,
        NUMBERS,
    ),
]

# A loan of as much as the property is worth: 100 percent. Sixteen digits, and seventeen.
WHOLE = ("99999999999999.99", "999999999999999.99", "9999999999999999", "99999999999999999")
LARGE = [
    *(
        (
            "Q617",
            "2020-2026",
            {"loan_amount": amount, "property_value": amount},
            "combined_loan_to_value_ratio",
            ("100", "100.00", "99999", "99999.99", "NA", "Exempt"),
            ("99", "99.99", "99.9999", "0", "-1"),
        )
        for amount in WHOLE
    ),
    *(
        (
            "Q616-3",
            "2025-2026",
            {"loan_amount": "1" + "0" * zeros},
            "discount_points",
            ("15" + "0" * (zeros - 2), "14"),
            ("15" + "0" * (zeros - 2) + ".01", "16" + "0" * (zeros - 2)),
        )
        for zeros in (12, 13, 14, 15, 16, 17)
    ),
]

ULI = examples.numbered_uli(LEI, 1)
WORDS = [
    ("V600", ALWAYS, {}, "lei", (LEI, "-" * 20), ("", LEI[1:], LEI + "1")),
    ("V608-1", ALWAYS, {}, "uli", ("", "A" * 45, "-" * 22), ("A" * 46, "A" * 22 + "-")),
    (
        "V608-2",
        "2018-2021",
        {},
        "uli",
        ("A", "A" * 22, "NA", "1111", "-" * 23),
        ("", "A-", "-" * 22),
    ),
    (
        "V608-2",
        "2022-2026",
        {},
        "uli",
        ("A", "A" * 22, "-" * 23),
        ("", "na", "NA", "Exempt", "1111"),
    ),
    ("V609", "2019-2026", {}, "uli", (ULI, "A" * 22), ("A" * 23, ULI[:-1] + "X")),
    ("V620", ALWAYS, {}, "street", ("x", "NA"), ("",)),
    ("V621", ALWAYS, {}, "city", ("x", "NA"), ("",)),
    *(
        ("V622", ALWAYS, {}, column, ("Exempt", "na", ""), ("NA",))
        for column in ("city", "state", "zip_code")
    ),
    ("V622", ALWAYS, {"city": "NA"}, "street", ("NA", "Exempt"), ("na", "1 Main", "")),
    ("V623", ALWAYS, {}, "state", ("CA", "PR", "PW", "NA"), ("ca", "XX", "na", "", "Exempt")),
    (
        "V624",
        ALWAYS,
        {},
        "zip_code",
        ("90001", "90001-1234", *NOTHING),
        ("9000", "900011", "na", ""),
    ),
    ("V695", "2018-2020", {}, "nmlsr_id", ("0", "NA", "x"), ("",)),
    (
        "V695-1",
        "2021-2026",
        {},
        "nmlsr_id",
        (*NOTHING, "0", "-1", "12345"),
        ("", "na", "A1", "1.5"),
    ),
    ("V695-2", "2021-2026", {}, "nmlsr_id", ("1", "NA", "00"), ("0",)),
    (
        "V695-3",
        "2025",
        {},
        "nmlsr_id",
        (*NOTHING, "1234", "1" * 12),
        ("123", "1" * 13, "0000", "-123"),
    ),
    (
        "V695-3",
        "2026",
        {},
        "nmlsr_id",
        (*NOTHING, "1234", "3000000"),
        ("123", "3000001", "0000", "00012345"),
    ),
    *(
        ("V709", ALWAYS, {one: "Exempt", other: "Exempt"}, last, ("Exempt",), ("NA", "", "exempt"))
        for one, other, last in (
            ("street", "city", "zip_code"),
            ("zip_code", "street", "city"),
            ("city", "zip_code", "street"),
        )
    ),
    *(
        ("V709", ALWAYS, {}, name, ("NA", "exempt"), ("Exempt",))
        for name in ("street", "city", "zip_code")
    ),
    *(
        (code, ALWAYS, {f"{kind}_1": one}, f"{kind}_free_form", ("",), ("Other",))
        for code, kind, one in (
            ("V671-2", "denial_reason", 1),
            ("V702-2", "aus", 1),
            ("V703-2", "aus_result", 1),
        )
    ),
    *(
        (code, ALWAYS, {f"{kind}_{n}": other}, f"{kind}_free_form", ("Other",), ("",))
        for code, kind, other, last in (
            ("V671-1", "denial_reason", 9, 4),
            ("V702-1", "aus", 5, 5),
            ("V703-1", "aus_result", 16, 5),
        )
        for n in range(1, last + 1)
    ),
    ("V711", ALWAYS, {"denial_reason_1": 1111}, "denial_reason_free_form", ("",), ("Other",)),
    *(
        ("V713", ALWAYS, {"aus_1": 1111, "aus_result_1": 1111}, name, ("",), ("Other",))
        for name in ("aus_free_form", "aus_result_free_form")
    ),
    *(
        (
            code,
            ALWAYS,
            {"action_taken": 4, f"{who}_credit_score": 8888, f"{who}_credit_score_type": 9},
            f"{who}_credit_score_type_free_form",
            ("",),
            ("Other",),
        )
        for code, who in (("V663", "applicant"), ("V664", "co_applicant"))
    ),
    ("Q602", ALWAYS, {}, "street", ("Exempt", "", "na"), ("NA",)),
    *(
        ("Q602", ALWAYS, {"street": "NA"}, name, ("NA",), ("x", "", "Exempt"))
        for name in ("city", "state", "zip_code")
    ),
    ("Q620", ALWAYS, {}, "nmlsr_id", ("Exempt", "", "na"), ("NA",)),
    ("Q621", "2018-2024", {}, "nmlsr_id", ("", "A" * 12), ("A" * 13, "A-1")),
    ("Q621", "2025", {}, "nmlsr_id", (*NOTHING, "1234", "1" * 12), ("123", "1" * 13, "")),
]

ROWS = [*AMOUNTS, *NO_AMOUNTS, *LARGE, *WORDS]


@pytest.mark.parametrize(
    ("code", "years", "changes", "field", "right", "wrong"),
    ROWS,
    ids=[f"{number} {code} {field}" for number, (code, _, _, field, *_) in enumerate(ROWS)],
)
def test_an_edit_holds_up_to_its_boundary(code, years, changes, field, right, wrong):
    for period in periods(code, years):
        assert holding(code, period, changes, field, [*right, *wrong]) == [*right]
