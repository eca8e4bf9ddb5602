"""The tools for assistants: each answers a question of the data browser API and changes nothing.

Arguments are the parameters of the API, so that both are read and refused by the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import QueryDict
from django.urls import reverse

from databrowser.api import serializers as shapes
from databrowser.dimensions.catalogue import BY_PARAMETER, FILTERS, PLACES
from databrowser.dimensions.groupings import GROUPINGS
from databrowser.pages import choices
from databrowser.pages.parameters import describe_value
from databrowser.publication import serving
from databrowser.query import chosen_versions, totals
from databrowser.query.figure_questions import (
    MOST_GROUPINGS,
    PARAMETERS,
    PeerGroup,
    ShareBase,
    read_figure_question,
)
from databrowser.query.figures import compute_figures
from databrowser.query.measures import MEASURES
from databrowser.query.questions import MOST_VALUES, Question
from filing.errors import BadInput

Answer = dict[str, Any]
Schema = dict[str, Any]
_LONGEST_WORDS = 100  # as in the form of the page


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. properties: the JSON Schema of each argument. answer: takes them as a query string.

    required: the arguments without which it is refused.
    """

    name: str
    title: str
    description: str
    properties: Mapping[str, Schema]
    answer: Callable[[QueryDict], Answer]
    required: tuple[str, ...] = ()

    def describe(self) -> Schema:
        """Return the tool as a list of tools shows it."""
        schema = {
            "type": "object",
            "properties": dict(self.properties),
            "required": list(self.required),
            "additionalProperties": False,
        }
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": schema,
            "annotations": {
                "readOnlyHint": True,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        }

    def call(self, arguments: Mapping[str, Any]) -> Answer:
        """Return its answer. Raises: Refusal."""
        if unknown := sorted(arguments.keys() - self.properties.keys()):
            raise BadInput(
                f"{self.name} has no argument {', '.join(unknown)}; "
                f"it has {', '.join(self.properties) or 'none'}."
            )
        query = QueryDict(mutable=True)
        for name, value in arguments.items():
            values = value if isinstance(value, list) else [value]
            query.setlist(name, [str(each) for each in values])
        return self.answer(query)


def _list_data_sets(query: QueryDict) -> Answer:
    live = serving.live_data_sets()
    return {
        "dataSets": shapes.LiveDataSet(live, many=True).data,
        "page": f"{settings.PUBLIC_URL}{reverse('data-browser')}",
        "files": f"{settings.PUBLIC_URL}{reverse('data-downloads')}",
    }


def _describe_questions(query: QueryDict) -> Answer:
    return {
        "measures": {
            measure.name: {
                "label": measure.label,
                "unit": measure.unit,
                "definition": measure.definition,
                "records": measure.base,
            }
            for measure in MEASURES.values()
        },
        "by": {grouping.parameter: grouping.label for grouping in GROUPINGS.values()},
        "places": {place.parameter: place.accepts for place in PLACES},
        "filters": {
            each.parameter: {
                "label": each.label,
                "values": {value: describe_value(each, value) for value in each.values},
            }
            for each in FILTERS
        },
    }


def _find_places(query: QueryDict) -> Answer:
    words = query.get("find", "").strip()
    if not 0 < len(words) <= _LONGEST_WORDS:
        raise BadInput(
            f"find must have 1 to {_LONGEST_WORDS} letters: part of the name of a county, an "
            "MSA/MD or a lender."
        )
    live = serving.live_data_sets()
    question = Question(tuple(data_set.year for data_set in live))
    return {
        "matches": [
            {
                "parameter": place.dimension.parameter,
                "value": place.value,
                "name": place.label,
                "records": place.rows,
            }
            for place in choices.matching_places(words, question, live)
        ]
    }


def _compute_figures(query: QueryDict) -> Answer:
    figure_question, live = chosen_versions.read_with_data_sets(query, read_figure_question)
    table = compute_figures(figure_question, live)
    data_sets = totals.data_sets_of(figure_question.question, live)
    parameters = {name: ",".join(query.getlist(name)) for name in query}
    return {
        **shapes.figure_report(figure_question, table, data_sets),
        "page": f"{settings.PUBLIC_URL}{reverse('data-browser')}?{urlencode(parameters, safe=',')}",
    }


def _values(of: str, values: tuple[str, ...] = (), *, most: int = MOST_VALUES) -> Schema:
    items: Schema = {"type": "string"} | ({"enum": list(values)} if values else {})
    return {"type": "array", "items": items, "description": of, "maxItems": most}


_QUESTION: dict[str, Schema] = {
    "years": _values("Data years; pooled unless `by` has years."),
    "measure": {"type": "string", "enum": list(MEASURES), "description": "What is computed."},
    "by": _values(
        "What makes groups: rows, columns, tables.", tuple(GROUPINGS), most=MOST_GROUPINGS
    ),
    "base": {"type": "string", "enum": [*ShareBase], "description": "What shares are of."},
    "peers": {
        "type": "string",
        "enum": [*PeerGroup],
        "description": "Compare the lender in `leis` with its peers.",
    },
    **{
        name: _values(
            f"{dimension.label}; {dimension.accepts}" if not dimension.values else dimension.label,
            dimension.values,
        )
        for name, dimension in BY_PARAMETER.items()
    },
    "version": _values("Versions that were published once, such as 2023-4."),
}
assert set(PARAMETERS) < set(_QUESTION)

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "list_data_sets",
            "Published data sets",
            "Lists the published years of HMDA data with their versions and numbers of records.",
            {},
            _list_data_sets,
        ),
        Tool(
            "describe_questions",
            "What can be asked",
            "Lists the measures with their definitions, what figures can be given by, and every "
            "data filter with the meanings of its values.",
            {},
            _describe_questions,
        ),
        Tool(
            "find_places_and_lenders",
            "Find a place or lender",
            "Finds counties, MSA/MDs and lenders by a part of their name; gives the parameter and "
            "value to filter by.",
            {"find": {"type": "string", "maxLength": _LONGEST_WORDS}},
            _find_places,
            ("find",),
        ),
        Tool(
            "compute_figures",
            "Compute figures",
            "Computes a measure of the public loan records of some years, places, lenders and "
            "filters, by up to three groupings, with totals, the definition and the versions of "
            "the data, and the address of the page that shows the same. HMDA data alone cannot "
            "show whether a lender complies with fair lending laws.",
            _QUESTION,
            _compute_figures,
            ("years",),
        ),
    )
}
