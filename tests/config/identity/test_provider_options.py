"""The options of the embedded identity provider."""

from __future__ import annotations

from config.identity.provider_options import provider_options


def test_without_the_embedded_provider_no_redirect_goes_without_tls() -> None:
    schemes = {
        embedded: provider_options(
            "https://id.example", embedded=embedded, access_token_seconds=60
        )["ALLOWED_REDIRECT_URI_SCHEMES"]
        for embedded in (True, False)
    }
    assert schemes == {True: ["http", "https"], False: ["https"]}
