"""The graphs: what each shows, and the rule behind it, in SQL and in words.

Seven measures, most of them by loan type and by borrowers, each for all purposes and for two: 63
graphs. What is computed, what is said of it and what is drawn all come from these tables.

Source: the contract of the graphs, §1, §3 and §4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from databrowser.publication.quarterly import GROUPS

FEWEST = 100  # rows behind a figure; what fewer rows give is not shown
OVERVIEW = (
    "Quarterly figures of mortgage applications and loans, from what quarterly filers have filed "
    "under HMDA: the newest year from their quarterly filings, earlier years from their annual "
    "ones. Figures of fewer than 100 records are left out."
)


@dataclass(frozen=True)
class Rule:
    """A condition on a row of the facts: as SQL, and how it is told."""

    sql: str
    words: str


@dataclass(frozen=True)
class Series:
    """A line of a graph: the rows that belong to it."""

    name: str
    rule: Rule


# What every graph asks of a row, beside the flag `in_scope` of the facts.
COMMON = Rule(
    "in_scope AND ((open_end_line_of_credit = 2 AND lien_status = 1) OR "
    "(open_end_line_of_credit = 1 AND lien_status IN (1, 2)))",
    "Site-built homes of one to four units that are the borrower's principal residence; no "
    "business or commercial purpose, reverse mortgage, interest-only payments, negative "
    "amortization or balloon payment; first liens, of open-end lines of credit also subordinate "
    "ones.",
)
_CLOSED = "open_end_line_of_credit = 2 AND lien_status = 1"
_FIRST = "closed-end first liens"
_HELOC = Series(
    "HELOC",
    Rule(
        "open_end_line_of_credit = 1 AND lien_status IN (1, 2)",
        "open-end lines of credit of any loan type, first or subordinate lien",
    ),
)
CONFORMING = Series(
    "Conventional Conforming",
    Rule(
        f"loan_type = 1 AND conforming_loan_limit = 'C' AND {_CLOSED}",
        f"conventional loans (loan type 1) within the conforming loan limit, {_FIRST}",
    ),
)
FHA = Series("FHA", Rule(f"loan_type = 2 AND {_CLOSED}", f"FHA loans (loan type 2), {_FIRST}"))
BY_TYPE = (
    CONFORMING,
    Series(
        "Conventional Non-Conforming",
        Rule(
            f"loan_type = 1 AND conforming_loan_limit = 'NC' AND {_CLOSED}",
            f"conventional loans (loan type 1) above the conforming loan limit, {_FIRST}",
        ),
    ),
    FHA,
    _HELOC,
    Series(
        "RHS/FSA",
        Rule(f"loan_type = 4 AND {_CLOSED}", f"RHS or FSA loans (loan type 4), {_FIRST}"),
    ),
    Series("VA", Rule(f"loan_type = 3 AND {_CLOSED}", f"VA loans (loan type 3), {_FIRST}")),
)
_GROUP_WORDS = {
    "Asian": "derived race Asian, not Hispanic or Latino",
    "Black": "derived race Black or African American, not Hispanic or Latino",
    "Hispanic": "derived ethnicity Hispanic or Latino, of any race",
    "White": "derived race White, not Hispanic or Latino",
}
BY_GROUP = tuple(
    Series(group, Rule(f"borrower_group = '{group}'", _GROUP_WORDS[group])) for group in GROUPS
)
FILERS = (
    Series("Quarterly Filers", Rule("is_filer", "institutions that the panel has as quarterly")),
    Series("All HMDA Filers", Rule("is_annual", "all institutions, in years of annual filings")),
)


@dataclass(frozen=True)
class Breakdown:
    """How a measure is split into lines.

    base: the type of loan that all lines are of, if they are of one.
    """

    suffix: str
    label: str
    series: tuple[Series, ...]
    base: Series | None = None


TYPES = Breakdown("", "By loan type", BY_TYPE)
CC_RE = Breakdown(
    "-cc-re", "Conventional conforming loans, by race and ethnicity", BY_GROUP, CONFORMING
)
FHA_RE = Breakdown("-fha-re", "FHA loans, by race and ethnicity", BY_GROUP, FHA)
ALL_FILERS = Breakdown("", "Quarterly filers and all filers", FILERS)


@dataclass(frozen=True)
class Purpose:
    """Which purposes of the loan count."""

    suffix: str
    label: str
    rule: Rule


PURPOSES = (
    Purpose("", "All purposes", Rule("true", "Loans of all purposes.")),
    Purpose(
        "-loan-purpose-home",
        "Home Purchase",
        Rule("loan_purpose = 1", "Loans to buy a home (loan purpose 1)."),
    ),
    Purpose(
        "-loan-purpose-refinance",
        "Refinance",
        Rule(
            "loan_purpose IN (31, 32)",
            "Loans to refinance, with or without cash out (loan purpose 31 and 32).",
        ),
    ),
)

APPLICATIONS = Rule(
    "action_taken BETWEEN 1 AND 5",
    "Applications: actions taken 1 to 5, without purchased loans and preapproval requests.",
)
ORIGINATED = Rule("action_taken = 1", "Loans that were originated: action taken 1.")


@dataclass(frozen=True)
class Measure:
    """What is counted or measured, of which rows.

    value: the column whose median is taken, none for counts and rates. usable: which of its values
    take part. asks: the question that the graph answers, and about borrowers.
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
    usable: Rule = Rule("true", "")
    breakdowns: tuple[Breakdown, ...] = (TYPES, CC_RE, FHA_RE)


