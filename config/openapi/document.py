"""The OpenAPI document as callers read it: names and addresses as they write them, and examples.

The examples are requests and answers of a whole service, which
`tests/flow/test_recorded_examples.py` records. Each operation has a file, named by its
id, with its calls by status: one, or a list. Most say only what is not as usual:

    {
     "200": {"request": {"signed": true}, "answer": {"receipt": "..."}},
     "400": ["Illegal argument: signed = false", {"errorType": "no-filters", "message": "..."}],
     "401": "Authorization Token could not be verified"
    }

A text is the message of a refusal in the form that the service gives it (`build_refusal`); an
object without "answer" is a body in JSON, of which there is nothing else to say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_examples_list
from drf_spectacular.utils import OpenApiExample

from config.errors import handlers
from databrowser.api.openapi import VERSION
from databrowser.models import Dataset
from filing.api.openapi import OPERATORS_TAG
from filing.api.value_schemas import (
    DATA_YEAR_TEXT,
    LEI_TEXT,
    QUARTERLY_YEAR_TEXT,
    STORABLE_TEXT,
    text_schema,
)
from filing.errors import Interrupted
from filing.receipts.checking import RECEIPT_NUMBER

PARAMETERS = {
    "lei": "Legal Entity Identifier of the institution; compared exactly with those of the token.",
    "year": "The data year.",
    "quarter": "The quarter of the data year: `Q1`, `Q2` or `Q3`.",
    "sequenceNumber": "The number of the submission in its filing.",
    "key": "The name of a resumable upload, as in its `Location`.",
    "webhook": "The number of the webhook, `id` in the list.",
    "proposal": "The number of the proposal, `id` in the list.",
    "person": "The number of the person, `id` in the list.",
    "invitation": "The number of the invitation, `id` in the list.",
    "delegation": "The number of the delegation, `id` in the list.",
    "accessRequest": "The number of the request, `id` in the list.",
    "delivery": "The number of the delivery, `id` in the list.",
    "receipt": "The receipt number, as on the receipt.",
    "rules": "The data year whose rules are compared with those of the file.",
    "code": "The code of an edit, such as `Q631` or `V608-1`.",
    "form": "`txt`, with pipes between the values, or `csv`.",
    "name": "The name of a file, as the year lists it: `loans.csv.gz`.",
    "dataset": "Which data set of the year: `dynamic`, `snapshot`, `one-year` or `three-year`.",
    "version": "The name of a version and the first 12 digits of its SHA-256: "
    "`2022-1-0123456789ab`.",
    "state": "The two letters of the state; `NA` has the records without one.",
    "kind": "Which table: `fixed` or `variable`.",
    "past": "How many years before the year are counted: 1 to 10.",
    "period": "A year such as `2024`, or a quarter such as `2024-Q1`.",
    "which": "`latest` or `oldest`.",
    "figure": "Which figure, as the list of figures has it.",
    "topic": "Which follow-up is repeated.",
    "number": "The number of the submission in its filing.",
    "submissionId": "LEI, period and number of the submission: `529900EXAMPLELEI0001-2024-1`.",
    "endpoint": "Which graph, as the list of graphs has it.",
    "msaMd": "The five digits of the MSA/MD; 99999 is all places outside of any.",
    "report": "Which report: those of an MSA/MD are 1, 2, 3, 4, 5, 9 and i, those of an "
    "institution 1 and 2.",
}
# What URL patterns leave open, so that the answer says what is wrong.
_OPEN_PATTERNS = {"^[^/]+$", "^[0-9]+$"}
_PATH_VALUES = {
    "lei": LEI_TEXT,
    "year": DATA_YEAR_TEXT,
    "sequenceNumber": text_schema("[1-9][0-9]{0,8}"),
    "dataset": {"type": "string", "enum": Dataset.values},
    "version": text_schema(f"{VERSION}-[0-9a-f]{{12}}"),
    "state": text_schema("[A-Z]{2}"),
    "receipt": text_schema(RECEIPT_NUMBER),
}
_PART = "application/offset+octet-stream"
HEALTH = "/v2/filing/"  # the only address that keeps its trailing slash
_RENAMED = {
    "access_request": "accessRequest",
    "sequence_number": "sequenceNumber",
    "submission_name": "submissionId",
    "msa_md": "msaMd",
}
QUARTERLY = "Quarterly filing"

RECORDED = Path(__file__).with_name("recorded")
SUCCESS = range(200, 300)
JSON = "application/json"
REQUEST_ID = "7F3K-9QXM-2BTD"  # in all examples
_NAME_LENGTH = 60
_PATHLESS = {401, 403}  # refusals that say who may ask, not what was asked for
_ANY = "*/*"  # of operations that read JSON whatever its content type says
_SECONDS = 3  # to wait, in the example of a refusal
_LIMIT_HEADERS = {
    "Retry-After": ("integer", "How many seconds to wait."),
    "RateLimit-Policy": ("string", "The limit: `q` requests at once, refilled in `w` seconds."),
    "RateLimit": ("string", "What is left of it: `r` requests; all of them after `t` seconds."),
}


@dataclass(frozen=True)
class RecordedCall:
    """A request that was sent, and its answer. request: only of a JSON body."""

    name: str
    status: int
    media: str
    answer: Any
    request: Any = None


class BearerScheme(OpenApiAuthenticationExtension):
    """Describes bearer tokens in the API schema."""

    target_class = "config.identity.bearer.BearerAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Return the security scheme object."""
        return {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}


