"""Refusals of the data browser: a type for programs, a sentence for people, the invalid values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from databrowser.dimensions.dimension import Dimension
from filing.errors import Refusal


@dataclass(frozen=True, slots=True)
class RefusalReason:
    """Why a query is refused."""

    error_type: str
    message: str


NO_YEARS_NOR_PLACE = RefusalReason(
    "provide-atleast-msamds-or-states", "provide year and either states or msamds or both"
)
NO_YEARS_NATIONWIDE = RefusalReason("provide-years", "years are needed for nationwide")
NO_YEARS = RefusalReason("provide-years", "years are needed")
NO_PLACE = RefusalReason(
    "provide-only-msamds-or-states-or-counties-or-leis",
    "provide at least one of states, msamds, counties and leis; "
    "addresses under /nationwide need none",
)
NO_FILTER = RefusalReason(
    "provide-atleast-one-filter-criteria",
    "provide at least 1 filter criterion (eg. actions_taken, races, sexes, loan_types)",
)
NO_FILTERS_HERE = RefusalReason(
    "no-filters", "a count accepts no data filters: remove them, or request aggregations"
)


# Versions that a message names, the newest first.
MOST_NAMED = 20


class QueryRefused(Refusal):
    """A query that cannot be answered. inputs: the invalid values under their key."""

    def __init__(
        self, reason: RefusalReason, inputs: dict[str, Any] | None = None, *, status: int = 400
    ) -> None:
        super().__init__(reason.message)
        self.error_type, self.inputs, self.status = reason.error_type, inputs or {}, status

    @property
    def body(self) -> dict[str, Any]:
        """The JSON of the refusal."""
        return {**self.inputs, "errorType": self.error_type, "message": self.message}


def invalid_years(wrong: Iterable[str], allowed: Sequence[int]) -> QueryRefused:
    """Return the refusal of years that are not available."""
    message = f"valid years are {', '.join(map(str, allowed))}"
    return QueryRefused(RefusalReason("invalid-year", message), {"invalidYear": ",".join(wrong)})


def not_published(years: Sequence[int]) -> QueryRefused:
    """Return the refusal of years whose data set was withdrawn."""
    words = ", ".join(map(str, years))
    subject = "data set" if len(years) == 1 else "data sets"
    message = f"the {subject} of {words} {'is' if len(years) == 1 else 'are'} not published"
    inputs = {"unpublishedYears": ",".join(map(str, years))}
    return QueryRefused(RefusalReason("not-published", message), inputs, status=404)


def invalid_versions(wrong: Iterable[str], allowed: Sequence[str]) -> QueryRefused:
    """Return the refusal of versions that are unknown, or not one for each year of the query."""
    names = ", ".join(allowed[:MOST_NAMED]) or "none"
    message = (
        f"valid versions of these years are {names}, one for each year; "
        "/v2/public/publications lists all"
    )
    return QueryRefused(
        RefusalReason("invalid-version", message), {"invalidVersion": ",".join(wrong)}
    )


def withdrawn_version(name: str, reason: str) -> QueryRefused:
    """Return the refusal of a version that was public. reason: why it is not, as a sentence."""
    inputs = {"unpublishedVersion": name}
    return QueryRefused(RefusalReason("not-published", reason), inputs, status=404)


def invalid_data_set(wrong: Iterable[str], allowed: Sequence[str]) -> QueryRefused:
    """Return the refusal of a data set that no year has."""
    message = f"valid data sets are {', '.join(allowed)}; enter one"
    return QueryRefused(
        RefusalReason("invalid-dataset", message), {"invalidDataset": ",".join(wrong)}
    )


def data_set_not_published(years: Sequence[int], label: str, names: Sequence[str]) -> QueryRefused:
    """Return the refusal of years without a data set. names: of their versions that are public."""
    words = ", ".join(map(str, years))
    public = ", ".join(names[:MOST_NAMED]) or "none"
    message = f"no {label} of {words} is published; the public versions are {public}"
    return QueryRefused(
        RefusalReason("not-published", message), {"unpublishedYears": words}, status=404
    )


def invalid_values(dimension: Dimension, wrong: list[str]) -> QueryRefused:
    """Return the refusal of values that a filter does not have."""
    reason = RefusalReason(dimension.error_type, dimension.message)
    return QueryRefused(reason, {dimension.error_key: wrong})


def too_many_values(parameter: str, requested: int, limit: int) -> QueryRefused:
    """Return the refusal of a parameter with too many values."""
    message = f"{parameter} has {requested:,} values; enter at most {limit:,}"
    return QueryRefused(RefusalReason("too-many-values", message))


def too_many_groups(requested: int, limit: int) -> QueryRefused:
    """Return the refusal of an aggregation with too many groups."""
    return QueryRefused(
        RefusalReason(
            "too-many-groups",
            f"the values of the data filters combine to {requested:,} groups; enter fewer values, "
            f"for at most {limit:,} groups",
        )
    )


def invalid_parameter(name: str, wrong: Iterable[str], values: Iterable[str]) -> QueryRefused:
    """Return the refusal of a parameter that is none of its values."""
    reason = RefusalReason(f"invalid-{name}", f"valid values of {name} are {', '.join(values)}")
    return QueryRefused(reason, {f"invalid{name.capitalize()}": ",".join(wrong)})


def not_together(message: str) -> QueryRefused:
    """Return the refusal of a question whose parts do not go together. message: what would do."""
    return QueryRefused(RefusalReason("not-together", message))


def too_many_figures(limit: int) -> QueryRefused:
    """Return the refusal of a question with too many figures."""
    return QueryRefused(
        RefusalReason(
            "too-many-groups",
            f"these groups make more than {limit:,} figures; choose fewer places or values, or "
            "leave out a name in by",
        )
    )


def not_in_version(names: Iterable[str]) -> QueryRefused:
    """Return the refusal of figures that older versions cannot give."""
    return QueryRefused(
        RefusalReason(
            "not-in-version",
            "these versions were built before such figures were given: "
            f"{', '.join(names)}; choose another measure or grouping, or later versions",
        )
    )


def no_census(measure: str, year: int) -> QueryRefused:
    """Return the refusal of figures per people or homes of a year without census data."""
    message = f"{measure} needs the census data of {year}, which this site has not loaded"
    return QueryRefused(RefusalReason("no-census", f"{message}; choose another measure or year"))
