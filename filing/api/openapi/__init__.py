"""The OpenAPI descriptions of the API: one operation, and the refusals and headers that many share.

The operations are in modules named like the views that they describe. Their examples are recorded
(see `config.openapi.document`).
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from filing import idempotency
from filing.api.serializers.filings import ErrorBody
from filing.api.value_schemas import IDEMPOTENCY_KEY_TEXT
from filing.errors import PERIOD_CLOSED
from filing.idempotency import REPLAYED_HEADER

LEI = "529900EXAMPLELEI0001"


def refused(*messages: str) -> OpenApiResponse:
    """Return the description of a refusal with one of these messages."""
    return OpenApiResponse(ErrorBody, description=" / ".join(messages))


def describe_if_none_match(unchanged: str) -> OpenApiParameter:
    """Return the description of the header. unchanged: the condition of a 304."""
    return OpenApiParameter(
        "If-None-Match",
        str,
        OpenApiParameter.HEADER,
        description=f"The ETag of an earlier answer; 304 when {unchanged} since.",
    )


def describe_not_modified(unchanged: str) -> OpenApiResponse:
    """Return the description of the answer 304."""
    return OpenApiResponse(description=f"{unchanged} since the ETag that was sent.")


IF_NONE_MATCH = describe_if_none_match("nothing has changed")
UNCHANGED = describe_not_modified("Nothing has changed")


TAG = "Filing"
OPERATORS_TAG = "Operators"
PAGE = OpenApiParameter(
    "page",
    int,
    description="The page, of 20 items each; default 1. A page beyond the last one is empty.",
)

IDEMPOTENCY_KEY = OpenApiParameter(
    idempotency.KEY_HEADER,
    IDEMPOTENCY_KEY_TEXT,
    location=OpenApiParameter.HEADER,
    description=(
        "A key of your choice, 1 to 255 printable ASCII characters, such as a UUID. A request that "
        "is sent again with the same key and body within 7 days has no second effect: it gets the "
        f"first answer again, with `{REPLAYED_HEADER}: true`."
    ),
)
_ANSWERS_TO_KEYS = {
    409: refused(idempotency.IN_WORK),
    422: refused(idempotency.OTHER_BODY),
}
UNAUTHORIZED = refused("Authorization Token could not be verified")
_FORBIDDEN = refused("The token does not carry this LEI")
CLOSED = PERIOD_CLOSED
# The second one of a 409: the first one is for a call with a key that is still in work.
IN_WORK = idempotency.IN_WORK
FOREIGN_FILE = (
    "The transmittal sheet (line 1) names LEI 529900ANOTHERBANK042, but this filing is of LEI "
    f"{LEI}. Upload the right file in a new submission."
)
DISCARDED = f"Submission {LEI}-2024-3 was discarded. Upload the file in a new submission."
NO_INSTITUTION = f"institution with ID: {LEI} does not exist"
NO_SUBMISSION = f"submission with ID: {LEI}-2024-3 does not exist"


def operation(
    summary: str,
    responses: dict[Any, Any],
    *,
    request: Any = None,
    parameters: tuple[OpenApiParameter, ...] = (),
    description: str = "",
    takes_key: bool = False,
) -> Any:
    """Return the decorator that describes an operation, with the refusals of all operations.

    summary: its words become the `operationId`, so programs may depend on it. takes_key: whether it
    takes an idempotency key, as every POST does.
    """
    return extend_schema(
        summary=summary,
        description=description or None,
        tags=[TAG],
        request=request,
        parameters=[*parameters, *([IDEMPOTENCY_KEY] if takes_key else [])],
        responses={
            **responses,
            **(_ANSWERS_TO_KEYS | responses if takes_key else {}),
            401: UNAUTHORIZED,
            403: responses.get(403, _FORBIDDEN),
        },
    )
