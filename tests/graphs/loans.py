"""Facts of loans that are few enough to count by hand, and what all graphs of them are."""

from __future__ import annotations

from typing import Any

import polars as pl

from databrowser.publication.records.quarterly_facts import SCHEMA

FILER, OTHER = "529900QUARTERLYFILER", "529900ONCEAYEARFILER"
LOAN = {
    "activity_year": 2023,
    "quarter": 1,
    "lei": FILER,
    "in_scope": True,
    "action_taken": 1,
    "loan_type": 1,
    "loan_purpose": 4,
    "lien_status": 1,
    "open_end_line_of_credit": 2,
    "conforming_loan_limit": "C",
    "borrower_group": None,
    "applicant_credit_score": 700,
    "combined_loan_to_value_ratio": 80.0,
    "debt_to_income_ratio": 40.0,
    "interest_rate": 6.0,
    "total_loan_costs": 5000.0,
}
_SHORT = {
    "action": "action_taken",
    "type": "loan_type",
    "purpose": "loan_purpose",
    "lien": "lien_status",
    "line": "open_end_line_of_credit",
    "limit": "conforming_loan_limit",
    "group": "borrower_group",
    "score": "applicant_credit_score",
    "cltv": "combined_loan_to_value_ratio",
    "dti": "debt_to_income_ratio",
    "rate": "interest_rate",
    "costs": "total_loan_costs",
}
NO_NUMBERS = {"cltv": None, "dti": None, "rate": None, "costs": None}  # NA or Exempt


def loans(number: int, **changes: Any) -> list[dict[str, Any]]:
    """Return so many conventional conforming originated loans with these changes."""
    return [LOAN | {_SHORT.get(name, name): value for name, value in changes.items()}] * number


