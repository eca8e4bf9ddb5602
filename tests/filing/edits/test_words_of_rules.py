"""Words and names: where only NA or Exempt may be reported, and which texts are accepted."""

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

# Code, first and last year, changes of the loan, column, values that pass, values that fail.
# A loan of some kinds has no amount there.
NO_AMOUNTS = [
    *((code, ALWAYS, {"action_taken": action}, column, NOTHING, (*NUMBERS, *blanks))
     for code, column, actions, blanks in (("V657-2", "rate_spread", (3, 4, 5, 6, 7), ()),
     ("V672-6", "total_loan_costs", (2, 3, 4, 5, 7, 8), ()),
     ("V673-2", "total_points_and_fees", (2, 3, 4, 5, 6, 7, 8), ()),
     ("V674-5", "origination_charges", (2, 3, 4, 5, 7, 8), ()),
     ("V675-5", "discount_points", (2, 3, 4, 5, 7, 8), ("",)),
     ("V676-5", "lender_credits", (2, 3, 4, 5, 7, 8), ("",)),
     ("V677-2", "interest_rate", (3, 4, 5, 7), ()),
     ("V678-2", "prepayment_penalty_term", (6,), ()),
     ("V679-2", "debt_to_income_ratio", (4, 5, 6), ()),
     ("V681-2", "combined_loan_to_value_ratio", (4, 5, 6), ()),
     ("V688-2", "property_value", (4, 5), ())) for action in actions),
    *((code, ALWAYS, {flag: 1}, column, NOTHING, NUMBERS)
     for flag, codes in (("reverse_mortgage",
     (*(("V657-3", "rate_spread"), ("V672-3", "total_loan_costs")),
     *(("V673-3", "total_points_and_fees"), ("V674-2", "origination_charges")),
     *(("V675-2", "discount_points"), ("V676-2", "lender_credits")),
     *(("V678-3", "prepayment_penalty_term"), ("V682-2", "loan_term")))),
     ("open_end_line_of_credit", (*(("V672-4", "total_loan_costs"),
     ("V674-3", "origination_charges")), *(("V675-3", "discount_points"),
     ("V676-3", "lender_credits")))), ("business_or_commercial_purpose",
     (*(("V672-5", "total_loan_costs"), ("V673-4", "total_points_and_fees")),
     *(("V674-4", "origination_charges"), ("V675-4", "discount_points")),
     *(("V676-4", "lender_credits"), ("V678-4", "prepayment_penalty_term")))))
     for code, column in codes),
    ("V672-2", ALWAYS, {"total_points_and_fees": "0"}, "total_loan_costs", ("NA",),
     ("Exempt", *NUMBERS)),
    ("V673-5", ALWAYS, {"total_loan_costs": "0"}, "total_points_and_fees", ("NA",),
     ("Exempt", *NUMBERS)),
    ("V712", ALWAYS, {"total_loan_costs": "Exempt"}, "total_points_and_fees", ("Exempt",),
     ("NA", *NUMBERS)),
    ("V712", ALWAYS, {"total_points_and_fees": "Exempt"}, "total_loan_costs", ("Exempt",),
     ("NA", *NUMBERS)),
    ("V712", ALWAYS, {"total_loan_costs": "NA"}, "total_points_and_fees", ("NA", *NUMBERS),
     ("Exempt",)),
    ("V679-3", ALWAYS, {"multifamily_affordable_units": "2"}, "debt_to_income_ratio", NOTHING,
     NUMBERS),
    ("V655-1", ALWAYS, NO_PERSON, "income", ("NA",), ("0", "120")),
    ("V655-2", ALWAYS, NO_PERSON, "income", ("NA",), ("0", "120")),
    ("V680-2", ALWAYS, NO_PERSON, "debt_to_income_ratio", NOTHING, NUMBERS),
    ("V680-1", ALWAYS, NO_PERSON | {"co_applicant_ethnicity_1": 5, "co_applicant_race_1": 8,
     "co_applicant_sex": 5}, "debt_to_income_ratio", NOTHING, NUMBERS),
]  # fmt: skip

