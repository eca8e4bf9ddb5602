"""The views of the graphs API: the list of graphs, and the figures of one."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.public import PublicView
from filing.errors import BadInput
from filing.files import conditional
from graphs import answers, openapi
from graphs import serializers as shapes
from graphs.answers import Version
from graphs.catalogue import GRAPHS, OVERVIEW

_LONGEST_NUMBER = 9


class GraphView(PublicView):
    """A view that answers from one version, with its ETag."""

    def answered(self, version: Version, about: str, content: Any) -> Any:
        """Return the result of `content`, or 304 if the caller already has it."""
        etag = version.etag(about)
        return conditional.answered(self.request, etag, lambda: Response(content()))


class Graphs(GraphView):
    """The list of graphs."""

    @openapi.graphs
    def get(self, request: Request) -> Any:
        version = answers.version(number(request.query_params.get("version")))
        graph_list = {"overview": OVERVIEW, "notes": version.notes, "graphs": GRAPHS}
        return self.answered(version, "list", lambda: shapes.GraphList(graph_list).data)


class GraphFigures(GraphView):
    """The figures of one graph."""

    @openapi.graph
    def get(self, request: Request, endpoint: str) -> Any:
        graph = answers.graph_of(endpoint)
        version = answers.version(number(request.query_params.get("version")))
        return self.answered(
            version, endpoint, lambda: shapes.GraphData(answers.answer(graph, version)).data
        )


def number(text: str | None) -> int | None:
    """Return the number of a version, or None if none is given.

    Raises: BadInput when it is not a number.
    """
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER):
        raise BadInput(f"version is {text[:20]!r}; enter the number of a version, such as 12.")
    return int(text)
