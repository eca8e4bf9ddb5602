"""The recorded examples have the shapes that the API document gives, and none is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from config.openapi import document
from config.openapi.document import RecordedCall
from tests.api_document import api_document

NAMES = sorted(path.stem for path in document.RECORDED.glob("*.json"))
READABLE = ("application/json", "text/csv", "text/plain")
# The document shows CSV at addresses without a format, which answer with pipes.
NEVER_ANSWERED = {
    ("downloadAModifiedLar", "200", "text/csv"),
    ("downloadAModifiedLarWithItsHeader", "200", "text/csv"),
}
# A service would have to be overloaded for them, a line be lost, or two programs act at the same
# moment.
NOT_RECORDED = ["Busy"], ["Interrupted"], ["TooManyRequests"], ["SeasonClock"], ["ChangedMeanwhile"]
# One more key has the invalid values.
OPEN_SHAPES = {"BrowserError"}


@cache
def described_operations() -> dict[str, dict[str, Any]]:
    return {
        operation["operationId"]: operation
        for operations in api_document()["paths"].values()
        for operation in operations.values()
    }


def recorded_calls(name: str) -> list[RecordedCall]:
    """Return the recorded calls of an operation by its id."""
    (path,) = (
        path
        for path, operations in api_document()["paths"].items()
        if name in {operation["operationId"] for operation in operations.values()}
    )
    return list(document.recorded_calls(name, path))


def strict(schema: Any) -> Any:
    """Return a schema of the document for a checker: null where allowed, no unknown fields."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    checked = {key: strict(value) for key, value in schema.items() if key != "nullable"}
    if isinstance(schema.get("properties"), dict):
        checked.setdefault("additionalProperties", False)
    return {"anyOf": [checked, {"type": "null"}]} if schema.get("nullable") is True else checked


@cache
def components() -> dict[str, Any]:
    """Return the shapes of the document for a checker."""
    shapes: dict[str, Any] = strict(api_document()["components"])
    for name in OPEN_SHAPES:
        shapes["schemas"][name]["additionalProperties"] = True
    return shapes


def check(value: Any, schema: Mapping[str, Any]) -> None:
    """Require that a value has a shape; schemas of OpenAPI 3.0 are of this draft."""
    jsonschema.Draft4Validator({**strict(schema), "components": components()}).validate(value)


def readable_bodies() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Yield operation, status, media type and description of each answer that people can read."""
    for name, operation in described_operations().items():
        for status, answer in operation["responses"].items():
            for media, described in answer.get("content", {}).items():
                if media in READABLE and (name, status, media) not in NEVER_ANSWERED:
                    yield name, status, media, described


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_has_the_shapes_of_its_operation_and_is_in_the_document(name: str) -> None:
    operation = described_operations()[name]
    for call in recorded_calls(name):
        answer = document.answer_content(operation, call)
        assert answer is not None, f"The document has no answer {call.status} {call.media}."
        check(call.answer, answer["schema"])
        assert call.answer in document.example_values(answer)
        body = document.request_content(operation)
        if call.request is not None and call.status in document.SUCCESS:
            assert body is not None
            check(call.request, body["schema"])
            assert call.request in document.example_values(body)


def test_every_answer_that_people_can_read_has_a_recorded_example() -> None:
    missing = [
        (name, status, media)
        for name, status, media, described in readable_bodies()
        if list(described.get("examples", ())) not in NOT_RECORDED
        and not any(is_of(call, status, described) for call in recorded_calls(name))
    ]
    assert not missing


def is_of(call: RecordedCall, status: str, described: Mapping[str, Any]) -> bool:
    return str(call.status) == status and call.answer in document.example_values(described)


@pytest.mark.parametrize(
    ("recorded", "answers", "bodies"),
    [
        pytest.param({}, [], [], id="nothing"),
        pytest.param({"200": {"id": 1}}, [{"id": 1}], [], id="an answer alone"),
        pytest.param(
            {"200": [{"id": 1}, {"name": "Other", "answer": {"id": 2}}]},
            [{"id": 1}, {"id": 2}],
            [],
            id="several",
        ),
        pytest.param(
            {"200": {"request": {"id": None}, "answer": {"answer": 1}}},
            [{"answer": 1}],
            [{"id": None}],
            id="with a request",
        ),
        pytest.param(
            {"200": [{"name": name, "request": {"id": 1}, "answer": {}} for name in "ab"]},
            [{}, {}],
            [{"id": 1}],
            id="the same request again",
        ),
        pytest.param({"404": "There is none"}, [], [], id="a refusal that is not described"),
        pytest.param(
            {"200": {"media": "text/csv", "answer": "id\n1\n"}}, ["id\n1\n"], [], id="a file"
        ),
    ],
)
def test_calls_become_examples_of_the_answers_and_bodies_of_their_operation(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    recorded: dict[str, Any],
    answers: list[Any],
    bodies: list[Any],
) -> None:
    answer: dict[str, Any] = {"schema": {}}
    body: dict[str, Any] = {"schema": {}}
    operation = {
        "operationId": "getIt",
        "requestBody": {"content": {"application/json": body}},
        "responses": {"200": {"content": {"application/json": answer}}},
    }
    (tmp_path / "getIt.json").write_text(json.dumps(recorded))
    monkeypatch.setattr(document, "RECORDED", tmp_path)
    document.add_recorded_examples({"paths": {"/it": {"get": operation}}}, None, None, True)
    assert (document.example_values(answer), document.example_values(body)) == (answers, bodies)
