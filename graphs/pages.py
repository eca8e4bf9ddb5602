"""The pages of the graphs: a gallery by category, one page a graph, and its files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.generic import View

from filing.charts import style
from filing.errors import Refusal
from filing.pages import same_call
from graphs import answers
from graphs.answers import Answer
from graphs.catalogue import CATEGORIES, GRAPHS, OVERVIEW, Graph
from graphs.forms import PartForm
from graphs.pictures import Chosen
from graphs.rules import PURPOSES
from graphs.views import number

API = "/quarterly-data/graphs"
_TYPES = {"csv": "text/csv; charset=UTF-8", "svg": "image/svg+xml", "png": "image/png"}
_KEPT_SECONDS = 3600  # by browsers: a version never changes


class Gallery(View):
    """All graphs, by category."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        version = answers.version()
        categories = [
            {
                "name": name,
                "graphs": [each for each in _plain() if each.measure.category == name],
            }
            for name in CATEGORIES
        ]
        shown = {
            "overview": OVERVIEW,
            "version": version,
            "is_demo": version.is_demo,
            "demo_years": sorted(version.demo_years),
            "categories": categories,
            "calls": same_call.asked(API),
        }
        return render(request, "graphs/gallery.html", shown)


class GraphPage(View):
    """One graph: the picture, what of it is looked at, the figures, and how they came about."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest, endpoint: str) -> HttpResponse:
        answer = _answer(request, endpoint)
        form = PartForm(request.GET, answer)
        chosen = form.chosen()
        graph, version = answer.graph, answer.version
        query = _query(chosen)
        shown = {
            "graph": graph,
            "version": version,
            "form": form,
            "chosen": chosen,
            "series": [each for each in graph.series if each.name in chosen.names],
            "is_demo": bool(chosen.demo_years),
            "demo_years": chosen.demo_years,
            "notes": chosen.gaps,
            "query": query,
            "permanent": f"{reverse('graph', args=[endpoint])}?{query}",
            "files": [(each, _file(graph, each, query)) for each in _TYPES],
            "purposes": list(_siblings(graph, by="purpose")),
            "breakdowns": list(_siblings(graph, by="breakdown")),
            "calls": same_call.asked(f"{API}/{endpoint}"),
        }
        return render(request, "graphs/graph.html", shown)


class GraphFile(View):
    """What is looked at of a graph, as a file; `narrow` is for small screens."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest, endpoint: str, ending: str) -> HttpResponse:
        if ending not in _TYPES:
            raise Http404(f"There is no {ending} of a graph: there are {', '.join(_TYPES)}.")
        chosen = PartForm(request.GET, _answer(request, endpoint)).chosen()
        width = style.NARROW if "narrow" in request.GET else style.WIDTH
        saved = "save" in request.GET
        response = HttpResponse(
            _content(chosen, ending, width, alone=saved), content_type=_TYPES[ending]
        )
        if saved:
            name = f"{endpoint}.{ending}"
            response["Content-Disposition"] = content_disposition_header(True, name) or ""
        kept = f"public, max-age={_KEPT_SECONDS}" if request.GET.get("version") else "no-cache"
        response["Cache-Control"] = kept
        return response


@dataclass(frozen=True)
class Sibling:
    """A graph that differs in one thing from the one that is looked at."""

    label: str
    endpoint: str
    is_this: bool


def _plain() -> list[Graph]:
    return [graph for graph in GRAPHS if not graph.purpose.suffix]


def _siblings(graph: Graph, *, by: str) -> Iterator[Sibling]:
    if by == "purpose":
        others = [Graph(graph.measure, graph.breakdown, each) for each in PURPOSES]
    else:
        others = [Graph(graph.measure, each, graph.purpose) for each in graph.measure.breakdowns]
    for each in others:
        label = getattr(each, by).label
        yield Sibling(label, each.endpoint, each.endpoint == graph.endpoint)


def _answer(request: HttpRequest, endpoint: str) -> Answer:
    """Return the graph of an address.

    Raises: Http404 for one that there is not, or a version that there is not.
    """
    try:
        graph = answers.graph_of(endpoint)
        return answers.answer(graph, answers.version(number(request.GET.get("version"))))
    except Refusal as refusal:
        raise Http404(refusal.message) from refusal


def _query(chosen: Chosen) -> str:
    """Return what names this part of this version, so that the address shows the same for ever."""
    told: dict[str, Any] = {}
    if chosen.answer.version.number is not None:
        told["version"] = chosen.answer.version.number
    if chosen.quarters:
        told |= {"first": str(chosen.quarters[0]), "last": str(chosen.quarters[-1])}
    if len(chosen.names) < len(chosen.answer.series):
        told["series"] = chosen.names
    return urlencode(told, doseq=True)


def _file(graph: Graph, ending: str, query: str) -> str:
    address = reverse("graph-file", kwargs={"endpoint": graph.endpoint, "ending": ending})
    return f"{address}?{query}"


def _content(chosen: Chosen, ending: str, width: int, *, alone: bool) -> str | bytes:
    if ending == "csv":
        return chosen.csv()
    picture = chosen.picture(alone=alone or ending == "png")
    return picture.png(width) if ending == "png" else picture.svg(width)
