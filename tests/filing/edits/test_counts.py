"""What edits of the file count: which loans, by the codes that stand in them."""

import pytest

from filing.edits import catalogue, examples
from filing.lar.years import Period
from tests.filing.edits.cases import LEI
from tests.filing.edits.files import run, write

OTHER_LEI = "OTHER000000000000001"
CODES = (-1, *range(21), 31, 32, 1111, 8888, 9999)
PURCHASE = {"loan_purpose": 1}
ULI = examples.numbered_uli(LEI, 77)


WHOLE_FILE = {"S305", "S306", "S307", "Q600", *(f"Q{n}" for n in range(634, 648))}


def found(tmp_path, text, changes, **sheet):
    """Return what the edits that count find in a file of correct loans with changes."""
    period = Period.parse(text)
    edits = [edit for edit in catalogue.list_edits(period) if edit.code in WHOLE_FILE]
    known = write(tmp_path / "file.txt", period, changes, **sheet)
    return run(tmp_path / "file.txt", known, edits=edits)


def figures(result, code):
    return dict(result.outcome(code).figures)


def loans_with(column, values, **others):
    return [others | {column: value} for value in values]


def test_each_action_is_counted_where_its_share_is_limited(tmp_path):
    result = found(tmp_path, "2024", loans_with("action_taken", CODES, loan_purpose=1))
    loans = len(CODES)
    assert figures(result, "Q634") == {"originated": 1, "purchases": loans, "few": 25, "limit": 95}
    assert figures(result, "Q635") == {"not_accepted": 1, "loans": loans, "limit": 15}
    assert figures(result, "Q636") == {"withdrawn": 1, "loans": loans, "limit": 30}
    assert figures(result, "Q637") == {"incomplete": 1, "loans": loans, "limit": 15}
    assert figures(result, "Q638") == {"originated": 1, "decided": 6, "limit": 20}
    assert figures(result, "Q639") == {"requested": 0, "denied": 1, "many": 1000}


@pytest.mark.parametrize("action", [0, 2, 99])
def test_every_purchase_row_counts_whatever_its_action(tmp_path, action):
    loans = [*[PURCHASE] * 95, *[PURCHASE | {"action_taken": action}] * 5]
    assert ("Q634", "file") not in found(tmp_path, "2024", loans).rows
    assert ("Q634", "file") in found(tmp_path, "2024", loans[:-1]).rows


def test_only_purchases_count_among_purchases(tmp_path):
    result = found(tmp_path, "2024", loans_with("loan_purpose", CODES))
    assert (figures(result, "Q634")["originated"], figures(result, "Q634")["purchases"]) == (1, 1)


def test_only_requests_for_a_preapproval_are_counted(tmp_path):
    result = found(tmp_path, "2024", loans_with("preapproval", CODES))
    assert figures(result, "Q639") == {"requested": 1, "denied": 0, "many": 1000}


def test_low_incomes_are_those_below_ten_thousand_dollars(tmp_path):
    incomes = ("-5", "0", "9", "10", "11", "120", "NA", "NA")
    result = found(tmp_path, "2024", loans_with("income", incomes))
    assert figures(result, "Q640") == {"low": 3, "incomes": 6, "limit": 20}


