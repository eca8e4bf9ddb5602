"""What an issuer answers is a JSON object, or of no use."""

from __future__ import annotations

import httpx
import pytest

from config.identity import provider_calls

ADDRESS = "https://id.example/keys"


def answer(content: bytes) -> httpx.Response:
    return httpx.Response(200, content=content, request=httpx.Request("GET", ADDRESS))


def test_an_object_is_read() -> None:
    assert provider_calls.json_object(answer(b'{"keys": []}')) == {"keys": []}


@pytest.mark.parametrize(
    ("content", "reason"), [(b"<html>", "no JSON$"), (b"[1]", "no JSON object$")]
)
def test_anything_else_is_refused_with_its_address(content: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{ADDRESS} answers with {reason}"):
        provider_calls.json_object(answer(content))


def test_the_description_stands_where_the_standard_says() -> None:
    address = "https://id.example/realms/a/.well-known/openid-configuration"
    assert provider_calls.discovery("https://id.example/realms/a") == address
