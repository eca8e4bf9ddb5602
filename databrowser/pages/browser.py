"""The page of the data browser: choices with live counts, and what they lead to."""

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
from databrowser.publication.serving import data_sets
from databrowser.publication.serving.data_sets import LiveYear
from databrowser.publication.serving.engine import Unavailable
from databrowser.query import totals
from databrowser.query.totals import Live
from filing.pages import same_call


@dataclass(frozen=True, slots=True)
class Box:
    """A value that can be ticked. count: of its rows within what is chosen otherwise."""

    id: str
    name: str
    value: str
    label: str
    is_chosen: bool
    count: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """The values of a dimension."""

    dimension: Dimension
    boxes: list[Box]

    @property
    def chosen(self) -> int:
        return sum(each.is_chosen for each in self.boxes)


class DataPage(View):
    """A page about what is public now. Its snapshot is taken once."""

    http_method_names = ["get", "head"]

    @cached_property
    def live(self) -> Live:
        return data_sets.live()

    @property
    def years(self) -> list[int]:
        return [each.year for each in self.live]

    def read(self) -> PageQuestion:
        """Raises: Refused."""
        return parameters.read(self.request.GET, published=self.years)


class Browser(DataPage):
    """The page. To its own script it answers only what changes: the answer and the counts.

    Since that puts nothing in place that is refused, its answers to the script are all 200.
    """

    template = "databrowser/browser.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        if not self.live:
            return render(request, self.template, {"live": self.live})
        is_part = "HX-Request" in request.headers and (
            "HX-History-Restore-Request" not in request.headers
        )
        status, shown = 200, self.context_of_choices()
        try:
            shown |= self.context_of_answer()
        except (Refused, Unavailable) as refusal:
            status = 200 if is_part else refusal.status
            shown["refusal"] = refusal
        shown["all_groups"] = [shown["states"], *shown["groups"]]
        template = "databrowser/changes.html" if is_part else self.template
        response = render(request, template, shown, status=status)
        if is_part and "asked" in shown:
            response["HX-Push-Url"] = f"{reverse('data-browser')}?{shown['asked'].query}"
        if isinstance(shown.get("refusal"), Unavailable):
            response["Retry-After"] = str(shown["refusal"].seconds)
        response["Cache-Control"] = "no-cache"
        patch_vary_headers(response, ["HX-Request"])
        return response

    def context_of_choices(self) -> dict[str, Any]:
        """Return what the page has also where it cannot answer: the choices as they were made."""
        given = self.request.GET
        chosen = {each.strip() for each in ",".join(given.getlist("years")).split(",")}
        years = [(each, str(each.year) in chosen) for each in self.live]
        return {
            "live": self.live,
            "demo_years": _demo_years(each for each, is_chosen in years if is_chosen),
            "years": years,
            "states": self.group(STATE, None),
            "groups": [self.group(each, None) for each in FILTERS],
            "measures": MEASURES,
            "bys": FILTERS,
            "find": given.get("find", ""),
        }

    def context_of_answer(self) -> dict[str, Any]:
        """Return what the page has of an answer.

        Raises: Refused, Unavailable.
        """
        question = self.read()
        answer = Rendering(question, self.live)
        spread = answer.spreads
        of_years = totals.asked_years(question.question, self.live)
        find = self.request.GET.get("find", "")
        return {
            "asked": question,
            "answer": answer,
            "data_sets": of_years,
            "demo_years": _demo_years(of_years),
            "years": [(each, each.year in question.question.years) for each in self.live],
            "states": self.group(STATE, answer, spread[STATE.parameter]),
            "groups": [self.group(each, answer, spread[each.parameter]) for each in FILTERS],
            "chosen_places": choices.chosen(question.question, self.live),
            "found_places": choices.found(find, question.question, self.live),
            "sizes": sizes.about(answer.whole.count, of_years),
            "address": f"{settings.PUBLIC_URL}{reverse('data-browser')}?{question.query}",
            "today": timezone.now().date(),
            **self.programs(question),
        }

    def programs(self, question: PageQuestion) -> dict[str, Any]:
        """Return the same question as a program asks it, as far as it may be asked."""
        if question.question.filters:
            return {
                "report_calls": same_call.asked(question.api("aggregations")),
                "rows_calls": same_call.table(question.api("csv"), saved="loans.csv"),
                "files": [(form, question.api(form)) for form in ("csv", "pipe", "parquet")],
            }
        if question.question.places:
            return {"report_calls": same_call.asked(question.api_of_count)}
        return {}

    def group(self, dimension: Dimension, answer: Rendering | None, spread: Any = None) -> Group:
        """Return the values of a dimension, those without rows only if a filter has them."""
        chosen = set(answer.chosen(dimension)) if answer else set(self._given(dimension))
        boxes = [
            Box(
                id=f"{dimension.parameter}-{number}",
                name=dimension.parameter,
                value=value,
                label=coded(dimension, value),
                is_chosen=value in chosen,
                count=f"{spread[value].count:,}"
                if spread and value in spread
                else "0"
                if answer
                else "",
            )
            for number, value in enumerate(dimension.values)
        ]
        if dimension is STATE:
            boxes.sort(key=lambda each: each.label)
        return Group(dimension, boxes)

    def _given(self, dimension: Dimension) -> Iterator[str]:
        for text in self.request.GET.getlist(dimension.parameter):
            yield from text.split(",")


def _demo_years(data_sets: Iterable[LiveYear]) -> list[int]:
    """Return the years of which some rows are made up."""
    return [each.year for each in data_sets if each.is_demo]


class PlacesFound(DataPage):
    """A part of the page: what a search for places finds, beside those that are chosen."""

    def get(self, request: HttpRequest) -> HttpResponse:
        find = request.GET.get("find", "")
        shown: dict[str, Any] = {"find": find}
        if self.live:
            try:
                shown["asked"] = self.read()
                question = shown["asked"].question
                shown["chosen_places"] = choices.chosen(question, self.live)
                shown["found_places"] = choices.found(find, question, self.live)
            except (Refused, Unavailable) as refusal:
                shown["not_found_because"] = refusal
        return render(request, "databrowser/places.html", shown)
