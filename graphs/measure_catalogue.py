"""The measures of the graphs: what each counts, of which records, and the question it answers.

Source: the contract of the graphs, §1, §3 and §4.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from graphs.rules import (
    ALL_FILERS,
    APPLICATIONS,
    BY_TYPE,
    CC_RE,
    FHA_RE,
    HELOC,
    ORIGINATED,
    TYPES,
    Breakdown,
    Rule,
)

_BREAKDOWNS = (TYPES, CC_RE, FHA_RE)
_ALL_VALUES = Rule("true", "")


@dataclass(frozen=True)
class Measure:
    """A measure, and the records it is taken of.

    value: the column whose median is taken, blank for counts and rates. usable: the values that
    count. asks, asks_of_groups: the question of the graph, and that about borrower groups.
    """

    endpoint: str
    category: str
    y_label: str
    decimals: int
    kind: Literal["count", "rate", "median"]
    rows: Rule
    words: str
    asks: str
    asks_of_groups: str = ""
    value: str = ""
    usable: Rule = _ALL_VALUES
    breakdowns: tuple[Breakdown, ...] = _BREAKDOWNS


_MEDIAN = (
    "The median: the middle value, or the mean of the two middle values if their number is even."
)
_COUNTS = "Loan & Application Counts"
MEASURES = (
    Measure(
        "applications",
        _COUNTS,
        "Application Count",
        0,
        "count",
        APPLICATIONS,
        "The number of records.",
        "How has the number of applications changed?",
        breakdowns=(TYPES,),
    ),
    Measure(
        "all-applications",
        _COUNTS,
        "Application Count",
        0,
        "count",
        APPLICATIONS,
        "The number of records.",
        "How many of all applications do quarterly filers receive?",
        breakdowns=(ALL_FILERS,),
    ),
    Measure(
        "loans",
        _COUNTS,
        "Loan Count",
        0,
        "count",
        ORIGINATED,
        "The number of records.",
        "How has the number of loans changed?",
        breakdowns=(TYPES,),
    ),
    Measure(
        "credit-scores",
        "Credit Score",
        "Median Credit Score",
        2,
        "median",
        ORIGINATED,
        _MEDIAN,
        "How has the median credit score changed?",
        "How does the median credit score differ by race and ethnicity for {loans}?",
        "applicant_credit_score",
        Rule(
            "applicant_credit_score NOT IN (1111, 7777, 8888)",
            "Credit scores of applicants, excluding the codes 1111, 7777 and 8888.",
        ),
    ),
    Measure(
        "ltv",
        "Combined Loan-to-Value Ratio",
        "Median CLTV",
        2,
        "median",
        ORIGINATED,
        _MEDIAN,
        "How has the median combined loan-to-value ratio changed?",
        "How does the median combined loan-to-value ratio differ by race and ethnicity for "
        "{loans}?",
        "combined_loan_to_value_ratio",
        Rule(
            "combined_loan_to_value_ratio <= 125",
            "Numeric ratios of at most 125 percent.",
        ),
    ),
    Measure(
        "dti",
        "Debt-to-Income Ratio",
        "Median DTI",
        2,
        "median",
        ORIGINATED,
        _MEDIAN,
        "How has the median debt-to-income ratio changed?",
        "How does the median debt-to-income ratio differ by race and ethnicity for {loans}?",
        "debt_to_income_ratio",
        Rule(
            "debt_to_income_ratio > 0 AND debt_to_income_ratio <= 100",
            "Numeric ratios, as filed, above 0 and at most 100 percent.",
        ),
    ),
    Measure(
        "denials",
        "Denial Rates",
        "Denial Rate Percentage",
        2,
        "rate",
        APPLICATIONS,
        "Denied applications as a percentage of all decided ones (action taken 1 originated, "
        "2 approved but not accepted, 3 denied).",
        "How has the denial rate changed?",
        "How does the denial rate differ by race and ethnicity for {loans}?",
    ),
    Measure(
        "interest-rates",
        "Interest Rates",
        "Median Interest Rates",
        3,
        "median",
        ORIGINATED,
        _MEDIAN,
        "How has the median interest rate changed?",
        "How does the median interest rate differ by race and ethnicity for {loans}?",
        "interest_rate",
        Rule("interest_rate IS NOT NULL", "Numeric interest rates, in percent."),
    ),
    Measure(
        "tlc",
        "Total Loan Costs",
        "Median Total Loan Costs",
        2,
        "median",
        ORIGINATED,
        _MEDIAN,
        "How have median total loan costs changed?",
        "How do median total loan costs differ by race and ethnicity for {loans}?",
        "total_loan_costs",
        Rule("total_loan_costs IS NOT NULL", "Numeric total loan costs, in dollars."),
        (
            replace(TYPES, series=tuple(series for series in BY_TYPE if series != HELOC)),
            CC_RE,
            FHA_RE,
        ),
    ),
)
