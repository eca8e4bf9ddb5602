"""The recorded examples have the shapes that the API document gives, and none is missing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.conf import settings

from config.openapi import document
from config.openapi.document import RecordedCall
from filing.api.value_schemas import AT_LEAST_ONE_OF
from tests.api_document import api_document
from tests.flow.recorded_text import ITEMS, MOST_CHARACTERS

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


def test_every_answer_that_people_can_read_shows_an_example() -> None:
    assert not [
        (name, status, media)
        for name, status, media, described in readable_bodies()
        if not described.get("examples")
    ]


def test_every_body_has_one_media_type_as_programs_that_make_clients_need() -> None:
    bodies = [
        (name, *operation["requestBody"]["content"])
        for name, operation in described_operations().items()
        if "requestBody" in operation
    ]
    assert {len(each) for each in bodies} == {2}
    assert {media for _, media in bodies} == {
        *("application/json", "multipart/form-data", "application/offset+octet-stream")
    }


def test_every_text_of_a_caller_has_its_rule() -> None:
    """Of headers those of HTTP itself have none; a file is any bytes."""
    ruleless = [
        (operation["operationId"], name)
        for operation in described_operations().values()
        for name, schema in list_sent_values(operation)
        if schema.get("type") == "string"
        if not schema.keys() & {"pattern", "enum", "format"}
    ]
    assert {name for _, name in ruleless} <= {"If-None-Match", "Range"}


def list_sent_values(operation: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each value that a caller sends to an operation, by name, with its schema."""
    for parameter in operation.get("parameters", ()):
        yield parameter["name"], parameter["schema"]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = content["schema"]
        shape = api_document()["components"]["schemas"].get(schema.get("$ref", "").split("/")[-1])
        for name, value in (shape or schema).get("properties", {}).items():
            yield name, value.get("items", value)


def test_what_the_rules_of_a_caller_say() -> None:
    """A few of them, as they must be: a year, a filter, a line, a key."""
    values = {
        (operation["operationId"], name): schema.get("pattern", "")
        for operation in described_operations().values()
        for name, schema in list_sent_values(operation)
    }

    def accepts(operation: str, name: str, value: str) -> bool:
        return bool(re.search(values[operation, name], value))

    assert accepts("startAFiling", "year", "2018")
    assert accepts("startAFiling", "year", "2031")
    assert not accepts("startAFiling", "year", "2017")
    assert not accepts("startAFilingOfAQuarter", "year", "2019")
    assert accepts("aggregateLoansOfPlaces", "years", "2018,2022")
    assert not accepts("aggregateLoansOfPlaces", "years", "2018;2022")
    assert accepts("aggregateLoansOfPlaces", "loan_products", "Conventional:First Lien")
    assert not accepts("aggregateLoansOfPlaces", "states", "CA,XX")
    assert accepts("validateALoan", "lar", "|" * 109)
    assert not accepts("validateALoan", "lar", "|" * 108)
    assert accepts("signASubmission", "Idempotency-Key", "a key")
    assert not accepts("signASubmission", "Idempotency-Key", "")
    assert not accepts("addAWebhook", "url", "http://bank.example/hmda")


def test_an_operation_names_parameters_of_which_it_needs_one() -> None:
    needed = {
        operation["operationId"]: operation.get(AT_LEAST_ONE_OF, [])
        for operation in described_operations().values()
    }
    places = ["states", "msamds", "counties", "leis"]
    assert needed["countLoansOfPlaces"] == [places]
    assert [len(group) for group in needed["aggregateLoansOfPlaces"]] == [4, 12]
    assert [len(group) for group in needed["aggregateLoansNationwide"]] == [12]
    assert needed["listInstitutionsWithLoans"] == []


def test_it_names_the_address_of_the_site() -> None:
    assert api_document()["servers"] == [{"url": settings.PUBLIC_URL}]


def test_every_operation_but_that_of_the_health_says_how_it_refuses_too_many_requests() -> None:
    for name, operation in described_operations().items():
        headers = operation["responses"].get("429", {}).get("headers", {})
        assert ({"Retry-After", "RateLimit"} <= headers.keys()) is (name != "health")


def test_every_operation_that_reads_a_whole_body_says_how_it_answers_one_that_stops() -> None:
    for name, operation in described_operations().items():
        body = operation.get("requestBody", {}).get("content", {})
        is_whole = bool(body) and "application/offset+octet-stream" not in body
        assert ("408" in operation["responses"]) is is_whole, name


@pytest.mark.parametrize("value", [{}, {"unknown": 1}, "text"])
def test_an_example_of_another_shape_is_seen(value: Any) -> None:
    with pytest.raises(jsonschema.ValidationError):
        check(value, {"$ref": "#/components/schemas/SignReceipt"})


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


@pytest.mark.parametrize(
    ("path", "status", "answer"),
    [
        ("/v2/filing/periods/{year}", 404, {"httpStatus": 404, "path": "/periods/{year}"}),
        ("/v2/filing/periods/{year}", 401, {"httpStatus": 401, "path": ""}),
        ("/v2/data-browser-api/view/{form}", 404, {"errorType": "not-found"}),
    ],
)
def test_a_refusal_is_recorded_by_its_message(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    path: str,
    status: int,
    answer: dict[str, Any],
) -> None:
    (tmp_path / "getIt.json").write_text(json.dumps({str(status): "There is none"}))
    monkeypatch.setattr(document, "RECORDED", tmp_path)
    (call,) = document.recorded_calls("getIt", path)
    assert (call.status, call.media, call.request) == (status, "application/json", None)
    assert call.name == answer.get("errorType", "There is none")
    assert call.answer == {
        **answer,
        "message": "There is none",
        "requestId": document.REQUEST_ID,
    }


def test_an_example_is_short() -> None:
    """Two items of a list, and no body over 3 kB."""
    answers = {name: [call.answer for call in recorded_calls(name)] for name in NAMES}
    assert not [
        name
        for name, each in answers.items()
        if max(len(answer if isinstance(answer, str) else json.dumps(answer)) for answer in each)
        > MOST_CHARACTERS
    ]
    assert not [
        name
        for name, each in answers.items()
        if max((len(items) for answer in each for items in find_lists(answer)), default=0) > ITEMS
    ]


def find_lists(value: Any) -> Iterator[list[Any]]:
    """Yield each list in JSON."""
    if isinstance(value, list):
        yield value
        for item in value:
            yield from find_lists(item)
    if isinstance(value, dict):
        for item in value.values():
            yield from find_lists(item)