class Operation(AutoSchema):
    """Describes an operation; its id comes from its summary, which reads well in a client."""

    def get_operation_id(self) -> str:
        """Return the summary as one word, such as `createASubmission`."""
        first, *others = re.findall(r"[A-Za-z]+", self.get_summary() or super().get_operation_id())
        quarter = "OfAQuarter" if "{quarter}" in self.path else ""
        return first.lower() + "".join(map(str.capitalize, others)) + quarter

    def _get_request_body(self, direction: Any = "request") -> Any:
        """Return the description of the body, also of a DELETE that names what is removed."""
        method = self.method
        if method == "DELETE" and self.get_request_serializer() is not None:
            self.method = "POST"  # the only methods with a body that the library knows
        try:
            return super()._get_request_body(direction)
        finally:
            self.method = method


def use_callers_names(
    result: dict[str, Any], generator: Any, request: Any, public: bool
) -> dict[str, Any]:
    """Return the document without optional trailing slashes, and with public parameter names.

    URL patterns allow a slash at their end and have our internal names.
    """
    result["paths"] = {
        _public_path(path): _operations(path, operations)
        for path, operations in result["paths"].items()
    }
    return result


def _public_path(path: str) -> str:
    for internal, public in _RENAMED.items():
        path = path.replace(f"{{{internal}}}", f"{{{public}}}")
    return path if path == HEALTH else path.rstrip("/")


def _operations(path: str, operations: dict[str, Any]) -> dict[str, Any]:
    for operation in operations.values():
        if body := operation.get("requestBody"):
            body["required"] = True  # every call that takes one needs it
            if (described := body["content"].pop(_ANY, None)) is not None:
                body["content"][JSON] = described
        for parameter in operation.get("parameters", []):
            parameter["name"] = _RENAMED.get(parameter["name"], parameter["name"])
            if parameter["in"] == "path":
                _describe_path_value(parameter, is_quarterly="{quarter}" in path)
            elif parameter["in"] == "query":
                _require_storable(parameter["schema"])
        if "{quarter}" in path and OPERATORS_TAG not in operation["tags"]:
            operation["tags"] = [QUARTERLY]
    return operations


def _describe_path_value(parameter: dict[str, Any], *, is_quarterly: bool) -> None:
    name, schema = parameter["name"], parameter["schema"]
    parameter["description"] = PARAMETERS[name]
    if schema.get("pattern") in _OPEN_PATTERNS and name in _PATH_VALUES:
        is_year = name == "year" and is_quarterly
        parameter["schema"] = QUARTERLY_YEAR_TEXT if is_year else _PATH_VALUES[name]


def _require_storable(schema: dict[str, Any]) -> None:
    """Say of a text without a rule of its own what holds for all that arrives."""
    if schema.get("type") == "string" and not schema.keys() & {"pattern", "enum", "format"}:
        schema |= STORABLE_TEXT


def require_storable_bodies(
    result: dict[str, Any], generator: Any, request: Any, public: bool
) -> dict[str, Any]:
    """Return the document whose JSON bodies have no text that cannot be stored."""
    for name, shape in result["components"]["schemas"].items():
        for schema in shape.get("properties", {}).values() if name.endswith("Request") else ():
            _require_storable(schema.get("items", schema))
    return result


def recorded_calls(operation: str, path: str) -> Iterator[RecordedCall]:
    """Yield the recorded calls of an operation. path: its address, which refusals repeat."""
    file = RECORDED / f"{operation}.json"
    by_status = json.loads(file.read_text()) if file.is_file() else {}
    for status, recorded in by_status.items():
        for call in recorded if isinstance(recorded, list) else [recorded]:
            yield _read_call(int(status), call, path)


def _read_call(status: int, recorded: Any, path: str) -> RecordedCall:
    call = recorded if is_whole_call(recorded) else {"answer": recorded}
    if isinstance(recorded, str):
        call = {"answer": build_refusal(status, recorded, path)}
    usual = {"name": name_call(status, call["answer"]), "media": JSON}
    return RecordedCall(**usual | call, status=status)


