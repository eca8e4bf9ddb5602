"""The last touches to the OpenAPI document: addresses as callers write them, and good names."""

from __future__ import annotations

import re
from typing import Any

from drf_spectacular.openapi import AutoSchema

PARAMETERS = {
    "lei": "Legal Entity Identifier of the institution; compared exactly with those of the token.",
    "year": "The data year.",
    "quarter": "The quarter of the data year: `Q1`, `Q2` or `Q3`.",
    "sequenceNumber": "The number of the submission in its filing.",
    "code": "The code of an edit, such as `Q631` or `V608-1`.",
    "form": "`txt`, with pipes between the values, or `csv`.",
    "name": "The name of a file, as the year lists it: `loans.csv.gz`.",
    "kind": "Which table: `fixed` or `variable`.",
    "past": "How many years before the year are counted: 1 to 10.",
    "endpoint": "Which graph, as the list of graphs has it.",
}
HEALTH = "/v2/filing/"  # the only address that has its slash
_RENAMED = {"sequence_number": "sequenceNumber"}
QUARTERLY = "Quarterly filing"


class Operation(AutoSchema):
    """Describes one operation; its id is its summary, so that it reads well in a client."""

    def get_operation_id(self) -> str:
        """Return the summary as one word, such as `createASubmission`."""
        first, *others = re.findall(r"[A-Za-z]+", self.get_summary() or super().get_operation_id())
        quarter = "OfAQuarter" if "{quarter}" in self.path else ""
        return first.lower() + "".join(map(str.capitalize, others)) + quarter


def as_callers_write_them(
    result: dict[str, Any], generator: Any, request: Any, public: bool
) -> dict[str, Any]:
    """Return the document without the slashes that may be left out, and with outside names.

    The pattern of an address allows a slash at its end, and has the inside names of its parts.
    """
    result["paths"] = {
        _outside(path): _operations(path, operations)
        for path, operations in result["paths"].items()
    }
    return result


def _outside(path: str) -> str:
    for inside, outside in _RENAMED.items():
        path = path.replace(f"{{{inside}}}", f"{{{outside}}}")
    return path if path == HEALTH else path.rstrip("/")


def _operations(path: str, operations: dict[str, Any]) -> dict[str, Any]:
    for operation in operations.values():
        if "requestBody" in operation:  # every call that takes one needs it
            operation["requestBody"]["required"] = True
        for parameter in operation.get("parameters", []):
            parameter["name"] = _RENAMED.get(parameter["name"], parameter["name"])
            if parameter["in"] == "path":
                parameter["description"] = PARAMETERS[parameter["name"]]
        if "{quarter}" in path:
            operation["tags"] = [QUARTERLY]
    return operations
