"""The parameters of the page: the question of the API, and how its answer is drawn.

They are those of the API, so that the page and the same call have the same query; `by` and
`measure` only choose what is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from databrowser import errors
from databrowser.dimensions.catalogue import BY_PARAMETER, FILTERS, LEI, MSAMD, STATE
from databrowser.dimensions.dimension import Dimension
from databrowser.pages.labels import meaning
from databrowser.query import questions
from databrowser.query.questions import Parameters, Question, Rules
from filing.reference_data import registry

API = "/v2/data-browser-api/view"
COUNT, AMOUNT = "count", "amount"
MEASURES = {COUNT: "Number of rows", AMOUNT: "Loan amounts"}
_MOST_IN_WORDS = 6
_OWN = (*BY_PARAMETER, "years", "by", "measure", "find")


@dataclass(frozen=True)
class PageQuestion:
    """A question, and what of its answer is drawn.

    bars: the parameter whose values have a bar each; without it those of the first filter.
    """

    question: Question
    bars: str = ""
    measure: str = COUNT

    @property
    def by(self) -> Dimension:
        """The dimension whose values have a bar each."""
        if self.bars:
            return BY_PARAMETER[self.bars]
        return self.question.filters[0][0] if self.question.filters else FILTERS[0]

    @property
    def parameters(self) -> dict[str, str]:
        """The question as the API takes it."""
        chosen = {each.parameter: ",".join(values) for each, values in self.question.chosen}
        return {"years": ",".join(map(str, self.question.years)), **chosen}

    @property
    def query(self) -> str:
        """All of it as an address has it."""
        drawn = {"by": self.bars, "measure": self.measure if self.measure != COUNT else ""}
        return _encoded(self.parameters | {name: value for name, value in drawn.items() if value})

    def api(self, kind: str) -> str:
        """Return the path of the same question to the API. kind: what it answers, such as csv."""
        where = "" if self.question.places else "/nationwide"
        return f"{API}{where}/{kind}?{_encoded(self.parameters)}"

    @property
    def api_of_count(self) -> str:
        """The path that counts the rows of places, whatever they are."""
        return f"{API}/count?{_encoded(self.parameters)}"

    @cached_property
    def sentences(self) -> list[tuple[str, str]]:
        """The question in words: what is chosen of what."""
        years = ", ".join(map(str, sorted(self.question.years)))
        parts = [("Year" if len(self.question.years) == 1 else "Years", years)]
        if not self.question.places:
            parts.append(("Area", "Nationwide"))
        return parts + [
            (each.label, self._words(each, values)) for each, values in self.question.chosen
        ]

    def _words(self, dimension: Dimension, values: tuple[str, ...]) -> str:
        """Return values in words, or how many there are."""
        if len(values) > _MOST_IN_WORDS:
            return f"{len(values)} of them"
        if dimension is LEI:
            return ", ".join(values)
        if dimension is MSAMD:
            names = registry.msa_md_names(self.question.years)
            words = [f"{names[code]} ({code})" if code in names else code for code in values]
        else:
            words = [meaning(dimension, value) for value in values]
        if len(words) == 1 or dimension is STATE:
            return ", ".join(words)
        return f"{', '.join(words[:-1])} or {words[-1]}"

    @property
    def title(self) -> str:
        """The question in one line."""
        years, *others = self.sentences
        if not self.question.places:
            others = others[1:]
        area = "" if self.question.places else "; nationwide"
        return f"{years[1]}{area}" + "".join(f"; {label}: {value}" for label, value in others)


def read(parameters: Parameters, *, published: Iterable[int]) -> PageQuestion:
    """Return the question of a request; without parameters, all rows of the newest year.

    What is drawn is chosen by the page itself where it is left out, or there is no such thing.
    Raises: Refused, with the sentences of the API.
    """
    published = tuple(published)
    if any(parameters.getlist(name) for name in _OWN):
        rules = Rules(errors.NO_YEARS, needs_filter=_has_filter(parameters), makes_groups=True)
        question = questions.read(parameters, rules, published=published)
    else:
        question = Question((max(published),))
    bars, measure = _one(parameters, "by"), _one(parameters, "measure")
    return PageQuestion(
        question,
        bars if bars in {each.parameter for each in FILTERS} else "",
        measure if measure in MEASURES else COUNT,
    )


def _has_filter(parameters: Parameters) -> bool:
    return any(
        word.strip()
        for each in FILTERS
        for text in parameters.getlist(each.parameter)
        for word in text.split(",")
    )


def _one(parameters: Parameters, name: str) -> str:
    return next(iter(parameters.getlist(name)), "")


def _encoded(parameters: dict[str, str]) -> str:
    return urlencode(parameters, safe=",:/()")
