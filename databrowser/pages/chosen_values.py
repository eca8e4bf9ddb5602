"""What a question chooses, for readers: its sentence, and a chip for each chosen value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from databrowser.dimensions.catalogue import LEI
from databrowser.dimensions.dimension import Dimension
from databrowser.pages.choices import PlaceChoice
from databrowser.pages.parameters import PageQuestion, describe_value

MOST_CHIPS = 8  # of one filter
_MOST_IN_SENTENCE = 4  # years, or values of one kind of place
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
        years = self._together("years", [str(year) for year in sorted(question.years)], "years")
        parts = [self.page_question.heading]
        for dimension, values in question.places:
            names = [self._name(dimension, value) for value in values]
            words = self._together(dimension.parameter, names, _PLURALS[dimension.parameter])
            parts.append(f" {'reported by' if dimension is LEI else 'in'} {words}")
        if not question.places:
            parts.append(" nationwide")
        return f"{''.join(parts)}, {years}"

    @property
    def filters(self) -> str:
        """The values of the filters, in words."""
        return " ".join(
            f"{dimension.label}: {_listed([self._name(dimension, v) for v in values], 'or')}."
            for dimension, values in self.page_question.question.filters
        )

    def _together(self, parameter: str, names: Sequence[str], plural: str) -> str:
        is_apart = parameter in self.page_question.groupings
        if len(names) > _MOST_IN_SENTENCE:
            return f"{len(names)} {plural}{'' if is_apart else ' together'}"
        return f"{_listed(names, 'and')}{' together' if names[1:] and not is_apart else ''}"

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


def _listed(names: Sequence[str], word: str) -> str:
    """Return names as in a sentence: a, b and c."""
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last
