"""The pages of the graphs: a gallery by category, one page per graph, and its files."""

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
from filing.lar.years import describe_unsettled
from filing.pages import call_examples
from filing.requests.unknown_parameters import describe_unknown
from graphs import answers
from graphs.answers import Answer
from graphs.catalogue import CATEGORIES, GRAPHS, OVERVIEW, Graph
from graphs.forms import PartForm
from graphs.pictures import Selection
from graphs.rules import PURPOSES
from graphs.views import number

API = "/quarterly-data/graphs"
_TYPES = {"csv": "text/csv; charset=UTF-8", "svg": "image/svg+xml", "png": "image/png"}
_CACHE_SECONDS = 3600  # in browsers; a version never changes


class Gallery(View):
    """The gallery of all graphs by category."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        version = answers.version()
        categories = [
            {
                "name": name,
                "graphs": [graph for graph in _of_all_purposes() if graph.measure.category == name],
            }
            for name in CATEGORIES
        ]
        context = {
            "overview": OVERVIEW,
            "version": version,
            "is_demo": version.is_demo,
            "demo_years": sorted(version.demo_years),
            "categories": categories,
            "unknown_parameters": describe_unknown(request.GET, ()),
            "calls": call_examples.get_json(API),
        }
        return render(request, "graphs/gallery.html", context)


class GraphPage(View):
    """The page of a graph: picture, form for a part of it, figures, and how they are computed."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest, endpoint: str) -> HttpResponse:
        answer = _answer(request, endpoint)
        form = PartForm(request.GET, answer)
        selection = form.selection()
        graph, version = answer.graph, answer.version
        query = _query(selection)
        context = {
            "graph": graph,
            "version": version,
            "form": form,
            "selection": selection,
            "series": [series for series in graph.series if series.name in selection.names],
            "is_demo": bool(selection.demo_years),
            "demo_years": selection.demo_years,
            "notes": selection.gaps,
            "notices": describe_unsettled(selection.years),
            "query": query,
            "permanent": f"{reverse('graph', args=[endpoint])}?{query}",
            "files": [(ending, _file(graph, ending, query)) for ending in _TYPES],
            "purposes": list(_siblings(graph, by="purpose")),
            "breakdowns": list(_siblings(graph, by="breakdown")),
            "calls": call_examples.get_json(f"{API}/{endpoint}"),
            "unknown_parameters": describe_unknown(request.GET, {*form.fields, "version"}),
        }
        return render(request, "graphs/graph.html", context)


class GraphFile(View):
    """The selected part of a graph as a file; `narrow` is for small screens."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest, endpoint: str, ending: str) -> HttpResponse:
        if ending not in _TYPES:
            raise Http404(f"A graph is not available as {ending[:20]}; choose {', '.join(_TYPES)}.")
        selection = PartForm(request.GET, _answer(request, endpoint)).selection()
        width = style.NARROW if "narrow" in request.GET else style.WIDTH
        saved = "save" in request.GET
        response = HttpResponse(
            _content(selection, ending, width, alone=saved), content_type=_TYPES[ending]
        )
        if saved:
            name = f"{endpoint}.{ending}"
            response["Content-Disposition"] = content_disposition_header(True, name) or ""
        cache_control = (
            f"public, max-age={_CACHE_SECONDS}" if request.GET.get("version") else "no-cache"
        )
        response["Cache-Control"] = cache_control
        return response


@dataclass(frozen=True)
class Sibling:
    """A graph that differs from the current one in one respect."""

    label: str
    endpoint: str
    is_current: bool


def _of_all_purposes() -> list[Graph]:
    return [graph for graph in GRAPHS if not graph.purpose.suffix]


def _siblings(graph: Graph, *, by: str) -> Iterator[Sibling]:
    if by == "purpose":
        graphs = [Graph(graph.measure, graph.breakdown, purpose) for purpose in PURPOSES]
    else:
        graphs = [
            Graph(graph.measure, breakdown, graph.purpose) for breakdown in graph.measure.breakdowns
        ]
    for sibling in graphs:
        label = getattr(sibling, by).label
        yield Sibling(label, sibling.endpoint, sibling.endpoint == graph.endpoint)


def _answer(request: HttpRequest, endpoint: str) -> Answer:
    """Return the graph of an address.

    Raises: Http404 for an unknown graph or version.
    """
    try:
        graph = answers.graph_of(endpoint)
        return answers.answer(graph, answers.version(number(request.GET.get("version"))))
    except Refusal as refusal:
        raise Http404(refusal.message) from refusal


def _query(selection: Selection) -> str:
    """Return the query of a permanent address: the version and the selected part."""
    parameters: dict[str, Any] = {}
    if selection.answer.version.number is not None:
        parameters["version"] = selection.answer.version.number
    if selection.quarters:
        parameters |= {"first": str(selection.quarters[0]), "last": str(selection.quarters[-1])}
    if len(selection.names) < len(selection.answer.series):
        parameters["series"] = selection.names
    return urlencode(parameters, doseq=True)


def _file(graph: Graph, ending: str, query: str) -> str:
    address = reverse("graph-file", kwargs={"endpoint": graph.endpoint, "ending": ending})
    return f"{address}?{query}"


def _content(selection: Selection, ending: str, width: int, *, alone: bool) -> str | bytes:
    if ending == "csv":
        return selection.csv()
    picture = selection.picture(alone=alone or ending == "png")
    return picture.png(width) if ending == "png" else picture.svg(width)
