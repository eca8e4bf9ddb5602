"""The pages of the graphs: a gallery by category, one page per graph, its form and its files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.safestring import SafeString
from django.views.generic import View

from filing.charts import drawing, figures, theme
from filing.errors import Refusal
from filing.files import workbook_files
from filing.lar.years import describe_unsettled
from filing.pages import tool_pages
from filing.requests import describe_unknown_parameters
from graphs import answers
from graphs.answers import GraphWithFigures
from graphs.api import parse_version_number
from graphs.catalogue import CATEGORIES, GRAPHS, OVERVIEW, Graph
from graphs.pictures import GraphSelection, select_part
from graphs.quarters import Quarter
from graphs.rules import PURPOSES

API = "/quarterly-data/graphs"
_TYPES = {
    "csv": "text/csv; charset=UTF-8",
    "xlsx": workbook_files.XLSX,
    "svg": "image/svg+xml",
    "png": "image/png",
}
_LAST_QUARTERS = 8
_CACHE_SECONDS = 3600  # in browsers; a version never changes


class GalleryPage(View):
    """The gallery of all graphs by category."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        version = answers.find_version()
        graphs = [graph for graph in GRAPHS if not graph.purpose.suffix]
        categories = [
            {
                "name": name,
                "graphs": [graph for graph in graphs if graph.measure.category == name],
            }
            for name in CATEGORIES
        ]
        context = {
            "overview": OVERVIEW,
            "version": version,
            "is_demo": version.is_demo,
            "demo_years": sorted(version.demo_years),
            "categories": categories,
            "unknown_parameters": describe_unknown_parameters(request.GET, ()),
            "calls": tool_pages.build_get_examples(API),
        }
        return render(request, "graphs/gallery.html", context)


