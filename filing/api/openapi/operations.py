"""One operation of the API: its decorator, and the refusals and examples that several share."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema

from filing.api.openapi import LEI, refused

TAG = "Filing"
PAGE = OpenApiParameter(
    "page", int, description="Which page of 20; 1 where it is left out. One outside is empty."
)

_UNAUTHORISED = refused(401, "Authorization Token could not be verified", path="")
_FORBIDDEN = refused(403, "The token does not carry this LEI", path="")
CLOSED = (
    "The provided year or quarter is no longer available for filing. "
    "The filing period 2024 closed on December 31, 2027."
)
NO_INSTITUTION = f"institution with ID: {LEI} does not exist"
NO_SUBMISSION = f"submission with ID: {LEI}-2024-3 does not exist"
STATUS_13 = {
    "code": 13,
    "message": "Your data has macro edits that need to be reviewed.",
    "description": "The filing cannot go on until the edits are verified.",
}
STATUS_13 = {
    "code": 13,
    "message": "Your data has macro edits that need to be reviewed.",
    "description": "The filing cannot go on until the edits are verified.",
}
LINKS = {
    "self": "?page=1",
    "first": "?page=1",
    "prev": "?page=1",
    "next": "?page=1",
    "last": "?page=1",
}


def operation(
    summary: str,
    responses: dict[int, Any],
    *,
    request: Any = None,
    parameters: tuple[OpenApiParameter, ...] = (),
    description: str = "",
) -> Any:
    """Return the decorator that describes an operation, with the refusals that all have."""
    return extend_schema(
        summary=summary,
        description=description or None,
        tags=[TAG],
        request=request,
        parameters=list(parameters),
        responses={**responses, 401: _UNAUTHORISED, 403: responses.get(403, _FORBIDDEN)},
    )
