"""The catalogue of graphs and their measures: what each one counts, shows and answers.

Nine measures, most by loan type and by borrower group, each for all purposes and for two of them:
63 graphs. They are computed, described and drawn from these tables and those of `rules`.

Source: the contract of the graphs, §1, §3 and §4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from graphs.rules import (
    ALL_FILERS,
    APPLICATIONS,
    BY_TYPE,
    CC_RE,
    COMMON,
    CONFORMING,
    FEWEST,
    FHA,
    FHA_RE,
    HELOC,
    ORIGINATED,
    PURPOSES,
    TYPES,
    Breakdown,
    GraphLine,
    Purpose,
    RecordRule,
)

_BREAKDOWNS = (TYPES, CC_RE, FHA_RE)
_ALL_VALUES = RecordRule("true", "")
_MEDIAN = (
    "The median: the middle value, or the mean of the two middle values if their number is even."
)
_COUNTS = "Loan & Application Counts"
OVERVIEW = (
    "Quarterly figures on mortgage applications and loans that quarterly filers reported under "
    "HMDA: the newest year from their quarterly filings, earlier years from their annual filings. "
    "Figures based on fewer than 100 records are left out."
)
_FILED_BY = (
    "Records of the quarterly filers in the newest panel, from their annual filings for finished "
    "years and from their quarterly filings for the newest year."
)
_LOANS = {CONFORMING: "conventional conforming loans", FHA: "FHA loans"}


@dataclass(frozen=True)
class GraphMeasure:
    """A measure, and the records it is taken of.

    value: the column whose median is taken, blank for counts and rates. usable: the values that
    count. asks, asks_of_groups: the question of the graph, and that about borrower groups.
    """

    endpoint: str
    category: str
    y_label: str
    decimals: int
    kind: Literal["count", "rate", "median"]
    rows: RecordRule
    words: str
    asks: str
    asks_of_groups: str = ""
    value: str = ""
    usable: RecordRule = _ALL_VALUES
    breakdowns: tuple[Breakdown, ...] = _BREAKDOWNS


MEASURES = (
    GraphMeasure(
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
    GraphMeasure(
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
    GraphMeasure(
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
    GraphMeasure(
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
        RecordRule(
            "applicant_credit_score NOT IN (1111, 7777, 8888)",
            "Credit scores of applicants, excluding the codes 1111, 7777 and 8888.",
        ),
    ),
    GraphMeasure(
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
        RecordRule(
            "combined_loan_to_value_ratio <= 125",
            "Numeric ratios of at most 125 percent.",
        ),
    ),
    GraphMeasure(
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
        RecordRule(
            "debt_to_income_ratio > 0 AND debt_to_income_ratio <= 100",
            "Numeric ratios, as filed, above 0 and at most 100 percent.",
        ),
    ),
    GraphMeasure(
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
    GraphMeasure(
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
        RecordRule("interest_rate IS NOT NULL", "Numeric interest rates, in percent."),
    ),
    GraphMeasure(
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
        RecordRule("total_loan_costs IS NOT NULL", "Numeric total loan costs, in dollars."),
        (
            replace(TYPES, series=tuple(series for series in BY_TYPE if series != HELOC)),
            CC_RE,
            FHA_RE,
        ),
    ),
)


@dataclass(frozen=True)
class Graph:
    """One graph: a measure, its breakdown into lines, and its loan purposes."""

    measure: GraphMeasure
    breakdown: Breakdown
    purpose: Purpose

    @property
    def endpoint(self) -> str:
        return f"{self.measure.endpoint}{self.breakdown.suffix}{self.purpose.suffix}"

    @property
    def series(self) -> tuple[GraphLine, ...]:
        """Its lines. Those of one purpose leave out lines of credit."""
        every = self.breakdown.series
        return (
            tuple(series for series in every if series != HELOC) if self.purpose.suffix else every
        )

    @property
    def title(self) -> str:
        base = self.breakdown.base
        asks = self.measure.asks_of_groups.format(loans=_LOANS[base]) if base else self.measure.asks
        return f"{asks} - {self.purpose.label}" if self.purpose.suffix else asks

    @property
    def subtitle(self) -> str:
        return f"{self.measure.y_label} by quarter. {self.breakdown.label}."

    @property
    def explanation(self) -> tuple[str, ...]:
        """How it is computed, one or two sentences per part."""
        measure, base = self.measure, self.breakdown.base
        sentences = [
            measure.words,
            measure.rows.words,
            measure.usable.words,
            self.purpose.rule.words,
            COMMON.words,
            f"All lines: {base.rule.words}." if base else "",
            _FILED_BY if self.breakdown != ALL_FILERS else "",
            "The quarter of a record is that of its action taken date.",
            f"Quarters of a line with fewer than {FEWEST} such records are left out.",
        ]
        return tuple(filter(None, sentences))


def _graphs() -> Iterator[Graph]:
    for purpose in PURPOSES:
        for measure in MEASURES:
            for breakdown in measure.breakdowns:
                yield Graph(measure, breakdown, purpose)


GRAPHS = tuple(_graphs())
BY_ENDPOINT = {graph.endpoint: graph for graph in GRAPHS}
CATEGORIES = tuple(dict.fromkeys(measure.category for measure in MEASURES))