_MEDIAN = (
    "The median: the middle value, or the mean of the two middle ones where their number is even."
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
            "Credit scores of applicants, without the codes that are no score (1111, 7777, 8888).",
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
            "Ratios in percent that are numbers and at most 125.",
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
            "Ratios in percent, as filed, that are numbers above 0 and at most 100.",
        ),
    ),
    Measure(
        "denials",
        "Denial Rates",
        "Denial Rate Percentage",
        2,
        "rate",
        APPLICATIONS,
        "Of the applications that were decided on (actions taken 1 originated, 2 approved but not "
        "accepted, 3 denied) the denied ones, in percent.",
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
        Rule("interest_rate IS NOT NULL", "Interest rates in percent that are numbers."),
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
        Rule("total_loan_costs IS NOT NULL", "Total loan costs in dollars that are numbers."),
        (replace(TYPES, series=tuple(each for each in BY_TYPE if each != _HELOC)), CC_RE, FHA_RE),
    ),
)
_FILED_BY = (
    "Records of the institutions that the newest panel has as quarterly filers: of finished years "
    "from their annual filings, of the newest year from their quarterly ones."
)
_LOANS = {CONFORMING: "conventional conforming loans", FHA: "FHA loans"}


@dataclass(frozen=True)
class Graph:
    """One graph: a measure, how it is split, and of which purposes."""

    measure: Measure
    breakdown: Breakdown
    purpose: Purpose

    @property
    def endpoint(self) -> str:
        return f"{self.measure.endpoint}{self.breakdown.suffix}{self.purpose.suffix}"

    @property
    def series(self) -> tuple[Series, ...]:
        """Its lines. Lines of credit are not told apart by purpose."""
        every = self.breakdown.series
        return tuple(each for each in every if each != _HELOC) if self.purpose.suffix else every

    @property
    def title(self) -> str:
        base = self.breakdown.base
        asks = self.measure.asks_of_groups.format(loans=_LOANS[base]) if base else self.measure.asks
        return f"{asks} - {self.purpose.label}" if self.purpose.suffix else asks

    @property
    def subtitle(self) -> str:
        return f"{self.measure.y_label} by quarter. {self.breakdown.label}."

    @property
    def explained(self) -> tuple[str, ...]:
        """How it is computed, a sentence or two a part."""
        measure, base = self.measure, self.breakdown.base
        said = [
            measure.words,
            measure.rows.words,
            measure.usable.words,
            self.purpose.rule.words,
            COMMON.words,
            f"All lines: {base.rule.words}." if base else "",
            _FILED_BY if self.breakdown != ALL_FILERS else "",
            "Quarters are those of the day on which action was taken.",
            f"A quarter of a line with fewer than {FEWEST} such records is left out.",
        ]
        return tuple(filter(None, said))


def _graphs() -> Iterator[Graph]:
    for purpose in PURPOSES:
        for measure in MEASURES:
            for breakdown in measure.breakdowns:
                yield Graph(measure, breakdown, purpose)


GRAPHS = tuple(_graphs())
BY_ENDPOINT = {graph.endpoint: graph for graph in GRAPHS}
CATEGORIES = tuple(dict.fromkeys(measure.category for measure in MEASURES))
