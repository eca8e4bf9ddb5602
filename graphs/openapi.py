"""The OpenAPI descriptions of the graphs: one decorator per operation."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from filing.api.openapi import refused
from filing.files.openapi import IF_NONE_MATCH, UNCHANGED
from graphs import serializers as shapes
from graphs.catalogue import BY_ENDPOINT, GRAPHS, OVERVIEW
from graphs.notes import DEMO, NOTHING_YET

TAG = "Quarterly graphs"
_PATH = "/quarterly-data/graphs"
_VERSION = OpenApiParameter(
    "version",
    int,
    description="The number of a version, for figures that never change; if left out, the version "
    "shown now.",
)
_BAD_VERSION = refused(
    400, "version is 'new'; enter the number of a version, such as 12.", path=_PATH
)
_NO_VERSION = "There is no version 99 of the graphs; leave it out for the one shown now."
_APPLICATIONS = BY_ENDPOINT["applications"]
_ENTRY = {
    "category": _APPLICATIONS.measure.category,
    "endpoint": _APPLICATIONS.endpoint,
    "title": _APPLICATIONS.title,
}
_GRAPH = {
    "title": _APPLICATIONS.title,
    "subtitle": _APPLICATIONS.subtitle,
    "series": [
        {
            "name": "Conventional Conforming",
            "updated": "2024-11-21",
            "coordinates": [{"x": "2024-Q1", "y": 1200.0}, {"x": "2024-Q2", "y": 1180.0}],
        },
        {
            "name": "FHA",
            "updated": "2024-11-21",
            "coordinates": [{"x": "2024-Q1", "y": 340.0}],
        },
    ],
    "xLabel": "Year Quarter",
    "yLabel": _APPLICATIONS.measure.y_label,
    "decimalPrecision": 0,
    "version": 12,
    "notes": ["FHA, 2024-Q2: fewer than 100 records in a quarter, so no figure is shown."],
}


def _operation(summary: str, responses: dict[Any, Any], **options: Any) -> Any:
    return extend_schema(
        summary=summary,
        tags=[TAG],
        auth=[],
        responses={**responses, 304: UNCHANGED, 400: _BAD_VERSION},
        **options,
    )


graphs = _operation(
    "List the graphs",
    {
        200: OpenApiResponse(
            shapes.GraphList,
            examples=[
                OpenApiExample(
                    "The first graph",
                    value={"overview": OVERVIEW, "notes": [DEMO], "graphs": [_ENTRY]},
                )
            ],
        ),
        404: refused(404, _NO_VERSION, path=_PATH),
    },
    parameters=[_VERSION, IF_NONE_MATCH],
    description=f"All {len(GRAPHS)} graphs by category, those of one purpose after the others.",
)
graph = _operation(
    "Get a graph",
    {
        200: OpenApiResponse(
            shapes.GraphData,
            examples=[
                OpenApiExample("Figures", value=_GRAPH),
                OpenApiExample(
                    "Nothing yet",
                    value={**_GRAPH, "series": [], "version": None, "notes": [NOTHING_YET]},
                ),
            ],
        ),
        404: refused(
            404,
            "'xyz' is an unknown graph; enter one of applications, all-applications, loans, ...",
            _NO_VERSION,
            path=f"{_PATH}/xyz",
        ),
    },
    parameters=[
        OpenApiParameter(
            "endpoint",
            str,
            OpenApiParameter.PATH,
            enum=[graph.endpoint for graph in GRAPHS],
            description="The endpoint of a graph, as listed.",
        ),
        _VERSION,
        IF_NONE_MATCH,
    ],
    description=(
        "The lines of a graph with their points by quarter, ascending. Quarters with fewer than "
        "100 records and lines without points are left out; `notes` says why. `series` is empty "
        "until the first data are published."
    ),
)
