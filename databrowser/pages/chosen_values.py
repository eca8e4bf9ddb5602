"""What a question chooses, for readers: its sentence, and a chip for each chosen value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from databrowser.dimensions.catalogue import LEI
from databrowser.dimensions.dimension import Dimension
from databrowser.pages.choices import PlaceChoice
from databrowser.pages.parameters import PageQuestion, describe_value, list_in_words

MOST_CHIPS = 8  # of one filter
_MOST_IN_SENTENCE = 4  # years, or values of one kind of place
_TO = " to "
_PLURALS = {"states": "states", "msamds": "MSA/MDs", "counties": "counties", "leis": "institutions"}


@dataclass(frozen=True, slots=True)
class Chip:
    """A choice above an answer. query: of the page without it; blank if it has to stay."""

    label: str
    query: str


@dataclass(frozen=True)
class ChosenValues:
    """The chosen years, places and values of a question. names: of places and institutions."""

    page_question: PageQuestion
    names: dict[tuple[Dimension, str], str]

    @classmethod
    def of(cls, page_question: PageQuestion, places: Iterable[PlaceChoice]) -> ChosenValues:
        """Return them with the names of the chosen places."""
        names = {(place.dimension, place.value): place.label for place in places}
        return cls(page_question, names)

    @property
    def sentence(self) -> str:
        """What is measured, where and when. What is counted together, and not apart, says so."""
        question = self.page_question.question
        years = self._together("years", _list_years(question.years), "years")
        parts = [self.page_question.measure.label]
        for dimension, values in question.places:
            names = [self._name(dimension, value) for value in values]
            words = self._together(dimension.parameter, names, _PLURALS[dimension.parameter])
            parts.append(f" {'of' if dimension is LEI else 'in'} {words}")
        if not question.places:
            parts.append(" nationwide")
        return f"{''.join(parts)}, {years}"

    @property
    def has_parts(self) -> bool:
        """Whether the figure of all is of years, places or lenders that the table has apart."""
        question = self.page_question.question
        several = {dimension.parameter for dimension, values in question.places if len(values) > 1}
        several |= {"years"} if len(question.years) > 1 else set()
        is_with_peers = self.page_question.figure_question.peers is not None
        groupings = {each.parameter for each in self.page_question.groupings}
        return bool(several & groupings) and not is_with_peers

    @property
    def filters(self) -> str:
        """The values of the filters, in words."""
        return " ".join(
            f"{dimension.label}: {list_in_words([self._name(dimension, v) for v in values], 'or')}."
            for dimension, values in self.page_question.question.filters
        )

    def _together(self, parameter: str, names: Sequence[str], plural: str) -> str:
        is_apart = parameter in {each.parameter for each in self.page_question.groupings}
        words = list_in_words(names, "and")
        if len(names) > _MOST_IN_SENTENCE:
            words = f"{len(names)} {plural}"
        is_several = len(names) > 1 or _TO in words
        return f"{words} together" if is_several and not is_apart else words

    def _name(self, dimension: Dimension, value: str) -> str:
        return self.names.get((dimension, value)) or describe_value(dimension, value)

    @property
    def chips(self) -> list[Chip]:
        """A chip for each chosen year and value; one for all of a filter where there are many."""
        page_question = self.page_question
        years = sorted(page_question.question.years)
        chips = [
            Chip(f"Year: {year}", page_question.without_year(year).query if years[1:] else "")
            for year in years
        ]
        for dimension, values in page_question.question.chosen:
            if len(values) > MOST_CHIPS:
                without = page_question.without(dimension, values)
                chips.append(Chip(f"{dimension.label}: {len(values)} chosen", without.query))
                continue
            for value in values:
                without = page_question.without(dimension, [value])
                name = self._name(dimension, value)
                chips.append(Chip(f"{dimension.label}: {name}", without.query))
        return chips


def _list_years(years: Sequence[int]) -> list[str]:
    """Return some years as texts, or one range of three and more without a gap."""
    first, last = min(years), max(years)
    if len(years) > 2 and last - first == len(years) - 1:
        return [f"{first}{_TO}{last}"]
    return [str(year) for year in sorted(years)]
