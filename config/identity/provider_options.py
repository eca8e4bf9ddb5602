"""The options of the embedded identity provider."""

from __future__ import annotations

from typing import Any

from django.utils.functional import lazy


def provider_options(issuer: str, *, embedded: bool, access_token_seconds: int) -> dict[str, Any]:
    """Return what django-oauth-toolkit reads from its setting.

    issuer: in the tokens and the discovery document. embedded: whether the provider runs; with
    another one, its tables stay but no address leads to it.
    """
    device_page = f"{issuer.partition('/realms/')[0]}/device/"
    return {
        "OIDC_ENABLED": True,
        "OIDC_ISS_ENDPOINT": issuer,
        "OIDC_RSA_PRIVATE_KEY": lazy(_signing_pem, str)(),
        "OAUTH2_VALIDATOR_CLASS": "config.identity.provider.Validator",
        "ACCESS_TOKEN_GENERATOR": "config.identity.provider.access_token",
        "REFRESH_TOKEN_GENERATOR": "oauthlib.oauth2.rfc6749.tokens.random_token_generator",
        "SCOPES": {"openid": "Your user ID", "profile": "Your name", "email": "Your email address"},
        "DEFAULT_SCOPES": ["openid"],
        "ACCESS_TOKEN_EXPIRE_SECONDS": access_token_seconds,
        "ID_TOKEN_EXPIRE_SECONDS": access_token_seconds,
        "REFRESH_TOKEN_EXPIRE_SECONDS": 30 * 60,  # after the access token that came with it
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "CLEAR_EXPIRED_TOKENS_BATCH_SIZE": 1000,  # rows per statement
        # The sign-in of programs without a browser; the page is on the site that issues.
        "OAUTH_DEVICE_VERIFICATION_URI": device_page,
        "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": f"{device_page}?user_code={{user_code}}",
        # The validator reads the code; the library's own step answers 500 for an unknown one.
        "OAUTH_PRE_TOKEN_VALIDATION": [],
        "ALLOWED_REDIRECT_URI_SCHEMES": ["http", "https"] if embedded else ["https"],
        "ALLOW_LOCALHOST_LOOPBACK": True,
        "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
        "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT": False,
        "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
        "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
        "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
        "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED": True,
        "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
        "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
        "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": True,
        "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING": True,
    }


def _signing_pem() -> str:
    """Return the key that signs, for the toolkit, which takes it from a setting, as text.

    Settings are read before there is a key and do not change with a rotation: this is called at
    each use.
    """
    from config.identity import keyfiles  # which loads the library of keys

    return keyfiles.signing_key().pem
