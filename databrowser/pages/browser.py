"""The page of the data browser: filters with live counts, and the results, as pictures as well.

The chart and the map of an answer are SVG files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.generic import View

from databrowser import downloads
from databrowser.boundaries import loading
from databrowser.charts import maps
from databrowser.dimensions.catalogue import FILTERS, STATE
from databrowser.dimensions.dimension import Dimension
from databrowser.dimensions.groupings import GROUPINGS
from databrowser.errors import QueryRefused
from databrowser.pages import choices, parameters
from databrowser.pages.chosen_values import ChosenValues
from databrowser.pages.citations import Citation
from databrowser.pages.parameters import COUNT, NONE, PageQuestion, describe_coded_value
from databrowser.pages.reports import find_reports_of_question
from databrowser.pages.results import PlaceFigures, Rendering
from databrowser.publication import serving
from databrowser.publication.columns import PUBLIC
from databrowser.publication.serving import LiveYear, QueriesUnavailable
from databrowser.publication.versions import live_versions
from databrowser.query import chosen_versions, figure_questions, totals
from databrowser.query.figure_questions import ShareBase
from databrowser.query.measures import MEASURES
from databrowser.query.totals import Live
from filing.charts import drawing, theme
from filing.day_hours import today
from filing.errors import Refusal
from filing.files import responses
from filing.lar.years import describe_unsettled
from filing.pages import tool_pages
from filing.requests import describe_unknown_parameters

PICTURES = ("chart", "map")
_FIGURE_FORMATS = (("JSON", ""), ("CSV", "/csv"), ("Parquet", "/parquet"))
BASES = {
    ShareBase.ALL: "All records",
    ShareBase.ROWS: "Their row",
    ShareBase.COLUMNS: "Their column",
}
_CONTENT_TYPES = {"svg": "image/svg+xml; charset=utf-8", "png": "image/png"}


@dataclass(frozen=True, slots=True)
class Checkbox:
    """A value with a checkbox. count: of its records that match the other filters."""

    id: str
    name: str
    value: str
    label: str
    is_chosen: bool
    count: str = ""


@dataclass(frozen=True, slots=True)
class CheckboxGroup:
    """The checkboxes of one filter."""

    dimension: Dimension
    boxes: list[Checkbox]

    @property
    def number_chosen(self) -> int:
        return sum(box.is_chosen for box in self.boxes)


@dataclass(frozen=True, slots=True)
class BySelect:
    """A list of groupings to choose one from. id: of the list. chosen: its parameter, or blank."""

    id: str
    label: str
    chosen: str


def _list_by_selects(by: Sequence[str]) -> list[BySelect]:
    """Return the lists for rows, columns and small tables."""
    labels = ("Rows", "Columns", "One table for each")
    chosen = [*by, "", "", ""]
    return [BySelect(f"by-{place}", label, chosen[place]) for place, label in enumerate(labels)]


class DataPage(View):
    """A page about the published data sets, which are looked up once per request.

    Once the query is read, those that it names are in their place.
    """

    http_method_names = ["get", "head"]

    @cached_property
    def published(self) -> Live:
        return serving.live_data_sets()

    @cached_property
    def live(self) -> Live:
        return self.published

    @property
    def years(self) -> list[int]:
        return [data_set.year for data_set in self.live]

    def read(self) -> PageQuestion:
        """Raises: QueryRefused."""
        withdrawn = live_versions.withdrawn_years()
        question = parameters.read_page_question(
            self.request.GET, published=self.years, withdrawn=withdrawn
        )
        self.live = chosen_versions.choose_data_sets(
            self.live,
            question.question.years,
            versions=question.versions,
            datasets=question.datasets,
        )
        return question


def refuse_in_text(refusal: Refusal) -> HttpResponse:
    """Return a refusal at an address that answers with a file."""
    text = {"content_type": responses.TEXT, "status": refusal.status}
    return HttpResponse(refusal.message, **text)


class Browser(DataPage):
    """The page of the data browser. Its script gets only the parts that change: results and counts.

    The script ignores responses with an error status, so it always gets 200.
    """

    template = "databrowser/browser.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        if not self.live:
            status = 404 if request.GET.get("years") else 200
            context = {"live": self.live, **self.context_of_notices()}
            return render(request, self.template, context, status=status)
        is_part = "HX-Request" in request.headers and (
            "HX-History-Restore-Request" not in request.headers
        )
        status, context = 200, self.context_of_choices() | self.context_of_notices()
        try:
            context |= self.context_of_answer(has_counts=not is_part)
        except (QueryRefused, QueriesUnavailable) as refusal:
            status = 200 if is_part else refusal.status
            context |= {"refusal": refusal, "chosen": self.find_chosen_values()}
        context["all_groups"] = [context["states"], *context["groups"]]
        context["number_chosen"] = _count_chosen(context)
        template = "databrowser/changes.html" if is_part else self.template
        response = render(request, template, context, status=status)
        if is_part and "question" in context:
            response["HX-Push-Url"] = f"{reverse('data-browser')}?{context['question'].query}"
        if isinstance(context.get("refusal"), QueriesUnavailable):
            response["Retry-After"] = str(context["refusal"].seconds)
        response["Cache-Control"] = "no-cache"
        patch_vary_headers(response, ["HX-Request"])
        return response

    def find_chosen_values(self) -> ChosenValues | None:
        """Return what a refused question chooses, to remove what its measure does not go with."""
        asked = self.request.GET.copy()
        for name in figure_questions.PARAMETERS:
            asked.pop(name, None)
        asked["by"] = NONE
        try:
            question = parameters.read_page_question(asked, published=self.years)
            places = choices.chosen_places(question.question, self.live)
        except (QueryRefused, QueriesUnavailable):
            return None
        measure = MEASURES.get(self.request.GET.get("measure", COUNT), question.measure)
        figure_question = replace(question.figure_question, measure=measure)
        return ChosenValues.of(replace(question, by=(), figure_question=figure_question), places)

    def context_of_notices(self) -> dict[str, Any]:
        """Return the context about parameters that the page does not know."""
        return {
            "unknown_parameters": describe_unknown_parameters(self.request.GET, parameters.NAMES)
        }

    def context_of_choices(self) -> dict[str, Any]:
        """Return the context that does not depend on an answer: the filters as they were chosen."""
        submitted = self.request.GET
        words = {text.strip() for text in ",".join(submitted.getlist("years")).split(",")}
        years = [(data_set, str(data_set.year) in words) for data_set in self.live]
        chosen_years = [data_set for data_set, is_chosen in years if is_chosen]
        return {
            "live": self.live,
            "bys": GROUPINGS.values(),
            "demo_years": _demo_years(chosen_years),
            "notices": describe_unsettled([data_set.year for data_set in chosen_years]),
            "years": years,
            "states": self.group(STATE, None),
            "groups": [self.group(dimension, None) for dimension in FILTERS],
            "measures": MEASURES.values(),
            "shown_measure": submitted.get("measure") or COUNT,
            "selects": _list_by_selects([*self._list_words("by")]),
            "bases": BASES.items(),
            "shown_base": submitted.get("base") or ShareBase.ALL,
            "find": submitted.get("find", ""),
        }

    def context_of_answer(self, *, has_counts: bool) -> dict[str, Any]:
        """Return the context of an answer.

        has_counts: beside the filters. The script asks for them once it has shown the figures.
        Raises: QueryRefused, QueriesUnavailable.
        """
        page_question = self.read()
        answer = Rendering(page_question, self.live)
        answer.compute()
        data_sets = answer.data_sets
        permanent = page_question.cite(data_sets)
        words = self.request.GET.get("find", "")
        chosen_places = choices.chosen_places(page_question.question, self.live)
        return {
            "question": page_question,
            "answer": answer,
            "shown_measure": page_question.measure.name,
            "selects": _list_by_selects(page_question.by),
            "shown_base": page_question.figure_question.base,
            "data_sets": data_sets,
            "demo_years": _demo_years(data_sets),
            "notices": describe_unsettled([data_set.year for data_set in data_sets]),
            "years": [
                (data_set, data_set.year in page_question.question.years) for data_set in self.live
            ],
            **self.context_of_filters(answer, has_counts=has_counts),
            "chosen_places": chosen_places,
            "reports": find_reports_of_question(page_question.question),
            "chosen": ChosenValues.of(page_question, chosen_places),
            "matching_places": choices.matching_places(words, page_question.question, self.live),
            "public_columns": len(PUBLIC),
            "permanent": permanent.query,
            "citation": Citation(
                page_question.title,
                data_sets,
                f"{settings.PUBLIC_URL}{reverse('data-browser')}?{permanent.query}",
                accessed=today(),
            ),
            "later": self._compare_with_published(answer),
            **self.programs(page_question, answer),
        }

    def context_of_filters(self, answer: Rendering, *, has_counts: bool = True) -> dict[str, Any]:
        """Return the checkboxes of all filters. Raises: QueriesBusy, QueryTooSlow."""
        spreads = answer.spreads if has_counts else {}
        states, *groups = (
            self.group(dimension, answer, spreads.get(dimension.parameter))
            for dimension in (STATE, *FILTERS)
        )
        return {"states": states, "groups": groups}

    def _compare_with_published(self, answer: Rendering) -> dict[str, Any] | None:
        """Return the figures of what is published now; None if that is what answers.

        Raises: QueriesBusy, QueryTooSlow.
        """
        published = Rendering(answer.page_question, self.published)
        versions, years = published.data_sets, answer.page_question.question.years
        if versions == answer.data_sets or {each.year for each in versions} != {*years}:
            return None
        return {
            "data_sets": versions,
            "total": published.total,
            "more": published.total.count - answer.total.count,
            "is_other": (published.total, published.table) != (answer.total, answer.table),
        }

    def programs(self, page_question: PageQuestion, answer: Rendering) -> dict[str, Any]:
        """Return the files of the records and the API calls for the same query."""
        sizes = downloads.estimate_bytes(answer.total.count, answer.data_sets)
        files = [
            (form.label, page_question.loans_file(form), sizes[form.ending])
            for form in downloads.FORMATS.values()
        ]
        calls = tool_pages.build_csv_examples(
            page_question.loans_file(downloads.CSV), saved="loans.csv"
        )
        return {
            "files": files,
            "figures": [
                (label, page_question.figures_address(kind)) for label, kind in _FIGURE_FORMATS
            ],
            "rows_calls": calls,
            "figures_calls": tool_pages.build_get_examples(page_question.figures_address()),
        }

    def group(
        self, dimension: Dimension, answer: Rendering | None, counts: Any = None
    ) -> CheckboxGroup:
        """Return the checkboxes of a filter, each with its count where there is an answer."""
        words = self._list_words(dimension.parameter)
        values = set(answer.chosen_values(dimension) if answer else words)
        boxes = [
            Checkbox(
                id=f"{dimension.parameter}-{number}",
                name=dimension.parameter,
                value=value,
                label=describe_coded_value(dimension, value),
                is_chosen=value in values,
                count=f"{counts[value].count:,}"
                if counts and value in counts
                else "0"
                if answer
                else "",
            )
            for number, value in enumerate(dimension.values)
        ]
        if dimension is STATE:
            boxes.sort(key=lambda box: box.label)
        boxes.sort(key=lambda box: not box.is_chosen)
        return CheckboxGroup(dimension, boxes)

    def _list_words(self, parameter: str) -> Iterator[str]:
        """Yield the values of a parameter as they were submitted, however wrong or many."""
        for text in self.request.GET.getlist(parameter):
            yield from filter(None, map(str.strip, text.split(",")))


def _count_chosen(context: dict[str, Any]) -> int:
    """Return how many values of places and filters are chosen."""
    groups = sum(group.number_chosen for group in context["all_groups"])
    return groups + len(context.get("chosen_places", ()))


def _demo_years(data_sets: Iterable[LiveYear]) -> list[int]:
    """Return the years with made-up records."""
    return [data_set.year for data_set in data_sets if data_set.is_demo]


class FilterCounts(Browser):
    """The counts beside the filters, which the script asks for after the figures."""

    def get(self, request: HttpRequest) -> HttpResponse:
        if not self.live:
            return HttpResponse(status=204)
        try:
            filters = self.context_of_filters(Rendering(self.read(), self.live))
        except (QueryRefused, QueriesUnavailable):
            return HttpResponse(status=204)  # the page tells of the refusal
        context = {"all_groups": [filters["states"], *filters["groups"]]}
        return render(request, "databrowser/counts.html", context)


class PlaceSearch(DataPage):
    """The part of the page with the chosen places and the results of a search for places."""

    def get(self, request: HttpRequest) -> HttpResponse:
        find = request.GET.get("find", "")
        context: dict[str, Any] = {"find": find}
        if self.live:
            try:
                context["question"] = self.read()
                question = context["question"].question
                context["chosen_places"] = choices.chosen_places(question, self.live)
                context["matching_places"] = choices.matching_places(find, question, self.live)
            except (QueryRefused, QueriesUnavailable) as refusal:
                context["search_refusal"] = refusal
        return render(request, "databrowser/places.html", context)


class LoansFile(DataPage):
    """The records of a query as a file. Unlike the API, it needs neither a place nor a filter."""

    def get(self, request: HttpRequest, ending: str) -> HttpResponseBase:
        form = downloads.FORMATS.get(ending)
        if form is None or not self.live:
            raise Http404(f"There is no file loans.{ending} of the published data.")
        try:
            question = self.read().question
            return responses.answer_conditionally(
                request,
                totals.make_answer_etag(question, self.live),
                lambda: downloads.answer_with_records(
                    question, self.live, form, has_body=request.method != "HEAD"
                ),
            )
        except Refusal as refusal:
            return refuse_in_text(refusal)


class Picture(DataPage):
    """The chart or the map of an answer as SVG, the map also as PNG; narrow for small screens."""

    ending = "svg"

    def get(self, request: HttpRequest, picture: str) -> HttpResponseBase:
        if picture not in PICTURES or not self.live:
            raise Http404(f"There is no picture {picture} of the published data.")
        try:
            question = self.read()
            version = totals.version_of(question.question, self.live)
            boundaries = loading.list_keys_in_use()
            etag = responses.make_etag((settings.VERSION, version, self.ending, boundaries))
            response = responses.answer_conditionally(
                request, etag, lambda: self._file(question, picture)
            )
        except Refusal as refusal:
            return refuse_in_text(refusal)
        response["Cache-Control"] = "no-cache"
        return response

    def _file(self, question: PageQuestion, picture: str) -> HttpResponse:
        """Return the picture as a file.

        Raises: QueriesBusy, QueryTooSlow; BadInput for breaks; Http404 for counties without shapes.
        """
        answer = Rendering(question, self.live)
        width = drawing.NARROW if "narrow" in self.request.GET else drawing.WIDTH
        if picture == "chart":
            content: str | bytes = answer.chart(width)
        else:
            places = PlaceFigures(answer)
            place_map = places.map
            if not place_map.shapes.codes:
                raise Http404("There is no map: the service has no boundaries of these places.")
            maps.read_breaks(question.breaks)
            content = place_map.png(width) if self.ending == "png" else place_map.svg(width)
        if isinstance(content, str) and "save" not in self.request.GET:
            content = theme.follow_reader(content)
        response = HttpResponse(content, content_type=_CONTENT_TYPES[self.ending])
        if "save" in self.request.GET:
            responses.make_attachment(f"hmda-{picture}.{self.ending}", response)
        return response
