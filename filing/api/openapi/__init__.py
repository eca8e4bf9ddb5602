"""The OpenAPI descriptions of the API: responses and refusals, with an example of each.

The operations are in modules named like the views that they describe.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiResponse

from filing.api import serializers as shapes

LEI = "529900EXAMPLELEI0001"
PATH = f"/institutions/{LEI}/filings/2024"
REQUEST_ID = "7F3K-9QXM-2BTD"


def error(status: int, message: str, path: str) -> dict[str, Any]:
    """Return an example of an error body."""
    return {"httpStatus": status, "message": message, "path": path, "requestId": REQUEST_ID}


def refused(status: int, *messages: str, path: str = PATH) -> OpenApiResponse:
    """Return the description of a refusal, with an example for each message."""
    return OpenApiResponse(
        shapes.ErrorBody,
        description=" / ".join(messages),
        examples=[
            OpenApiExample(
                message[:60],
                value=error(status, message, path),
                response_only=True,
                status_codes=[str(status)],
            )
            for message in messages
        ],
    )


def answered(shape: Any, example: Any, text: str = "") -> OpenApiResponse:
    """Return the description of a response, with an example."""
    return OpenApiResponse(
        shape, description=text, examples=[OpenApiExample("Example", value=example)]
    )
