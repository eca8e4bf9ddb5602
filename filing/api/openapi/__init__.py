"""The OpenAPI descriptions of the API: responses and refusals.

The operations are in modules named like the views that they describe. Their examples are recorded
(see `config.openapi.recorded`).
"""

from __future__ import annotations

from drf_spectacular.utils import OpenApiResponse

from filing.api import serializers as shapes

LEI = "529900EXAMPLELEI0001"


def refused(*messages: str) -> OpenApiResponse:
    """Return the description of a refusal with one of these messages."""
    return OpenApiResponse(shapes.ErrorBody, description=" / ".join(messages))
