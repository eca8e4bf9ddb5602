"""One operation of the API: its decorator, with the shared refusals."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema

from filing.api.openapi import LEI, refused

TAG = "Filing"
PAGE = OpenApiParameter(
    "page",
    int,
    description="The page, of 20 items each; default 1. A page beyond the last one is empty.",
)

UNAUTHORIZED = refused("Authorization Token could not be verified")
_FORBIDDEN = refused("The token does not carry this LEI")
CLOSED = (
    "The provided year or quarter is no longer available for filing. "
    "The filing period 2024 closed on December 31, 2027."
)
NO_INSTITUTION = f"institution with ID: {LEI} does not exist"
NO_SUBMISSION = f"submission with ID: {LEI}-2024-3 does not exist"


def operation(
    summary: str,
    responses: dict[Any, Any],
    *,
    request: Any = None,
    parameters: tuple[OpenApiParameter, ...] = (),
    description: str = "",
) -> Any:
    """Return the decorator that describes an operation, with the refusals of all operations.

    summary: its words become the `operationId`, so programs may depend on it.
    """
    return extend_schema(
        summary=summary,
        description=description or None,
        tags=[TAG],
        request=request,
        parameters=list(parameters),
        responses={
            **responses,
            401: UNAUTHORIZED,
            403: responses.get(403, _FORBIDDEN),
        },
    )
