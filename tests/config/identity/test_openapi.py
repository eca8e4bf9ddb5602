"""What the OpenAPI document says of bearer tokens."""

from __future__ import annotations

from config.openapi.document import BearerScheme


def test_the_schema_describes_bearer_tokens() -> None:
    assert BearerScheme(None).get_security_definition(None) == {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
    }
