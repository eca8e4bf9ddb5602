"""Examples of requests and answers, as a whole service gave them.

`tests/flow/test_recorded_examples.py` records them: one file for each operation and status, named
by both, such as `createASubmission-201.json`.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiResponse

FOLDER = Path(__file__).with_name("recorded")
SUCCESS = range(200, 300)
ANY = "*/*"  # JSON is read whatever its content type says


def name_of(summary: str) -> str:
    """Return the id of the operation with this summary, such as `createASubmission`."""
    first, *others = re.findall(r"[A-Za-z]+", summary)
    return first.lower() + "".join(map(str.capitalize, others))


def file_name(operation: str, status: int) -> str:
    """Return the name of the file with the example of an operation and a status."""
    return f"{operation}-{status}.json"


@cache
def recorded(operation: str, status: int) -> dict[str, Any]:
    """Return the example of an operation and a status: `answer` and, if it has one, `request`."""
    file = FOLDER / file_name(operation, status)
    return dict(json.loads(file.read_text())) if file.is_file() else {}


def with_example(summary: str, status: int, response: Any) -> Any:
    """Return the description of an answer with its recorded example, if it has no other one."""
    example = recorded(name_of(summary), status)
    described = isinstance(response, OpenApiResponse)
    if not example or (described and response.examples):
        return response
    return OpenApiResponse(
        response.response if described else response,
        description=response.description if described else "",
        examples=[
            OpenApiExample(
                "Example",
                value=example["answer"],
                response_only=True,
                status_codes=[str(status)],
            )
        ],
    )


def request_examples(summary: str) -> list[OpenApiExample]:
    """Return the recorded bodies that an operation was sent, without those that were refused."""
    examples = (recorded(name_of(summary), status) for status in SUCCESS)
    return [
        OpenApiExample("Example", value=example["request"], request_only=True, media_type=ANY)
        for example in examples
        if "request" in example
    ]