def is_whole_call(recorded: Any) -> bool:
    """Return whether something in a recorded file is a call, not only its answer."""
    return (
        isinstance(recorded, dict)
        and "answer" in recorded
        and recorded.keys() <= {"name", "media", "answer", "request"}
    )


def name_call(status: int, answer: Any) -> str:
    """Return the name of an example that has none of its own: the message of a refusal."""
    if status in SUCCESS or "message" not in answer:
        return "Example"
    title = answer.get("errorType") or answer["message"]
    return ". ".join(filter(None, (title, answer.get("detail"))))[:_NAME_LENGTH]


def build_refusal(status: int, message: str, path: str) -> dict[str, Any]:
    """Return what the service answers to a call that it refuses for a reason."""
    request = _request_of_example(path)
    if status in _PATHLESS:
        return handlers.add_request_id(handlers.status_error(status, message), request)
    return handlers.error_body(request, status, message)


def answer_content(operation: Mapping[str, Any], call: RecordedCall) -> dict[str, Any] | None:
    """Return the description of an answer, by its status and media type; none without one.

    A description with one media type is that of any answer with the status.
    """
    content = operation["responses"].get(str(call.status), {}).get("content", {})
    described = content.get(call.media)
    return described or (next(iter(content.values())) if len(content) == 1 else None)


def request_content(operation: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the description of the JSON body of an operation; none without one."""
    described: dict[str, Any] | None = operation.get("requestBody", {}).get("content", {}).get(JSON)
    return described


def describe_limits(
    result: dict[str, Any], generator: Any, request: Any, public: bool
) -> dict[str, Any]:
    """Return the document with the refusals that many operations may give.

    Any is refused to a caller over a limit; one with a body, if that stops arriving. Their shape is
    that of the other refusals of the operation.
    """
    for path, operations in result["paths"].items():
        for operation in operations.values() if path != HEALTH else ():
            refusals = (
                answer["content"][JSON]["schema"]
                for status, answer in operation["responses"].items()
                if int(status) >= 400 and JSON in answer.get("content", {})
            )
            schema = next(refusals, {"$ref": "#/components/schemas/ErrorBody"})
            # A part of a resumable upload counts as far as it came.
            body = operation.get("requestBody", {}).get("content", {})
            if body and _PART not in body:
                example = _example("Interrupted", handlers.answer_interrupted_body, path)
                operation["responses"]["408"] = {
                    "description": Interrupted().message,
                    "content": {JSON: {"schema": schema, "examples": example}},
                }
            operation["responses"]["429"] = {
                "description": "Too many requests.",
                "headers": {
                    name: {"schema": {"type": kind}, "description": text}
                    for name, (kind, text) in _LIMIT_HEADERS.items()
                },
                "content": {
                    JSON: {
                        "schema": schema,
                        "examples": _example("TooManyRequests", _ask_too_often, path),
                    }
                },
            }
    return result


def _ask_too_often(request: HttpRequest) -> HttpResponse:
    return handlers.answer_too_many_requests(request, _SECONDS)


def _example(name: str, answer: Callable[[HttpRequest], HttpResponse], path: str) -> dict[str, Any]:
    value = json.loads(answer(_request_of_example(path)).content)
    return build_examples_list([OpenApiExample(name, value=value)])


def _request_of_example(path: str) -> HttpRequest:
    request = HttpRequest()
    request.path, request.request_id = path, REQUEST_ID  # type: ignore[attr-defined]
    return request


def add_recorded_examples(
    result: dict[str, Any], generator: Any, request: Any, public: bool
) -> dict[str, Any]:
    """Return the document with the recorded examples of its operations."""
    for path, operations in result["paths"].items():
        for operation in operations.values():
            for call in recorded_calls(operation["operationId"], path):
                _add(operation, call)
    return result


def _add(operation: Mapping[str, Any], call: RecordedCall) -> None:
    if (described := answer_content(operation, call)) is not None:
        _add_value(described, call.name, call.answer)
    # A body that was refused is no example of what to send.
    if call.request is not None and call.status in SUCCESS:
        described = request_content(operation)
        if described is not None and call.request not in example_values(described):
            _add_value(described, call.name, call.request)


def example_values(described: Mapping[str, Any]) -> list[Any]:
    """Return the examples in the description of a body."""
    return [example["value"] for example in described.get("examples", {}).values()]


def _add_value(described: dict[str, Any], name: str, value: Any) -> None:
    examples = build_examples_list([OpenApiExample(name, value=value)])
    described["examples"] = described.get("examples", {}) | examples