ULI = examples.numbered_uli(LEI, 1)
WORDS = [
    ("V600", ALWAYS, {}, "lei", (LEI, "-" * 20), ("", LEI[1:], LEI + "1")),
    ("V608-1", ALWAYS, {}, "uli", ("", "A" * 45, "-" * 22), ("A" * 46, "A" * 22 + "-")),
    ("V608-2", "2018-2021", {}, "uli", ("A", "A" * 22, "NA", "1111", "-" * 23),
     ("", "A-", "-" * 22)),
    ("V608-2", "2022-", {}, "uli", ("A", "A" * 22, "-" * 23), ("", "na", "NA", "Exempt", "1111")),
    ("V609", "2019-", {}, "uli", (ULI, "A" * 22), ("A" * 23, ULI[:-1] + "X")),
    ("V620", ALWAYS, {}, "street", ("x", "NA"), ("",)),
    ("V621", ALWAYS, {}, "city", ("x", "NA"), ("",)),
    *(("V622", ALWAYS, {}, column, ("Exempt", "na", ""), ("NA",))
     for column in ("city", "state", "zip_code")),
    ("V622", ALWAYS, {"city": "NA"}, "street", ("NA", "Exempt"), ("na", "1 Main", "")),
    ("V623", ALWAYS, {}, "state", ("CA", "PR", "PW", "NA"), ("ca", "XX", "na", "", "Exempt")),
    ("V624", ALWAYS, {}, "zip_code", ("90001", "90001-1234", *NOTHING),
     ("9000", "900011", "na", "")),
    ("V695", "2018-2020", {}, "nmlsr_id", ("0", "NA", "x"), ("",)),
    ("V695-1", "2021-", {}, "nmlsr_id", (*NOTHING, "0", "-1", "12345"), ("", "na", "A1", "1.5")),
    ("V695-2", "2021-", {}, "nmlsr_id", ("1", "NA", "00"), ("0",)),
    ("V695-3", "2025", {}, "nmlsr_id", (*NOTHING, "1234", "1" * 12),
     ("123", "1" * 13, "0000", "-123")),
    ("V695-3", "2026", {}, "nmlsr_id", (*NOTHING, "1234", "3000000"),
     ("123", "3000001", "0000", "00012345")),
    *(("V709", ALWAYS, {one: "Exempt", other: "Exempt"}, last, ("Exempt",), ("NA", "", "exempt"))
     for one, other, last in (("street", "city", "zip_code"), ("zip_code", "street", "city"),
     ("city", "zip_code", "street"))),
    *(("V709", ALWAYS, {}, name, ("NA", "exempt"), ("Exempt",))
     for name in ("street", "city", "zip_code")),
    *((code, ALWAYS, {f"{kind}_1": one}, f"{kind}_free_form", ("",), ("Other",))
     for code, kind, one in (("V671-2", "denial_reason", 1), ("V702-2", "aus", 1),
     ("V703-2", "aus_result", 1))),
    *((code, ALWAYS, {f"{kind}_{n}": other}, f"{kind}_free_form", ("Other",), ("",))
     for code, kind, other, last in (("V671-1", "denial_reason", 9, 4), ("V702-1", "aus", 5, 5),
     ("V703-1", "aus_result", 16, 5)) for n in range(1, last + 1)),
    ("V711", ALWAYS, {"denial_reason_1": 1111}, "denial_reason_free_form", ("",), ("Other",)),
    *(("V713", ALWAYS, {"aus_1": 1111, "aus_result_1": 1111}, name, ("",), ("Other",))
     for name in ("aus_free_form", "aus_result_free_form")),
    *((code, ALWAYS, {"action_taken": 4, f"{who}_credit_score": 8888,
     f"{who}_credit_score_type": 9}, f"{who}_credit_score_type_free_form", ("",), ("Other",))
     for code, who in (("V663", "applicant"), ("V664", "co_applicant"))),
    ("Q602", ALWAYS, {}, "street", ("Exempt", "", "na"), ("NA",)),
    *(("Q602", ALWAYS, {"street": "NA"}, name, ("NA",), ("x", "", "Exempt"))
     for name in ("city", "state", "zip_code")),
    ("Q620", ALWAYS, {}, "nmlsr_id", ("Exempt", "", "na"), ("NA",)),
    ("Q621", "2018-2024", {}, "nmlsr_id", ("", "A" * 12), ("A" * 13, "A-1")),
    ("Q621", "2025", {}, "nmlsr_id", (*NOTHING, "1234", "1" * 12), ("123", "1" * 13, "")),
]  # fmt: skip

ROWS = [*NO_AMOUNTS, *WORDS]


@pytest.mark.parametrize(
    ("code", "years", "changes", "field", "right", "wrong"),
    ROWS,
    ids=[f"{number} {code} {field}" for number, (code, _, _, field, *_) in enumerate(ROWS)],
)
def test_an_edit_accepts_these_texts_and_no_others(code, years, changes, field, right, wrong):
    for period in periods(code, years):
        assert holding(code, period, changes, field, [*right, *wrong]) == [*right]
