"""The API document for programs, and the API reference: the same as a page without a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby
from typing import Any

from django.views.generic import TemplateView
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.response import Response

Schema = Mapping[str, Any]
FIRST = "Filing", "Quarterly filing", "Public verification"  # groups in order; others follow
# The library resolves the classes that its extensions name at first use, which two threads at once
# do not survive.
_GENERATING = threading.Lock()


class ApiDocument(SpectacularJSONAPIView):
    """Returns the API document, made by one request at a time."""

    def _get_schema_response(self, request: Any) -> Response:
        with _GENERATING:
            return super()._get_schema_response(request)


class ApiReference(TemplateView):
    """Every call of the API and the shape of every response."""

    template_name = "api/reference.html"

    def get_context_data(self, **options: Any) -> dict[str, Any]:
        """Return the groups of operations, and the shapes they name."""
        return super().get_context_data(**options, **reference_context())


@cache
def reference_context() -> dict[str, Any]:
    """Return the context of the page. It changes with the code only."""
    document = SchemaGenerator().get_schema(request=None, public=True)
    operations = sorted(_operations(document), key=_position)
    return {
        "title": document["info"]["title"],
        "about": document["info"]["description"],
        "groups": [
            {"name": name, "operations": list(group)}
            for name, group in groupby(operations, key=lambda operation: operation["group"])
        ],
        "shapes": [
            _shape(name, schema)
            for name, schema in sorted(document["components"]["schemas"].items())
        ],
    }


def _position(operation: Mapping[str, Any]) -> tuple[int, str]:
    group = operation["group"]
    return (FIRST.index(group) if group in FIRST else len(FIRST), group)


def _operations(document: Schema) -> Iterator[dict[str, Any]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield {
                "id": operation["operationId"],
                "group": operation["tags"][0],
                "method": method.upper(),
                "path": path,
                "summary": operation.get("summary", ""),
                "description": operation.get("description", ""),
                "needs_token": any(operation.get("security", ())),
                "parameters": [
                    _parameter(parameter) for parameter in operation.get("parameters", ())
                ],
                "bodies": list(_bodies(operation.get("requestBody", {}))),
                "answers": [
                    _answer(status, answer)
                    for status, answer in sorted(operation["responses"].items())
                ],
            }


def _parameter(parameter: Schema) -> dict[str, Any]:
    return {
        "name": parameter["name"],
        "place": parameter["in"],
        "required": parameter.get("required", False),
        "description": parameter.get("description", ""),
        "kind": _kind(parameter["schema"]),
    }


def _bodies(body: Schema) -> Iterator[dict[str, Any]]:
    for media, content in body.get("content", {}).items():
        schema = content["schema"]
        fields = [] if "$ref" in schema else _properties(schema)
        yield {"media": media, "kind": _kind(schema), "fields": fields, **_example(content)}


def _answer(status: str, answer: Schema) -> dict[str, Any]:
    none: tuple[str, Schema] = "", {}
    media, content = next(iter(answer.get("content", {}).items()), none)
    return {
        "status": status,
        "description": answer.get("description", ""),
        "media": media,
        "kind": _kind(content["schema"]) if "schema" in content else None,
        **_example(content),
    }


def _example(content: Schema) -> dict[str, str]:
    examples = list(content.get("examples", {}).values())
    if not examples:
        return {"example": ""}
    value = examples[0]["value"]
    return {"example": value if isinstance(value, str) else json.dumps(value, indent=2)}


def _shape(name: str, schema: Schema) -> dict[str, Any]:
    choices = " or ".join(f"`{_kind(choice)['shape']}`" for choice in schema.get("oneOf", ()))
    return {
        "name": name,
        "description": schema.get("description", "") or choices,
        "values": [str(value) for value in schema.get("enum", ())],
        "fields": _properties(schema),
    }


def _properties(schema: Schema) -> list[dict[str, Any]]:
    required = schema.get("required", ())
    return [
        {
            "name": name,
            "required": name in required,
            "description": field.get("description", ""),
            "kind": _kind(field),
        }
        for name, field in schema.get("properties", {}).items()
    ]


def _kind(schema: Schema) -> dict[str, str]:
    """Return the kind of a value in words, and the name of its shape, if it has one."""
    nullable = " or null" if schema.get("nullable") else ""
    for wrapped in ("allOf", "oneOf"):
        if wrapped in schema:
            inner = [_kind(choice) for choice in schema[wrapped]]
            return {**inner[0], "after": nullable or inner[0]["after"]}
    if "$ref" in schema:
        return {"words": "", "shape": schema["$ref"].rpartition("/")[2], "after": nullable}
    if schema.get("type") == "array":
        inner_kind = _kind(schema["items"])
        return {**inner_kind, "words": f"list of {inner_kind['words']}".strip() + " "}
    words = schema.get("type", "any value")
    if schema.get("format"):
        words = f"{words} ({schema['format']})"
    if values := [str(value) for value in schema.get("enum", ()) if value is not None]:
        words = f"{words}: {', '.join(values)}"
    return {"words": words, "shape": "", "after": nullable}
