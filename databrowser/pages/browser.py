"""The page of the data browser: filters with live counts, and the results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.generic import View

from databrowser.dimensions.catalogue import FILTERS, STATE
from databrowser.dimensions.dimension import Dimension
from databrowser.downloads import sizes
from databrowser.errors import Refused
from databrowser.pages import choices, parameters
from databrowser.pages.labels import coded
from databrowser.pages.parameters import MEASURES, PageQuestion
from databrowser.pages.rendering import Rendering
from databrowser.publication.columns import PUBLIC
from databrowser.publication.serving import data_sets
from databrowser.publication.serving.data_sets import LiveYear
from databrowser.publication.serving.engine import Unavailable
from databrowser.publication.versions import live_versions
from databrowser.query import totals
from databrowser.query.totals import Live
from filing.lar.years import describe_unsettled
from filing.pages import call_examples
from filing.requests.unknown_parameters import describe_unknown


@dataclass(frozen=True, slots=True)
class Box:
    """A value with a checkbox. count: of its records that match the other filters."""

    id: str
    name: str
    value: str
    label: str
    is_chosen: bool
    count: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """The checkboxes of one filter."""

    dimension: Dimension
    boxes: list[Box]

    @property
    def number_chosen(self) -> int:
        return sum(box.is_chosen for box in self.boxes)


class DataPage(View):
    """A page about the published data sets, which are looked up once per request."""

    http_method_names = ["get", "head"]

    @cached_property
    def live(self) -> Live:
        return data_sets.live()

    @property
    def years(self) -> list[int]:
        return [data_set.year for data_set in self.live]

    def read(self) -> PageQuestion:
        """Raises: Refused."""
        withdrawn = live_versions.withdrawn_years()
        return parameters.read(self.request.GET, published=self.years, withdrawn=withdrawn)


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
            context |= self.context_of_answer()
        except (Refused, Unavailable) as refusal:
            status = 200 if is_part else refusal.status
            context["refusal"] = refusal
        context["all_groups"] = [context["states"], *context["groups"]]
        template = "databrowser/changes.html" if is_part else self.template
        response = render(request, template, context, status=status)
        if is_part and "question" in context:
            response["HX-Push-Url"] = f"{reverse('data-browser')}?{context['question'].query}"
        if isinstance(context.get("refusal"), Unavailable):
            response["Retry-After"] = str(context["refusal"].seconds)
        response["Cache-Control"] = "no-cache"
        patch_vary_headers(response, ["HX-Request"])
        return response

    def context_of_notices(self) -> dict[str, Any]:
        """Return the context about parameters that the page does not know."""
        return {"unknown_parameters": describe_unknown(self.request.GET, parameters.NAMES)}

    def context_of_choices(self) -> dict[str, Any]:
        """Return the context that does not depend on an answer: the filters as they were chosen."""
        submitted = self.request.GET
        chosen = {text.strip() for text in ",".join(submitted.getlist("years")).split(",")}
        years = [(data_set, str(data_set.year) in chosen) for data_set in self.live]
        return {
            "live": self.live,
            "demo_years": _demo_years(data_set for data_set, is_chosen in years if is_chosen),
            "notices": describe_unsettled(
                [data_set.year for data_set, is_chosen in years if is_chosen]
            ),
            "years": years,
            "states": self.group(STATE, None),
            "groups": [self.group(dimension, None) for dimension in FILTERS],
            "measures": MEASURES,
            "bys": FILTERS,
            "find": submitted.get("find", ""),
        }

    def context_of_answer(self) -> dict[str, Any]:
        """Return the context of an answer.

        Raises: Refused, Unavailable.
        """
        page_question = self.read()
        answer = Rendering(page_question, self.live)
        spreads = answer.spreads
        asked_data_sets = totals.data_sets_of(page_question.question, self.live)
        words = self.request.GET.get("find", "")
        return {
            "question": page_question,
            "answer": answer,
            "data_sets": asked_data_sets,
            "demo_years": _demo_years(asked_data_sets),
            "notices": describe_unsettled([data_set.year for data_set in asked_data_sets]),
            "years": [
                (data_set, data_set.year in page_question.question.years) for data_set in self.live
            ],
            "states": self.group(STATE, answer, spreads[STATE.parameter]),
            "groups": [
                self.group(dimension, answer, spreads[dimension.parameter]) for dimension in FILTERS
            ],
            "chosen_places": choices.chosen_places(page_question.question, self.live),
            "matching_places": choices.matching_places(words, page_question.question, self.live),
            "sizes": sizes.estimated_bytes(answer.total.count, asked_data_sets),
            "public_columns": len(PUBLIC),
            "address": f"{settings.PUBLIC_URL}{reverse('data-browser')}?{page_question.query}",
            "today": timezone.now().date(),
            **self.programs(page_question),
        }

    def programs(self, page_question: PageQuestion) -> dict[str, Any]:
        """Return the API calls for the same query, if the API accepts it."""
        if page_question.question.filters:
            return {
                "report_calls": call_examples.get_json(page_question.api("aggregations")),
                "rows_calls": call_examples.read_csv(page_question.api("csv"), saved="loans.csv"),
                "files": [(form, page_question.api(form)) for form in ("csv", "pipe", "parquet")],
            }
        if page_question.question.places:
            return {"report_calls": call_examples.get_json(page_question.api_of_count)}
        return {}

    def group(self, dimension: Dimension, answer: Rendering | None, counts: Any = None) -> Group:
        """Return the checkboxes of a filter, each with its count where there is an answer."""
        chosen = set(answer.chosen_values(dimension)) if answer else set(self._checked(dimension))
        boxes = [
            Box(
                id=f"{dimension.parameter}-{number}",
                name=dimension.parameter,
                value=value,
                label=coded(dimension, value),
                is_chosen=value in chosen,
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
        return Group(dimension, boxes)

    def _checked(self, dimension: Dimension) -> Iterator[str]:
        for text in self.request.GET.getlist(dimension.parameter):
            yield from text.split(",")


def _demo_years(data_sets: Iterable[LiveYear]) -> list[int]:
    """Return the years with made-up records."""
    return [data_set.year for data_set in data_sets if data_set.is_demo]


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
            except (Refused, Unavailable) as refusal:
                context["search_refusal"] = refusal
        return render(request, "databrowser/places.html", context)