def frame(*some: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame([each for one in some for each in one], schema=SCHEMA)


# The first quarter: conforming, an odd number of loans, an even one of rates and costs.
_FIRST = (
    loans(50, score=700, cltv=79.0, dti=39.0, rate=6.125, costs=4000.0),
    loans(1, score=705, cltv=80.0, dti=40.0, rate=None, costs=None),
    loans(50, score=710, cltv=81.0, dti=41.0, rate=6.25, costs=4001.0),
    loans(30, action=3, **NO_NUMBERS),
    loans(20, action=2),
    loans(9, action=4),
    loans(1, action=5),
    loans(6, action=6),
    loans(6, action=7),
    loans(6, action=8),
    loans(50, in_scope=False),
    loans(50, lien=2),
    loans(50, line=1111),
    loans(50, quarter=None),
    loans(150, lei=OTHER, score=500),
    # FHA: a hundred loans, of which one has no value that takes part in any median.
    loans(99, type=2),
    loans(1, type=2, score=8888, cltv=125.01, dti=0.0, rate=None, costs=None),
    # VA: a hundred applications, none decided on.
    loans(100, type=3, action=4),
    loans(60, limit="NC", score=780),
    loans(60, limit="NC", score=781),
    loans(100, limit="U"),
    # HELOC, whatever the loan type, the lien and the limit.
    loans(100, type=2, line=1, lien=2, costs=None),
    loans(1, line=1, limit="NA"),
    # RHS/FSA: one too few of everything.
    loans(99, type=4),
)
# Nothing in the second. In the third, conventional conforming loans of all groups and purposes.
_THIRD = [
    row | {"quarter": 3}
    for some in (
        loans(50, group="Asian", purpose=1, score=600),
        loans(50, group="Asian", purpose=1, score=601),
        loans(99, group="Black", purpose=1),
        loans(100, group="Hispanic", purpose=31, action=3, **NO_NUMBERS),
        loans(60, group="White", purpose=31, score=720),
        loans(40, group="White", purpose=32, score=720),
        loans(100),
    )
    for row in some
]
# In the fourth, FHA loans, among them some that take no part in the median of scores and ratios.
_FHA = {"quarter": 4, "type": 2, "group": "White", "rate": 6.75, "costs": 7000.0}
_FOURTH = (
    loans(100, score=660, cltv=97.0, dti=44.0, **_FHA),
    loans(5, score=1111, cltv=125.5, dti=100.5, **_FHA),
    loans(5, score=7777, cltv=None, dti=None, **_FHA),
    loans(90, quarter=4, type=2, group="Black", action=3, **NO_NUMBERS),
    loans(10, quarter=4, type=2, group="Black", action=3),
)
ANNUAL = frame(*_FIRST, _THIRD, *_FOURTH)
QUARTERLY = frame(
    loans(100, activity_year=2024, score=690, cltv=125.0, dti=100.0, rate=5.5),
    loans(100, activity_year=2024, lei=OTHER),
)

Q1, Q3, Q4, NEXT = "2023-Q1", "2023-Q3", "2023-Q4", "2024-Q1"
CC, NC, FHA = "Conventional Conforming", "Conventional Non-Conforming", "FHA"
EVERY, ALL = "Quarterly Filers", "All HMDA Filers"
HOME, REFINANCE = "-loan-purpose-home", "-loan-purpose-refinance"
# Of each graph its lines that have points, worked out by hand; of all others there are none.
EXPECTED: dict[str, dict[str, dict[str, float]]] = {
    "applications": {
        CC: {Q1: 161, Q3: 499, NEXT: 100},
        NC: {Q1: 120},
        FHA: {Q1: 100, Q4: 210},
        "HELOC": {Q1: 101},
        "VA": {Q1: 100},
    },
    # 161 + 120 + 100 + 101 + 100, and 99 of RHS/FSA and 100 without a limit.
    "all-applications": {
        EVERY: {Q1: 781, Q3: 499, Q4: 210, NEXT: 100},
        ALL: {Q1: 931, Q3: 499, Q4: 210},
    },
    "loans": {
        CC: {Q1: 101, Q3: 399, NEXT: 100},
        NC: {Q1: 120},
        FHA: {Q1: 100, Q4: 110},
        "HELOC": {Q1: 101},
    },
    "credit-scores": {
        CC: {Q1: 705, Q3: 700, NEXT: 690},
        NC: {Q1: 780.5},
        FHA: {Q4: 660},
        "HELOC": {Q1: 700},
    },
    "credit-scores-cc-re": {"Asian": {Q3: 600.5}, "White": {Q3: 720}},
    "credit-scores-fha-re": {"White": {Q4: 660}},
    "ltv": {
        CC: {Q1: 80, Q3: 80, NEXT: 125},
        NC: {Q1: 80},
        FHA: {Q4: 97},
        "HELOC": {Q1: 80},
    },
    "ltv-cc-re": {"Asian": {Q3: 80}, "White": {Q3: 80}},
    "ltv-fha-re": {"White": {Q4: 97}},
    "dti": {
        CC: {Q1: 40, Q3: 40, NEXT: 100},
        NC: {Q1: 40},
        FHA: {Q4: 44},
        "HELOC": {Q1: 40},
    },
    "dti-cc-re": {"Asian": {Q3: 40}, "White": {Q3: 40}},
    "dti-fha-re": {"White": {Q4: 44}},
    # 30 of 151, 100 of 499, 100 of 210.
    "denials": {
        CC: {Q1: 19.87, Q3: 20.04, NEXT: 0},
        NC: {Q1: 0},
        FHA: {Q1: 0, Q4: 47.62},
        "HELOC": {Q1: 0},
        "VA": {Q1: 0},
    },
    "denials-cc-re": {"Asian": {Q3: 0}, "Hispanic": {Q3: 100}, "White": {Q3: 0}},
    "denials-fha-re": {"Black": {Q4: 100}, "White": {Q4: 0}},
    # 6.1875 is written with three decimals.
    "interest-rates": {
        CC: {Q1: 6.188, Q3: 6, NEXT: 5.5},
        NC: {Q1: 6},
        FHA: {Q4: 6.75},
        "HELOC": {Q1: 6},
    },
    "interest-rates-cc-re": {"Asian": {Q3: 6}, "White": {Q3: 6}},
    "interest-rates-fha-re": {"White": {Q4: 6.75}},
    "tlc": {CC: {Q1: 4000.5, Q3: 5000, NEXT: 5000}, NC: {Q1: 5000}, FHA: {Q4: 7000}},
    "tlc-cc-re": {"Asian": {Q3: 5000}, "White": {Q3: 5000}},
    "tlc-fha-re": {"White": {Q4: 7000}},
    # To buy a home: 100 Asian borrowers and 99 Black ones, in the third quarter.
    f"applications{HOME}": {CC: {Q3: 199}},
    f"all-applications{HOME}": {EVERY: {Q3: 199}, ALL: {Q3: 199}},
    f"loans{HOME}": {CC: {Q3: 199}},
    f"credit-scores{HOME}": {CC: {Q3: 601}},
    f"credit-scores-cc-re{HOME}": {"Asian": {Q3: 600.5}},
    f"ltv{HOME}": {CC: {Q3: 80}},
    f"ltv-cc-re{HOME}": {"Asian": {Q3: 80}},
    f"dti{HOME}": {CC: {Q3: 40}},
    f"dti-cc-re{HOME}": {"Asian": {Q3: 40}},
    f"denials{HOME}": {CC: {Q3: 0}},
    f"denials-cc-re{HOME}": {"Asian": {Q3: 0}},
    f"interest-rates{HOME}": {CC: {Q3: 6}},
    f"interest-rates-cc-re{HOME}": {"Asian": {Q3: 6}},
    f"tlc{HOME}": {CC: {Q3: 5000}},
    f"tlc-cc-re{HOME}": {"Asian": {Q3: 5000}},
    # To refinance: 100 denied Hispanic applicants and 100 White borrowers.
    f"applications{REFINANCE}": {CC: {Q3: 200}},
    f"all-applications{REFINANCE}": {EVERY: {Q3: 200}, ALL: {Q3: 200}},
    f"loans{REFINANCE}": {CC: {Q3: 100}},
    f"credit-scores{REFINANCE}": {CC: {Q3: 720}},
    f"credit-scores-cc-re{REFINANCE}": {"White": {Q3: 720}},
    f"ltv{REFINANCE}": {CC: {Q3: 80}},
    f"ltv-cc-re{REFINANCE}": {"White": {Q3: 80}},
    f"dti{REFINANCE}": {CC: {Q3: 40}},
    f"dti-cc-re{REFINANCE}": {"White": {Q3: 40}},
    f"denials{REFINANCE}": {CC: {Q3: 50}},
    f"denials-cc-re{REFINANCE}": {"Hispanic": {Q3: 100}, "White": {Q3: 0}},
    f"interest-rates{REFINANCE}": {CC: {Q3: 6}},
    f"interest-rates-cc-re{REFINANCE}": {"White": {Q3: 6}},
    f"tlc{REFINANCE}": {CC: {Q3: 5000}},
    f"tlc-cc-re{REFINANCE}": {"White": {Q3: 5000}},
}
