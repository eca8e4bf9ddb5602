"""The records that a graph counts: its lines, breakdowns and purposes, in SQL and in words.

Source: the contract of the graphs, §1, §3 and §4.
"""

from __future__ import annotations

from dataclasses import dataclass

from databrowser.publication.records.quarterly_facts import GROUPS

FEWEST = 100  # records behind a figure; figures of fewer are not shown


@dataclass(frozen=True)
class RecordRule:
    """A condition on a row of the facts, in SQL and in words."""

    sql: str
    words: str


@dataclass(frozen=True)
class GraphLine:
    """A line of a graph, with the rule for its rows."""

    name: str
    rule: RecordRule


# The rule of every graph, including the flag `in_scope` of the facts.
COMMON = RecordRule(
    "in_scope AND ((open_end_line_of_credit = 2 AND lien_status = 1) OR "
    "(open_end_line_of_credit = 1 AND lien_status IN (1, 2)))",
    "Site-built homes of one to four units that are the borrower's principal residence; no "
    "business or commercial purpose, reverse mortgage, interest-only payments, negative "
    "amortization or balloon payment; first liens, and for open-end lines of credit subordinate "
    "liens too.",
)
_CLOSED = "open_end_line_of_credit = 2 AND lien_status = 1"
_FIRST = "closed-end first liens"
HELOC = GraphLine(
    "HELOC",
    RecordRule(
        "open_end_line_of_credit = 1 AND lien_status IN (1, 2)",
        "open-end lines of credit of any loan type, first or subordinate lien",
    ),
)
CONFORMING = GraphLine(
    "Conventional Conforming",
    RecordRule(
        f"loan_type = 1 AND conforming_loan_limit = 'C' AND {_CLOSED}",
        f"conventional loans (loan type 1) within the conforming loan limit, {_FIRST}",
    ),
)
FHA = GraphLine(
    "FHA", RecordRule(f"loan_type = 2 AND {_CLOSED}", f"FHA loans (loan type 2), {_FIRST}")
)
BY_TYPE = (
    CONFORMING,
    GraphLine(
        "Conventional Non-Conforming",
        RecordRule(
            f"loan_type = 1 AND conforming_loan_limit = 'NC' AND {_CLOSED}",
            f"conventional loans (loan type 1) above the conforming loan limit, {_FIRST}",
        ),
    ),
    FHA,
    HELOC,
    GraphLine(
        "RHS/FSA",
        RecordRule(f"loan_type = 4 AND {_CLOSED}", f"RHS or FSA loans (loan type 4), {_FIRST}"),
    ),
    GraphLine(
        "VA", RecordRule(f"loan_type = 3 AND {_CLOSED}", f"VA loans (loan type 3), {_FIRST}")
    ),
)
_GROUP_WORDS = {
    "Asian": "derived race Asian, not Hispanic or Latino",
    "Black": "derived race Black or African American, not Hispanic or Latino",
    "Hispanic": "derived ethnicity Hispanic or Latino, of any race",
    "White": "derived race White, not Hispanic or Latino",
}
BY_GROUP = tuple(
    GraphLine(group, RecordRule(f"borrower_group = '{group}'", _GROUP_WORDS[group]))
    for group in GROUPS
)
FILERS = (
    GraphLine(
        "Quarterly Filers", RecordRule("is_filer", "quarterly filers according to the panel")
    ),
    GraphLine(
        "All HMDA Filers", RecordRule("is_annual", "all institutions, in years with annual filings")
    ),
)


@dataclass(frozen=True)
class Breakdown:
    """The lines that a measure is broken down into.

    base: the loan type that all lines have in common, if any.
    """

    suffix: str
    label: str
    series: tuple[GraphLine, ...]
    base: GraphLine | None = None


TYPES = Breakdown("", "By loan type", BY_TYPE)
CC_RE = Breakdown(
    "-cc-re", "Conventional conforming loans, by race and ethnicity", BY_GROUP, CONFORMING
)
FHA_RE = Breakdown("-fha-re", "FHA loans, by race and ethnicity", BY_GROUP, FHA)
ALL_FILERS = Breakdown("", "Quarterly filers and all filers", FILERS)


@dataclass(frozen=True)
class Purpose:
    """The loan purposes that a graph counts."""

    suffix: str
    label: str
    rule: RecordRule


PURPOSES = (
    Purpose("", "All purposes", RecordRule("true", "Loans of all purposes.")),
    Purpose(
        "-loan-purpose-home",
        "Home Purchase",
        RecordRule("loan_purpose = 1", "Loans to buy a home (loan purpose 1)."),
    ),
    Purpose(
        "-loan-purpose-refinance",
        "Refinance",
        RecordRule(
            "loan_purpose IN (31, 32)",
            "Loans to refinance, with or without cash out (loan purpose 31 and 32).",
        ),
    ),
)
APPLICATIONS = RecordRule(
    "action_taken BETWEEN 1 AND 5",
    "Applications: actions taken 1 to 5, without purchased loans and preapproval requests.",
)
ORIGINATED = RecordRule("action_taken = 1", "Originated loans: action taken 1.")
