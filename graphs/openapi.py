"""The OpenAPI descriptions of the graphs: one decorator per operation."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema

from filing.api.openapi import refused
from filing.files.openapi import IF_NONE_MATCH, UNCHANGED
from graphs import serializers as shapes
from graphs.catalogue import GRAPHS

TAG = "Quarterly graphs"
_VERSION = OpenApiParameter(
    "version",
    int,
    description="The number of a version, for figures that never change; if left out, the version "
    "shown now.",
)
_BAD_VERSION = refused("version is 'new'; enter the number of a version, such as 12.")
_NO_VERSION = "There is no version 99 of the graphs; leave it out for the one shown now."


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
        200: shapes.GraphList,
        404: refused(_NO_VERSION),
    },
    parameters=[_VERSION, IF_NONE_MATCH],
    description=f"All {len(GRAPHS)} graphs by category, those of one purpose after the others.",
)
graph = _operation(
    "Get a graph",
    {
        200: shapes.GraphData,
        404: refused(
            "'xyz' is an unknown graph; enter one of applications, all-applications, loans, ...",
            _NO_VERSION,
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