CODED = (
    *("applicant_credit_score_type", "co_applicant_credit_score_type"),
    *(f"denial_reason_{n}" for n in range(1, 5)),
    *("balloon_payment", "interest_only_payments", "negative_amortization"),
    *("other_non_amortizing_features", "manufactured_home_secured_property_type"),
    *("manufactured_home_land_property_interest", "submission_of_application"),
    *("initially_payable_to_institution", "reverse_mortgage", "open_end_line_of_credit"),
    *(f"{name}_{n}" for name in ("aus", "aus_result") for n in range(1, 6)),
    "business_or_commercial_purpose",
)
TEXTS = (
    *("street", "city", "zip_code", "rate_spread", "total_loan_costs", "total_points_and_fees"),
    *("origination_charges", "discount_points", "lender_credits", "interest_rate"),
    *("prepayment_penalty_term", "debt_to_income_ratio", "combined_loan_to_value_ratio"),
    *("loan_term", "introductory_rate_period", "property_value"),
    *("multifamily_affordable_units", "nmlsr_id"),
)
# Neither the scores themselves nor anything else that is asked of a co-applicant is exempt.
NOT_EXEMPT = (
    *("applicant_credit_score", "co_applicant_credit_score"),
    *(f"co_applicant_{name}_{n}" for name in ("ethnicity", "race") for n in range(1, 6)),
    *(f"co_applicant_{name}" for name in ("sex", "age", "ethnicity_observed", "race_observed")),
    *("co_applicant_sex_observed", "purchaser_type", "hoepa_status", "total_units"),
)
MARKED = [
    *({name: 1111} for name in CODED),
    *({name: mark} for name in TEXTS for mark in ("Exempt", "1111")),
    *({name: mark} for name in ("street", "city", "zip_code", "nmlsr_id")
     for mark in ("EXEMPT", "exempt")),
]  # fmt: skip
UNMARKED = [
    *({name: 1111} for name in NOT_EXEMPT),
    *({name: "Exempt"} for name in ("state", "county", "census_tract", "uli")),
    {"income": "1111"},
    {"loan_amount": "1111"},
]


@pytest.mark.parametrize("year", ["2019", "2024"])
def test_each_column_with_an_exemption_code_counts_by_itself(tmp_path, year):
    result = found(tmp_path, year, [*MARKED, *UNMARKED])
    assert figures(result, "Q646") == {"exempt": len(MARKED)}
    assert figures(result, "Q647") == {"agency": examples.AGENCY, "exempt": len(MARKED)}


def test_each_loan_is_told_of_its_exemption_from_2025_on(tmp_path):
    result = found(tmp_path, "2025", [*MARKED, *UNMARKED], federal_agency=7)
    expected = list(range(1, len(MARKED) + 1))
    assert result.rows["Q646", "lar"] == result.rows["Q647", "lar"] == expected


@pytest.mark.parametrize(("agency", "fails"), [(5, False), (9, False), (7, True)])
def test_only_agency_7_may_not_use_the_exemption(tmp_path, agency, fails):
    loans = [{"nmlsr_id": "Exempt"}]
    before = found(tmp_path, "2024", loans, federal_agency=agency)
    after = found(tmp_path, "2025", loans, federal_agency=agency)
    assert (("Q647", "file") in before.rows, ("Q647", "lar") in after.rows) == (fails, fails)


@pytest.mark.parametrize("period", ["2024", "2024-Q1"])
def test_a_uli_stands_once_even_under_two_leis(tmp_path, period):
    result = found(tmp_path, period, [{"uli": ULI}, {}, {"uli": ULI, "lei": OTHER_LEI}])
    assert result.rows["S306", "file"] == result.rows["Q600", "file"] == [1, 3]
    assert ("S305", "file") not in result.rows


@pytest.mark.parametrize("action", [0, 2, 11])
def test_only_originated_loans_may_not_share_a_uli(tmp_path, action):
    twice = {"uli": ULI, "action_taken": action}
    result = found(tmp_path, "2024", [twice, twice | {"income": "7"}, {"uli": ULI}])
    assert ("S306", "file") not in result.rows
    assert result.rows["Q600", "file"] == [1, 2, 3]


@pytest.mark.parametrize(
    ("quarter", "days"),
    [
        (1, [(20230601, 1, 0), (20240101, 1, 0), (20240331, 1, 0), (20240401, 0, 1)]),
        (2, [(20240331, 0, 0), (20240401, 1, 0), (20240630, 1, 0), (20240701, 0, 1)]),
        (3, [(20240630, 0, 0), (20240701, 1, 0), (20240930, 1, 0), (20241001, 0, 1)]),
    ],
)
def test_loans_inside_a_quarter_and_after_it_are_counted_by_day(tmp_path, quarter, days):
    for day, inside, after in days:
        result = found(tmp_path, str(Period(2024, quarter)), [{"action_taken_date": day}])
        assert figures(result, "S307") == {"inside": inside, "after": after}
        assert (("S307", "file") in result.rows) == (not inside)
