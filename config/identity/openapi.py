"""The OpenAPI description of bearer tokens."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class BearerScheme(OpenApiAuthenticationExtension):
    """Describes bearer tokens in the API schema."""

    target_class = "config.identity.bearer.BearerAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Return the security scheme object."""
        return {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
