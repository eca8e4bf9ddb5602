"""The recorded examples have the shapes that the API document gives, and are in the document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from config.running.supervisor import ROOT
from filing.api.openapi import recorded

DOCUMENT = json.loads((ROOT / "docs" / "generated" / "openapi.json").read_text())
FILES = sorted(path.name for path in recorded.FOLDER.glob("*.json"))
# Its answer has the name of the machine.
WITHOUT_EXAMPLE = {"health-200.json"}


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for methods in DOCUMENT["paths"].values():
        for operation in methods.values():
            yield operation["operationId"], operation


OPERATIONS = dict(operations())


def operation_of(file: str) -> tuple[dict[str, Any], str]:
    """Return the operation of a file, and the status."""
    operation, _, status = file.removesuffix(".json").rpartition("-")
    return OPERATIONS[operation], status


def strict(schema: Any) -> Any:
    """Return a schema of the document for a checker: null where allowed, no unknown fields."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items() if key != "nullable"}
    if isinstance(schema.get("properties"), dict):
        made.setdefault("additionalProperties", False)
    return {"anyOf": [made, {"type": "null"}]} if schema.get("nullable") is True else made


COMPONENTS = strict(DOCUMENT["components"])


def check(value: Any, schema: dict[str, Any]) -> None:
    jsonschema.Draft7Validator({**strict(schema), "components": COMPONENTS}).validate(value)


def contents(described: dict[str, Any]) -> dict[str, Any]:
    """Return the description of a body of an operation."""
    return dict(next(iter(described["content"].values())))


@pytest.mark.parametrize("file", FILES)
def test_an_example_has_the_shape_of_its_operation_and_is_in_the_document(file: str) -> None:
    operation, status = operation_of(file)
    example = json.loads((recorded.FOLDER / file).read_text())
    answer = contents(operation["responses"][status])
    check(example["answer"], answer["schema"])
    assert [each["value"] for each in answer["examples"].values()] == [example["answer"]]
    if "request" in example:
        request = contents(operation["requestBody"])
        check(example["request"], request["schema"])
        assert [each["value"] for each in request["examples"].values()] == [example["request"]]


def test_every_operation_of_the_filing_api_has_an_example_of_its_answer() -> None:
    wanted = {
        recorded.file_name(name, int(status))
        for name, operation in OPERATIONS.items()
        for status in operation["responses"]
        if operation["tags"] == ["Filing"] and int(status) in recorded.SUCCESS
    }
    assert wanted - WITHOUT_EXAMPLE == set(FILES)


@pytest.mark.parametrize("value", [{}, {"unknown": 1}, "text"])
def test_an_example_of_another_shape_is_seen(value: Any) -> None:
    with pytest.raises(jsonschema.ValidationError):
        check(value, {"$ref": "#/components/schemas/SignReceipt"})
