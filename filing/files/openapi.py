"""The OpenAPI descriptions of answers with an ETag."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse


def if_none_match(unchanged: str) -> OpenApiParameter:
    """Return the description of the header. unchanged: the condition of a 304."""
    return OpenApiParameter(
        "If-None-Match",
        str,
        OpenApiParameter.HEADER,
        description=f"The ETag of an earlier answer; 304 when {unchanged} since.",
    )


def not_modified(unchanged: str) -> OpenApiResponse:
    """Return the description of the answer 304."""
    return OpenApiResponse(description=f"{unchanged} since the ETag that was sent.")


IF_NONE_MATCH = if_none_match("nothing has changed")
UNCHANGED = not_modified("Nothing has changed")
