"""Names and addresses in the OpenAPI document as callers write them."""

from __future__ import annotations

import re
from typing import Any

from drf_spectacular.openapi import AutoSchema

PARAMETERS = {
    "lei": "Legal Entity Identifier of the institution; compared exactly with those of the token.",
    "year": "The data year.",
    "quarter": "The quarter of the data year: `Q1`, `Q2` or `Q3`.",
    "sequenceNumber": "The number of the submission in its filing.",
    "key": "The name of a resumable upload, as in its `Location`.",
    "webhook": "The number of the webhook, `id` in the list.",
    "delivery": "The number of the delivery, `id` in the list.",
    "receipt": "The receipt number, as on the receipt.",
    "rules": "The data year whose rules are compared with those of the file.",
    "code": "The code of an edit, such as `Q631` or `V608-1`.",
    "form": "`txt`, with pipes between the values, or `csv`.",
    "name": "The name of a file, as the year lists it: `loans.csv.gz`.",
    "kind": "Which table: `fixed` or `variable`.",
    "past": "How many years before the year are counted: 1 to 10.",
    "endpoint": "Which graph, as the list of graphs has it.",
}
HEALTH = "/v2/filing/"  # the only address that keeps its trailing slash
_RENAMED = {"sequence_number": "sequenceNumber"}
QUARTERLY = "Quarterly filing"


class Operation(AutoSchema):
    """Describes an operation; its id comes from its summary, which reads well in a client."""

    def get_operation_id(self) -> str:
        """Return the summary as one word, such as `createASubmission`."""
        first, *others = re.findall(r"[A-Za-z]+", self.get_summary() or super().get_operation_id())
        quarter = "OfAQuarter" if "{quarter}" in self.path else ""
        return first.lower() + "".join(map(str.capitalize, others)) + quarter


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
        if "requestBody" in operation:  # every call that takes one needs it
            operation["requestBody"]["required"] = True
        for parameter in operation.get("parameters", []):
            parameter["name"] = _RENAMED.get(parameter["name"], parameter["name"])
            if parameter["in"] == "path":
                parameter["description"] = PARAMETERS[parameter["name"]]
        if "{quarter}" in path:
            operation["tags"] = [QUARTERLY]
    return operations
