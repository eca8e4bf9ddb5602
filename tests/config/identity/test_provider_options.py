"""The options of the embedded identity provider."""

from __future__ import annotations

from config.identity.provider_options import provider_options


def test_tokens_live_for_the_seconds_of_the_settings() -> None:
    made = provider_options(
        "http://localhost:8000/realms/hmda2", embedded=True, access_token_seconds=60
    )
    assert made["OIDC_ISS_ENDPOINT"] == "http://localhost:8000/realms/hmda2"
    assert made["ACCESS_TOKEN_EXPIRE_SECONDS"] == made["ID_TOKEN_EXPIRE_SECONDS"] == 60
    assert made["REFRESH_TOKEN_EXPIRE_SECONDS"] == 30 * 60


def test_without_the_embedded_provider_no_redirect_goes_without_tls() -> None:
    schemes = {
        embedded: provider_options(
            "https://id.example", embedded=embedded, access_token_seconds=60
        )["ALLOWED_REDIRECT_URI_SCHEMES"]
        for embedded in (True, False)
    }
    assert schemes == {True: ["http", "https"], False: ["https"]}
