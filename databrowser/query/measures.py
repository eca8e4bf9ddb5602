"""The measures of figures: what is computed of the records of a group, and how it is defined.

Source: fields and codes: 12 CFR 1003.4(a). Denial rates leave out applications that were withdrawn
or closed for incompleteness, as in the annual reports of the CFPB on mortgage lending.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from databrowser.dimensions.catalogue import DEBT_TO_INCOME


class MeasureKind(StrEnum):
    """How the value of a measure is computed."""

    COUNT = "count"
    AMOUNT = "amount"
    SHARE = "share"
    RATE = "rate"
    QUARTILES = "quartiles"
    PER_THOUSAND = "per thousand"


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of figures.

    name: in queries. label, definition: for people. unit: of the values, for programs. base: what
    the number of records beside a value counts. column: of the serving file, whose quartiles are
    computed. actions, of_actions: the codes of actions taken that a rate counts, and those it is a
    share of. denominator: the column of the census that thousands are counted of.
    """

    name: str
    label: str
    group: str
    kind: MeasureKind
    unit: str
    base: str
    definition: str
    decimals: int = 0
    column: str = ""
    actions: Collection[str] = ()
    of_actions: Collection[str] = ()
    denominator: str = ""

    def format_value(self, value: float, more_decimals: int = 0) -> str:
        """Return a value as text with its unit, such as $255,000, 12.3% or 4.125%.

        more_decimals: than the measure usually has, where others have to be told from it.
        """
        text = f"{value:,.{self.decimals + more_decimals}f}"
        if self.name == DEBT_TO_INCOME_CLASS:
            return _name_class(value)
        if self.unit == "dollars":
            return f"${text}"
        if self.unit == "thousands of dollars":
            return f"${value * 1000:,.{more_decimals}f}"
        return f"{text}%" if self.unit == "percent" else text

    @property
    def marks_few_records(self) -> bool:
        """Whether a value of few records says little, and so is marked."""
        return self.kind in {MeasureKind.SHARE, MeasureKind.RATE, MeasureKind.QUARTILES}


DEBT_TO_INCOME_CLASS = "debt_to_income"
# The lower bound of each published class of the debt-to-income ratio, in percent.
CLASS_BOUNDS = (0.0, 20.0, 30.0, *map(float, range(36, 51)), 60.0)


def _name_class(bound: float) -> str:
    """Return the published class with a lower bound, as text: 36%, 50% to 60%."""
    name = DEBT_TO_INCOME.values[CLASS_BOUNDS.index(bound)]
    return f"{name}%" if name.isdecimal() else name.replace("-", " to ")


_COUNTS, _RATES, _QUARTILES, _RELATIVE = (
    "Counts and sums",
    "Rates",
    "Medians",
    "Compared with the census",
)
_OTHERS = "Records without a number, such as NA and Exempt, are left out."
_QUARTILE = (
    "Half of the records are below the median, a quarter below the lower quartile and a quarter "
    "above the upper one; between two records the value is interpolated."
)


def _quartiles(name: str, label: str, column: str, unit: str, decimals: int, of: str) -> Measure:
    return Measure(
        name,
        f"Median {label}",
        _QUARTILES,
        MeasureKind.QUARTILES,
        unit,
        f"records with {of}",
        f"The median and the quartiles of the {label}. {_QUARTILE} {_OTHERS}",
        decimals,
        column,
    )


MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure(
            "count",
            "Number of records",
            _COUNTS,
            MeasureKind.COUNT,
            "records",
            "records",
            "The number of public records.",
        ),
        Measure(
            "amount",
            "Loan amounts",
            _COUNTS,
            MeasureKind.AMOUNT,
            "dollars",
            "records",
            "The sum of the loan amounts. An amount is published as the midpoint of its range of "
            "$10,000.",
        ),
        Measure(
            "share",
            "Share of records",
            _COUNTS,
            MeasureKind.SHARE,
            "percent",
            "records",
            "The number of records in percent of all records of the question, of its row, or of "
            "its column.",
            1,
        ),
        Measure(
            "denial_rate",
            "Denial rate",
            _RATES,
            MeasureKind.RATE,
            "percent",
            "applications decided",
            "Applications denied (action taken 3), in percent of the applications that the lender "
            "decided: originated (1), approved but not accepted (2) and denied (3).",
            1,
            actions=("3",),
            of_actions=("1", "2", "3"),
        ),
        Measure(
            "origination_rate",
            "Origination rate",
            _RATES,
            MeasureKind.RATE,
            "percent",
            "applications",
            "Loans originated (action taken 1), in percent of all applications: originated (1), "
            "approved but not accepted (2), denied (3), withdrawn (4) and closed for "
            "incompleteness (5).",
            1,
            actions=("1",),
            of_actions=("1", "2", "3", "4", "5"),
        ),
        _quartiles("loan_amount", "loan amount", "loan_amount", "dollars", 0, "a loan amount"),
        _quartiles(
            "interest_rate", "interest rate", "interest_rate", "percent", 3, "an interest rate"
        ),
        _quartiles(
            "rate_spread",
            "rate spread",
            "rate_spread",
            "percentage points",
            3,
            "a rate spread",
        ),
        _quartiles("income", "income", "income", "thousands of dollars", 0, "an income"),
        _quartiles(
            "loan_to_value",
            "loan-to-value ratio",
            "combined_loan_to_value_ratio",
            "percent",
            1,
            "a combined loan-to-value ratio",
        ),
        Measure(
            DEBT_TO_INCOME_CLASS,
            "Median debt-to-income class",
            _QUARTILES,
            MeasureKind.QUARTILES,
            "percent",
            "records with a debt-to-income ratio",
            "The class of the debt-to-income ratio in which the median lies, and those of the "
            "quartiles, each by its lower bound in percent. Ratios are published in classes: below "
            "20%, 20% to 30%, 30% to 36%, whole numbers up to 49%, 50% to 60%, and more. "
            f"{_OTHERS}",
            0,
            DEBT_TO_INCOME.column,
        ),
        Measure(
            "per_1000_people",
            "Records per 1,000 people",
            _RELATIVE,
            MeasureKind.PER_THOUSAND,
            "records per 1,000 people",
            "records",
            "The number of records a year for each 1,000 people who live in the place, by the "
            "FFIEC census data of the year.",
            1,
            denominator="tract_population",
        ),
        Measure(
            "per_1000_homes",
            "Records per 1,000 homes",
            _RELATIVE,
            MeasureKind.PER_THOUSAND,
            "records per 1,000 homes",
            "records",
            "The number of records a year for each 1,000 homes with one to four units in the "
            "place, by the FFIEC census data of the year.",
            1,
            denominator="tract_one_to_four_family_homes",
        ),
    )
}
