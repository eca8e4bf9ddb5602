"""Refusals of the data browser: a type for programs, a sentence for people, and what was wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from databrowser.dimensions.dimension import Dimension
from filing.errors import Refusal


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a question cannot be answered."""

    error_type: str
    message: str


NO_YEARS_NOR_PLACE = Reason(
    "provide-atleast-msamds-or-states", "provide year and either states or msamds or both"
)
NO_YEARS_NATIONWIDE = Reason("provide-years", "years are needed for nationwide")
NO_YEARS = Reason("provide-years", "years are needed")
NO_PLACE = Reason(
    "provide-only-msamds-or-states-or-counties-or-leis",
    "provide at least one of states, msamds, counties and leis; "
    "addresses under /nationwide need none",
)
NO_FILTER = Reason(
    "provide-atleast-one-filter-criteria",
    "provide at least 1 filter criterion (eg. actions_taken, races, sexes, loan_types)",
)
NO_FILTERS_HERE = Reason(
    "no-filters", "a count takes no data filters: leave them out, or ask for aggregations"
)


class Refused(Refusal):
    """A question that cannot be answered. inputs: under which key, which values are wrong."""

    def __init__(self, reason: Reason, inputs: dict[str, Any] | None = None) -> None:
        super().__init__(reason.message)
        self.error_type, self.inputs = reason.error_type, inputs or {}

    @property
    def body(self) -> dict[str, Any]:
        """The answer."""
        return {**self.inputs, "errorType": self.error_type, "message": self.message}


def invalid_years(wrong: Iterable[str], allowed: Sequence[int]) -> Refused:
    """Return the refusal of years that nobody may ask for."""
    message = f"valid years are {', '.join(map(str, allowed))}"
    return Refused(Reason("invalid-year", message), {"invalidYear": ",".join(wrong)})


def invalid_values(dimension: Dimension, wrong: list[str]) -> Refused:
    """Return the refusal of values that a dimension does not have."""
    reason = Reason(dimension.error_type, dimension.message)
    return Refused(reason, {dimension.error_key: wrong})


def too_many_groups(asked: int, limit: int) -> Refused:
    """Return the refusal of an aggregation with more groups than anybody reads."""
    return Refused(
        Reason(
            "too-many-groups",
            f"{asked:,} groups are asked for, the product of the values of all data filters; "
            f"at most {limit:,} are answered: give fewer values",
        )
    )
