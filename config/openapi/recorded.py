"""The examples of the OpenAPI document: requests and answers of a whole service.

`tests/flow/test_recorded_examples.py` records them. Each operation has a file, named by its id,
with its calls in the order of the document.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drf_spectacular.plumbing import build_examples_list
from drf_spectacular.utils import OpenApiExample

FOLDER = Path(__file__).with_name("recorded")
SUCCESS = range(200, 300)
JSON = "application/json", "*/*"  # some operations read JSON whatever its content type says


@dataclass(frozen=True)
class Call:
    """A request that was sent, and its answer. request: only of a JSON body."""

    name: str
    status: int
    media: str
    answer: Any
    request: Any = None


def calls_of(operation: str) -> Iterator[Call]:
    """Yield the recorded calls of an operation."""
    file = FOLDER / f"{operation}.json"
    for call in json.loads(file.read_text()) if file.is_file() else ():
        yield Call(**call)


def answer_content(operation: Mapping[str, Any], call: Call) -> dict[str, Any] | None:
    """Return the description of an answer, by its status and media type; none without one.

    A description with one media type is that of any answer with the status.
    """
    content = operation["responses"].get(str(call.status), {}).get("content", {})
    described = content.get(call.media)
    return described or (next(iter(content.values())) if len(content) == 1 else None)


def request_content(operation: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the description of the JSON body of an operation; none without one."""
    content = operation.get("requestBody", {}).get("content", {})
    return next((content[media] for media in JSON if media in content), None)


def add_recorded_examples(
    result: dict[str, Any], generator: Any, request: Any, public: bool
) -> dict[str, Any]:
    """Return the document with the recorded examples of its operations."""
    for operations in result["paths"].values():
        for operation in operations.values():
            for call in calls_of(operation["operationId"]):
                _add(operation, call)
    return result


def _add(operation: Mapping[str, Any], call: Call) -> None:
    if (described := answer_content(operation, call)) is not None:
        _add_value(described, call.name, call.answer)
    # A body that was refused is no example of what to send.
    if call.request is not None and call.status in SUCCESS:
        described = request_content(operation)
        if described is not None and call.request not in values(described):
            _add_value(described, call.name, call.request)


def values(described: Mapping[str, Any]) -> list[Any]:
    """Return the examples in the description of a body."""
    return [example["value"] for example in described.get("examples", {}).values()]


def _add_value(described: dict[str, Any], name: str, value: Any) -> None:
    examples = build_examples_list([OpenApiExample(name, value=value)])
    described["examples"] = described.get("examples", {}) | examples
