"""Records examples of requests and answers for the API document.

An example has made-up times instead of those of the day, so that recording again gives the same.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from config.running.supervisor import ROOT
from filing.api.openapi.recorded import file_name

DOCUMENT = json.loads((ROOT / "docs" / "generated" / "openapi.json").read_text())
FIRST_TIME, STEP = 1_741_000_000_000, 100_000
_TIME = re.compile(r"(?<!\d)1[6-9]\d{11}(?!\d)")  # milliseconds


def operation_of(method: str, path: str) -> str:
    """Return the id of the operation at an address.

    Raises: LookupError where the document has none.
    """
    found = [
        (template.count("{"), operations[method.lower()]["operationId"])
        for template, operations in DOCUMENT["paths"].items()
        if method.lower() in operations
        and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path.rstrip("/") or "/")
    ]
    if not found:
        raise LookupError(f"The API document has no operation {method} {path}.")
    return str(min(found)[1])


class Recorder:
    """Collects examples by the name of their file."""

    def __init__(self) -> None:
        self.examples: dict[str, dict[str, Any]] = {}

    def record(self, response: httpx.Response) -> httpx.Response:
        """Record the request and the answer of a response, and return it."""
        request = response.request
        operation = operation_of(request.method, urlsplit(str(request.url)).path)
        example: dict[str, Any] = {}
        if request.headers.get("Content-Type", "").startswith("application/json"):
            example["request"] = json.loads(request.content)
        is_json = response.headers["Content-Type"].startswith("application/json")
        example["answer"] = response.json() if is_json else response.text
        self.examples[file_name(operation, response.status_code)] = example
        return response

    @property
    def texts(self) -> dict[str, str]:
        """The texts of the files, with made-up times in the order of the recorded ones."""
        texts = {
            name: json.dumps(example, indent=2, ensure_ascii=False) + "\n"
            for name, example in self.examples.items()
        }
        times = sorted({time for text in texts.values() for time in _TIME.findall(text)})
        made_up = {time: str(FIRST_TIME + number * STEP) for number, time in enumerate(times)}
        return {
            name: _TIME.sub(lambda match: made_up[match.group()], text)
            for name, text in texts.items()
        }

    def write(self, folder: Path) -> None:
        """Write the files into a folder, and nothing else of it."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.texts.items():
            (folder / name).write_text(text)
