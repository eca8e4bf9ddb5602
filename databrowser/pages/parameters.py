"""The parameters of the page: the query of the API, the labels of its values, how it is shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from databrowser.charts import atlas
from databrowser.charts.maps import LONGEST_BREAKS
from databrowser.dimensions.catalogue import BY_PARAMETER, COUNTY, FILTERS, LEI, MSAMD, STATE
from databrowser.dimensions.dimension import Dimension
from databrowser.dimensions.groupings import Grouping
from databrowser.downloads import DownloadFormat
from databrowser.query import chosen_versions, figure_questions, questions
from databrowser.query.figure_questions import FigureQuestion, PeerGroup, read_figure_question
from databrowser.query.measures import MEASURES, Measure, MeasureKind
from databrowser.query.questions import Chosen, Parameters, Question
from databrowser.query.totals import Live
from filing.reference_data import registry
from filing.requests import read_year

API = "/v2/data-browser-api/view"
NONE = "none"  # of `by`: one figure of all records
COUNT = "count"
_USUAL_BY = ("actions_taken", "loan_purposes", "loan_types")
_COUNTING = {MeasureKind.COUNT, MeasureKind.AMOUNT, MeasureKind.SHARE}
_MOST_IN_WORDS = 6
_FIGURES = (*chosen_versions.PARAMETERS, *figure_questions.PARAMETERS)
NAMES = (*BY_PARAMETER, "years", *_FIGURES, "breaks", "colored", "find")


@dataclass(frozen=True)
class PageQuestion:
    """A question for figures, and how the page shows them.

    by: the names that the address has; empty for those of the page's choice.
    breaks: those of the legend of the map, as entered. colored: the values of the other groupings
    that the map shows, as entered.
    versions, datasets: those that answer in place of the published ones.
    """

    figure_question: FigureQuestion
    by: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    breaks: str = ""
    colored: str = ""

    @property
    def question(self) -> Question:
        """The records of the query."""
        return self.figure_question.question

    @property
    def measure(self) -> Measure:
        return self.figure_question.measure

    @property
    def heading(self) -> str:
        """What is shown, in words: Denial rate by race and sex."""
        labels = [_lowered(each.label) for each in self.groupings]
        by = f" by {list_in_words(labels, 'and')}" if labels else ""
        return f"{self.measure.label}{by}"

    @property
    def groupings(self) -> tuple[Grouping, ...]:
        """What makes the rows, the columns and the tables."""
        return self.figure_question.by

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
        shown = {"by": ",".join(self.by)} | self._measured
        shown |= {"breaks": self.breaks, "colored": self.colored}
        return {name: value for name, value in shown.items() if value}

    @property
    def fields_but_breaks(self) -> dict[str, str]:
        """The parameters of the page without the breaks of its map."""
        return self.parameters | replace(self, breaks="").display

    @property
    def without_breaks(self) -> str:
        """The query string of the page without the breaks of its map."""
        return replace(self, breaks="").query

    @property
    def _measured(self) -> dict[str, str]:
        """The parameters of a measure, without those that are as usual."""
        asked, usual = self.figure_question, FigureQuestion(self.question, MEASURES[COUNT])
        measured = {
            "measure": asked.measure.name if asked.measure != usual.measure else "",
            "base": str(asked.base) if asked.base != usual.base else "",
            "peers": str(asked.peers) if asked.peers else "",
        }
        return {name: value for name, value in measured.items() if value}

    def figures_address(self, kind: str = "") -> str:
        """Return the API path of the figures. kind: /csv or /parquet, else JSON."""
        by = {"by": ",".join(each.parameter for each in self.groupings)} if self.groupings else {}
        return f"{API}/figures{kind}?{_encoded(self.parameters | by | self._measured)}"

    def with_by(self, *by: str, peers: PeerGroup | None = None) -> PageQuestion:
        """Return the same query by other groupings."""
        return replace(self, by=by, figure_question=replace(self.figure_question, peers=peers))

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
        return replace(self._of(replace(self.question, years=years)), versions=versions)

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
        return self._of(replace(self.question, places=places, filters=filters))

    def within(self, places: Chosen) -> PageQuestion:
        """Return the same query about other places, with the usual breaks of its map."""
        return replace(self._of(replace(self.question, places=places)), breaks="")

    def _of(self, question: Question) -> PageQuestion:
        peers = self.figure_question.peers if _lenders(question) else None
        asked = replace(self.figure_question, question=question, peers=peers)
        return replace(self, figure_question=asked)

    def loans_file(self, form: DownloadFormat) -> str:
        """Return the path of the records as a file; that of the API, if it accepts the query."""
        if self.question.filters:
            return self.api({"psv": "pipe"}.get(form.ending, form.ending))
        return f"{reverse('data-browser-loans', args=[form.ending])}?{_encoded(self.parameters)}"

    def api(self, kind: str) -> str:
        """Return the API path of the same query. kind: the endpoint, such as csv."""
        where = "" if self.question.places else "/nationwide"
        return f"{API}{where}/{kind}?{_encoded(self.parameters)}"

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
        return ", ".join(words) if dimension is STATE else list_in_words(words, "or")

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

    Raises: QueryRefused, with the messages of the API.
    """
    published = tuple(published)
    words = {name: questions.read_values(parameters, name) for name in NAMES}
    if not any(words.values()):
        words["years"] = [str(max(published))]
    names = [name for name in words["by"] if name != NONE]
    by = tuple(names or words["by"])
    words["by"] = names if by else _usual_by(words)
    # A form keeps the comparison of a lender that was cleared in it.
    if len(words[LEI.parameter]) != 1:
        words["peers"] = []
    elif words["peers"]:
        others = [name for name in words["by"] if by and name != LEI.parameter]
        words["by"] = [LEI.parameter, *others]
    asked = QueryDict(mutable=True)
    for name in NAMES:
        asked.setlist(name, words[name])
    figure_question = read_figure_question(asked, published=published, withdrawn=withdrawn)
    return PageQuestion(
        figure_question,
        by,
        # A form keeps the versions of years that were cleared in it.
        tuple(
            name
            for name in words["version"]
            if read_year_of(name) in figure_question.question.years
        ),
        tuple(words["dataset"]),
        ",".join(words["breaks"])[:LONGEST_BREAKS],
        ",".join(words["colored"]),
    )


def _usual_by(words: dict[str, list[str]]) -> list[str]:
    """Return the first filter with several values, else one that has not one value chosen."""
    filters = [dimension.parameter for dimension in FILTERS]
    several = [name for name in filters if len(words[name]) > 1]
    measure = MEASURES.get(words["measure"][0]) if words["measure"] else MEASURES[COUNT]
    counts = measure is not None and measure.kind in _COUNTING
    usual = [name for name in _USUAL_BY if not words[name] and (counts or name != _USUAL_BY[0])]
    return [*several, *usual][:1]


def _lenders(question: Question) -> tuple[str, ...]:
    return dict(question.places).get(LEI, ())


def read_year_of(version: str) -> int | None:
    """Return the year of a version such as 2023-4, if its name begins with one."""
    return read_year(version.partition("-")[0])


def list_in_words(words: Sequence[str], last: str) -> str:
    """Return words as in a sentence: a, b and c. last: the word before the last one."""
    *first, final = words
    return f"{', '.join(first)} {last} {final}" if first else final


def _lowered(label: str) -> str:
    """Return a label as within a sentence: abbreviations stay as they are."""
    return label if label[:2].isupper() else label[0].lower() + label[1:]


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
