"""The parameters of the page: the query of the API, the labels of its values, how it is shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from django.urls import reverse

from databrowser import errors
from databrowser.charts import atlas
from databrowser.charts.maps import LONGEST_BREAKS
from databrowser.dimensions.catalogue import BY_PARAMETER, COUNTY, FILTERS, LEI, MSAMD, STATE
from databrowser.dimensions.dimension import Dimension
from databrowser.downloads import DownloadFormat
from databrowser.query import chosen_versions, questions
from databrowser.query.questions import Parameters, Question, QuestionRules
from databrowser.query.totals import Live
from filing.reference_data import registry
from filing.requests import read_year

API = "/v2/data-browser-api/view"
COUNT, AMOUNT = "count", "amount"
MEASURES = {COUNT: "Number of records", AMOUNT: "Loan amounts"}
_MOST_IN_WORDS = 6
NAMES = (*BY_PARAMETER, "years", *chosen_versions.PARAMETERS, "by", "measure", "breaks", "find")


@dataclass(frozen=True)
class PageQuestion:
    """A query, and what of its answer the page shows.

    bars: the parameter whose values have a bar each; blank for that of the first filter.
    breaks: those of the legend of the map, as entered.
    versions, datasets: those that answer in place of the published ones.
    """

    question: Question
    bars: str = ""
    measure: str = COUNT
    versions: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    breaks: str = ""

    @property
    def by(self) -> Dimension:
        """The filter whose values have a bar each."""
        if self.bars:
            return BY_PARAMETER[self.bars]
        return self.question.filters[0][0] if self.question.filters else FILTERS[0]

    @property
    def groupings(self) -> tuple[str, ...]:
        """The parameters whose values have a figure each."""
        return (self.by.parameter,)

    @property
    def heading(self) -> str:
        """What is shown, in words."""
        return MEASURES[self.measure]

    @property
    def parameters(self) -> dict[str, str]:
        """The query parameters of the API."""
        filters = {
            dimension.parameter: ",".join(values) for dimension, values in self.question.chosen
        }
        years = {"years": ",".join(map(str, self.question.years))}
        named = {"version": ",".join(self.versions), "dataset": ",".join(self.datasets)}
        return years | filters | {name: value for name, value in named.items() if value}

    @property
    def query(self) -> str:
        """The query string of the page."""
        return _encoded(self.parameters | self.display)

    @property
    def display(self) -> dict[str, str]:
        """The parameters of the page that say how an answer is shown."""
        measure = self.measure if self.measure != COUNT else ""
        display = {"by": self.bars, "measure": measure, "breaks": self.breaks}
        return {name: value for name, value in display.items() if value}

    @property
    def fields_but_breaks(self) -> dict[str, str]:
        """The parameters of the page without the breaks of its map."""
        return self.parameters | replace(self, breaks="").display

    @property
    def without_breaks(self) -> str:
        """The query string of the page without the breaks of its map."""
        return replace(self, breaks="").query

    def cite(self, data_sets: Live) -> PageQuestion:
        """Return the same query of the versions that answer it now, whatever is published later."""
        return replace(self, versions=tuple(each.name for each in data_sets), datasets=())

    @property
    def published(self) -> PageQuestion:
        """The same query of the data sets that are published."""
        return self.cite(())

    def without_year(self, year: int) -> PageQuestion:
        """Return the same query without a year."""
        years = tuple(each for each in self.question.years if each != year)
        versions = tuple(name for name in self.versions if read_year_of(name) != year)
        return replace(self, question=replace(self.question, years=years), versions=versions)

    def without(self, dimension: Dimension, values: Collection[str]) -> PageQuestion:
        """Return the same query without some values of a place or filter."""
        places, filters = (
            tuple(
                (each, left)
                for each, chosen in choices
                if (left := tuple(v for v in chosen if each is not dimension or v not in values))
            )
            for choices in (self.question.places, self.question.filters)
        )
        return replace(self, question=replace(self.question, places=places, filters=filters))

    def loans_file(self, form: DownloadFormat) -> str:
        """Return the path of the records as a file; that of the API, if it accepts the query."""
        if self.question.filters:
            return self.api({"psv": "pipe"}.get(form.ending, form.ending))
        return f"{reverse('data-browser-loans', args=[form.ending])}?{_encoded(self.parameters)}"

    def api(self, kind: str) -> str:
        """Return the API path of the same query. kind: the endpoint, such as csv."""
        where = "" if self.question.places else "/nationwide"
        return f"{API}{where}/{kind}?{_encoded(self.parameters)}"

    @property
    def api_of_count(self) -> str:
        """The API path that counts all records of the places."""
        return f"{API}/count?{_encoded(self.parameters)}"

    @cached_property
    def sentences(self) -> list[tuple[str, str]]:
        """The query in words: label and chosen values of each filter."""
        years = ", ".join(map(str, sorted(self.question.years)))
        parts = [("Year" if len(self.question.years) == 1 else "Years", years)]
        if not self.question.places:
            parts.append(("Area", "Nationwide"))
        return parts + [
            (dimension.label, self._words(dimension, values))
            for dimension, values in self.question.chosen
        ]

    def _words(self, dimension: Dimension, values: tuple[str, ...]) -> str:
        """Return the values in words, or their number if there are many."""
        if len(values) > _MOST_IN_WORDS:
            return f"{len(values)} selected"
        if dimension is LEI:
            return ", ".join(values)
        if dimension is MSAMD:
            names = registry.find_msa_md_names(self.question.years)
            words = [f"{names[code]} ({code})" if code in names else code for code in values]
        else:
            words = [describe_value(dimension, value) for value in values]
        if len(words) == 1 or dimension is STATE:
            return ", ".join(words)
        return f"{', '.join(words[:-1])} or {words[-1]}"

    @property
    def title(self) -> str:
        """The query in one line."""
        years, *others = self.sentences
        if not self.question.places:
            others = others[1:]
        area = "" if self.question.places else "; nationwide"
        return f"{years[1]}{area}" + "".join(f"; {label}: {value}" for label, value in others)


def read_page_question(
    parameters: Parameters, *, published: Iterable[int], withdrawn: Iterable[int] = ()
) -> PageQuestion:
    """Return the query of a request; without parameters, all records of the newest year.

    Missing or unknown values of `by` and `measure` get their defaults.
    Raises: QueryRefused, with the messages of the API.
    """
    published = tuple(published)
    if any(parameters.getlist(name) for name in NAMES):
        rules = QuestionRules(
            errors.NO_YEARS, needs_filter=_has_filter(parameters), makes_groups=True
        )
        question = questions.read_question(
            parameters, rules, published=published, withdrawn=withdrawn
        )
    else:
        question = Question((max(published),))
    bars, measure = _one(parameters, "by"), _one(parameters, "measure")
    return PageQuestion(
        question,
        bars if bars in {dimension.parameter for dimension in FILTERS} else "",
        measure if measure in MEASURES else COUNT,
        # A form keeps the versions of years that were cleared in it.
        tuple(
            name
            for name in questions.read_values(parameters, "version")
            if read_year_of(name) in question.years
        ),
        tuple(questions.read_values(parameters, "dataset")),
        _one(parameters, "breaks").strip()[:LONGEST_BREAKS],
    )


def read_year_of(version: str) -> int | None:
    """Return the year of a version such as 2023-4, if its name begins with one."""
    return read_year(version.partition("-")[0])


def _has_filter(parameters: Parameters) -> bool:
    return any(
        word.strip()
        for dimension in FILTERS
        for text in parameters.getlist(dimension.parameter)
        for word in text.split(",")
    )


def _one(parameters: Parameters, name: str) -> str:
    return next(iter(parameters.getlist(name)), "")


def _encoded(parameters: dict[str, str]) -> str:
    return urlencode(parameters, safe=",:/()")


def describe_value(dimension: Dimension, value: str) -> str:
    """Return the meaning of a value, or the value itself if it needs no explanation."""
    if dimension is STATE:
        return atlas.state_name(value)
    if dimension is COUNTY:
        return atlas.county_name(value)
    return dimension.meanings.get(value) or _spelled(dimension, value)


def _spelled(dimension: Dimension, value: str) -> str:
    """Return a value with a space after its colon, or a number of units with the word units."""
    if dimension.parameter == "total_units":
        return f"{value.replace('>', 'More than ').replace('-', ' to ')} units"
    return value.replace(":", ": ")


def describe_coded_value(dimension: Dimension, value: str) -> str:
    """Return a code with its meaning, or just the meaning of a value that is not a code."""
    label = describe_value(dimension, value)
    is_code = bool(dimension.meanings) and value.isdecimal()
    return (
        f"{value} - {label}" if is_code and value != "8888" and label != f"{value} unit" else label
    )
