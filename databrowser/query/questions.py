"""Reads queries: the parameters of a request become a question, or a refusal.

The checks are in the order of the contract: years, values of places, places, values of data
filters, number of data filters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Protocol

from django.conf import settings

from databrowser import errors
from databrowser.dimensions.catalogue import FILTERS, PLACES
from databrowser.dimensions.dimension import Dimension

MOST_GROUPS = 10_000
MOST_VALUES = 300  # of one parameter

Chosen = tuple[tuple[Dimension, tuple[str, ...]], ...]


class Parameters(Protocol):
    """The parameters of a query string, in which a name may occur several times."""

    def getlist(self, name: str) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Question:
    """A query: values of one dimension are ORed, dimensions are ANDed.

    Values are in the caller's order and in their published spelling, dimensions in the order of the
    catalogue.
    """

    years: tuple[int, ...]
    places: Chosen = ()
    filters: Chosen = ()

    @property
    def chosen(self) -> Chosen:
        """Places, then data filters."""
        return (*self.places, *self.filters)

    @property
    def groups(self) -> Iterable[tuple[str, ...]]:
        """Every combination of one value of each data filter, in order."""
        return product(*(values for _, values in self.filters))

    @property
    def number_of_groups(self) -> int:
        return prod(len(values) for _, values in self.filters)


@dataclass(frozen=True, slots=True)
class QuestionRules:
    """The parameters an address accepts.

    without_years: the refusal of a query without years. ignores_filters: data filters change
    nothing.
    """

    without_years: errors.RefusalReason
    has_places: bool = True
    needs_place: bool = False
    has_filters: bool = True
    needs_filter: bool = True
    ignores_filters: bool = False
    makes_groups: bool = False


NATIONWIDE = QuestionRules(errors.NO_YEARS_NATIONWIDE, has_places=False)
PLACED = QuestionRules(errors.NO_YEARS_NOR_PLACE, needs_place=True)
NATIONWIDE_GROUPS = QuestionRules(errors.NO_YEARS_NATIONWIDE, has_places=False, makes_groups=True)
PLACED_GROUPS = QuestionRules(errors.NO_YEARS_NOR_PLACE, needs_place=True, makes_groups=True)
COUNT = QuestionRules(
    errors.NO_YEARS_NOR_PLACE, needs_place=True, needs_filter=False, has_filters=False
)
FILERS = QuestionRules(errors.NO_YEARS, needs_filter=False, ignores_filters=True)
FIGURES = QuestionRules(errors.NO_YEARS, needs_filter=False)


def read_question(
    parameters: Parameters,
    rules: QuestionRules,
    *,
    published: Iterable[int],
    withdrawn: Iterable[int] = (),
) -> Question:
    """Return the query of a request.

    published: the years with a data set, which are allowed as well as those of the settings.
    withdrawn: the years that were published and are not now; none is answered.
    Raises: QueryRefused.
    """
    years = _years(parameters, rules, allowed_years(published), frozenset(withdrawn))
    places: Chosen = _chosen(parameters, PLACES) if rules.has_places else ()
    if rules.needs_place and not places:
        raise errors.QueryRefused(errors.NO_PLACE)
    if not rules.has_filters:
        _require_none(parameters)
    takes_filters = rules.has_filters and not rules.ignores_filters
    filters: Chosen = _chosen(parameters, FILTERS) if takes_filters else ()
    if rules.needs_filter and not filters:
        raise errors.QueryRefused(errors.NO_FILTER)
    question = Question(years, places, filters)
    if rules.makes_groups and question.number_of_groups > MOST_GROUPS:
        raise errors.too_many_groups(question.number_of_groups, MOST_GROUPS)
    return question


def allowed_years(published: Iterable[int]) -> tuple[int, ...]:
    """Return the years that may be queried, ascending."""
    return tuple(sorted({*settings.BROWSER_YEARS, *published}))


def _years(
    parameters: Parameters,
    rules: QuestionRules,
    allowed: tuple[int, ...],
    withdrawn: frozenset[int],
) -> tuple[int, ...]:
    words = read_values(parameters, "years")
    if not words:
        raise errors.QueryRefused(rules.without_years)
    by_word = {str(year): year for year in (*allowed, *withdrawn)}
    wrong = [year for year in words if year not in by_word]
    if wrong:
        raise errors.invalid_years(wrong, [year for year in allowed if year not in withdrawn])
    years = tuple(by_word[year] for year in words)
    if unpublished := [year for year in years if year in withdrawn]:
        raise errors.not_published(unpublished)
    return years


def _chosen(parameters: Parameters, dimensions: Iterable[Dimension]) -> Chosen:
    selections = (
        (dimension, _canonical(dimension, read_values(parameters, dimension.parameter)))
        for dimension in dimensions
    )
    return tuple((dimension, values) for dimension, values in selections if values)


def _canonical(dimension: Dimension, words: list[str]) -> tuple[str, ...]:
    spelled = {value: dimension.canonical(value) for value in words}
    wrong = [value for value, canonical in spelled.items() if canonical is None]
    if wrong:
        raise errors.invalid_values(dimension, wrong)
    return tuple(dict.fromkeys(value for value in spelled.values() if value is not None))


def _require_none(parameters: Parameters) -> None:
    if any(read_values(parameters, dimension.parameter) for dimension in FILTERS):
        raise errors.QueryRefused(errors.NO_FILTERS_HERE)


def read_values(parameters: Parameters, name: str) -> list[str]:
    """Return the values of a parameter, trimmed, without blanks or duplicates.

    Raises: QueryRefused, if they are too many.
    """
    words = (word.strip() for text in parameters.getlist(name) for word in text.split(","))
    values = list(dict.fromkeys(word for word in words if word))
    if len(values) > MOST_VALUES:
        raise errors.too_many_values(name, len(values), MOST_VALUES)
    return values


def echo_filters(chosen: Chosen) -> Mapping[str, str]:
    """Return the filters of a query as its answer repeats them."""
    return {dimension.key: ",".join(values) for dimension, values in chosen}