class GraphPage(View):
    """The page of a graph: picture, form for a part of it, figures, and how they are computed."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest, endpoint: str) -> HttpResponse:
        answer = _answer(request, endpoint)
        form = GraphPartForm(request.GET, answer)
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
            "chart": _chart(selection) if selection.names else "",
            "periods": list(_periods(selection)),
            "permanent": _permanent_address(selection),
            "files": [(ending, _file(graph, ending, query)) for ending in _TYPES],
            "purposes": list(_siblings(graph, by="purpose")),
            "breakdowns": list(_siblings(graph, by="breakdown")),
            "calls": tool_pages.build_get_examples(f"{API}/{endpoint}"),
            "unknown_parameters": describe_unknown_parameters(
                request.GET, {*form.fields, "version"}
            ),
        }
        return render(request, "graphs/graph.html", context)


class GraphFilePage(View):
    """The selected part of a graph as a file; `narrow` is for small screens."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest, endpoint: str, ending: str) -> HttpResponse:
        if ending not in _TYPES:
            raise Http404(f"A graph is not available as {ending[:20]}; choose {', '.join(_TYPES)}.")
        selection = GraphPartForm(request.GET, _answer(request, endpoint)).selection()
        size = drawing.TREND_NARROW if "narrow" in request.GET else drawing.TREND_WIDE
        saved = "save" in request.GET
        response = HttpResponse(
            _content(selection, ending, size, alone=saved), content_type=_TYPES[ending]
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
class SiblingGraph:
    """A graph that differs from the current one in one respect."""

    label: str
    endpoint: str
    is_current: bool


def _siblings(graph: Graph, *, by: str) -> Iterator[SiblingGraph]:
    if by == "purpose":
        graphs = [Graph(graph.measure, graph.breakdown, purpose) for purpose in PURPOSES]
    else:
        graphs = [
            Graph(graph.measure, breakdown, graph.purpose) for breakdown in graph.measure.breakdowns
        ]
    for sibling in graphs:
        label = getattr(sibling, by).label
        yield SiblingGraph(label, sibling.endpoint, sibling.endpoint == graph.endpoint)


def _answer(request: HttpRequest, endpoint: str) -> GraphWithFigures:
    """Return the graph of an address.

    Raises: Http404 for an unknown graph or version.
    """
    try:
        graph = answers.find_graph(endpoint)
        return answers.read_graph(
            graph, answers.find_version(parse_version_number(request.GET.get("version")))
        )
    except Refusal as refusal:
        raise Http404(refusal.message) from refusal


def _chart(selection: GraphSelection) -> SafeString:
    """Return the picture for the page, and from which version it is."""
    picture, version = selection.picture(), selection.answer.version
    return figures.build_chart_figure(
        picture.svg(),
        narrow=picture.svg(drawing.TREND_NARROW),
        caption=f"{'Demo: made up. ' if selection.demo_years else ''}Version {version.number}, "
        f"computed {version.made_at:%Y-%m-%d}.",
        form="part",
    )


@dataclass(frozen=True)
class PeriodLink:
    """A link to a period of time. query: of its address, with the selected lines."""

    label: str
    query: str
    is_current: bool


def _periods(selection: GraphSelection) -> Iterator[PeriodLink]:
    every = selection.answer.quarters
    for label, quarters in (
        ("All quarters", every),
        (f"Last {_LAST_QUARTERS} quarters", every[-_LAST_QUARTERS:]),
    ):
        part = replace(selection, quarters=quarters)
        yield PeriodLink(label, _query(part), quarters == selection.quarters)


def _query(selection: GraphSelection) -> str:
    """Return the query of a permanent address: the version and the selected part."""
    parameters: dict[str, Any] = {}
    if selection.answer.version.number is not None:
        parameters["version"] = selection.answer.version.number
    if selection.quarters:
        parameters |= {"first": str(selection.quarters[0]), "last": str(selection.quarters[-1])}
    if len(selection.names) < len(selection.answer.series):
        parameters["series"] = selection.names
    return urlencode(parameters, doseq=True)


def _permanent_address(selection: GraphSelection) -> str:
    return f"{reverse('graph', args=[selection.answer.graph.endpoint])}?{_query(selection)}"


def _file(graph: Graph, ending: str, query: str) -> str:
    address = reverse("graph-file", kwargs={"endpoint": graph.endpoint, "ending": ending})
    return f"{address}?{query}"


def _content(
    selection: GraphSelection, ending: str, size: tuple[int, int], *, alone: bool
) -> str | bytes:
    if ending == "csv":
        return selection.csv()
    if ending == "xlsx":
        with selection.workbook(f"{settings.PUBLIC_URL}{_permanent_address(selection)}") as file:
            return file.read()
    picture = selection.picture(alone=alone or ending == "png")
    if ending == "png":
        return picture.png(size)
    return picture.svg(size) if alone else theme.follow_reader(picture.svg(size))


class GraphPartForm(forms.Form):
    """The quarters and the lines to show; all of them by default."""

    first = forms.ChoiceField(label="From", required=False)
    last = forms.ChoiceField(label="To", required=False)
    series = forms.MultipleChoiceField(
        label="Lines", required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, parameters: QueryDict, answer: GraphWithFigures) -> None:
        super().__init__(parameters if {"first", "last", "series"} & set(parameters) else None)
        self.answer = answer
        quarters = [(str(quarter), str(quarter)) for quarter in answer.quarters]
        names = [(line.name, line.name) for line in answer.series]
        fields: dict[str, Any] = self.fields
        fields["first"].choices = fields["last"].choices = quarters
        fields["series"].choices = names
        if quarters:
            self.initial = {
                "first": quarters[0][0],
                "last": quarters[-1][0],
                "series": [name for name, _ in names],
            }

    @property
    def time_fields(self) -> list[forms.BoundField]:
        """The fields of the first and the last quarter."""
        return [self["first"], self["last"]]

    def selection(self) -> GraphSelection:
        """Return the selected part of the graph; reversed quarters are put in order.

        Values that are not among the choices are ignored.
        """
        values: dict[str, Any] = {}
        if self.is_bound:
            self.is_valid()
            values = self.cleaned_data
        ends = [Quarter.named(values.get(name) or "") for name in ("first", "last")]
        if all(ends):
            ends.sort()
        return select_part(
            self.answer, names=values.get("series") or (), first=ends[0], last=ends[1]
        )
