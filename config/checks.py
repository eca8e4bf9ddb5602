"""System checks for what is fine on a laptop and a mistake in production."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as Doubt

from config import folder_queue

LONGEST_TOKEN_SECONDS = 900


@register(Tags.security, deploy=True)
def production(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """Complain, in words, of every embedded default that a production site must replace."""
    found: list[CheckMessage] = []

    def complain(number: int, text: str, hint: str, kind: type[Error | Doubt] = Error) -> None:
        found.append(kind(text, hint=hint, id=f"service.E{number:03d}"))

    if not os.environ.get("SECRET_KEY"):
        complain(1, "SECRET_KEY was made at first start.", "Set SECRET_KEY in the environment.")
    if settings.EMBEDDED_PROVIDER:
        complain(
            2,
            "The embedded identity provider is on.",
            "Set OIDC_ISSUER to the address of your OpenID provider.",
        )
    if not settings.OIDC_ISSUER.startswith("https://"):
        complain(3, "The issuer of tokens is not https.", "Give OIDC_ISSUER an https address.")
    if not settings.OIDC_AUDIENCE:
        complain(4, "Tokens of any audience would be taken.", "Set OIDC_AUDIENCE.")
    if settings.OIDC_JWKS_URL and not settings.OIDC_JWKS_URL.startswith("https://"):
        complain(9, "The keys of the issuer are fetched without https.", "Mend OIDC_JWKS_URL.")
    if settings.ACCESS_TOKEN_SECONDS > LONGEST_TOKEN_SECONDS:
        complain(10, "Access tokens live long.", "Set ACCESS_TOKEN_SECONDS to 900.", Doubt)
    if not settings.PUBLIC_URL.startswith("https://"):
        complain(5, "The site's own address is not https.", "Give PUBLIC_URL an https address.")
    if "*" in settings.ALLOWED_HOSTS:
        complain(6, "Any host name is answered.", "Set ALLOWED_HOSTS to the site's host names.")
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        complain(7, "The database is SQLite.", "Set DATABASE_URL to a PostgreSQL.", Doubt)
    if settings.CELERY_BROKER_URL.startswith(folder_queue.SCHEME):
        complain(8, "The queue is a folder.", "Set CELERY_BROKER_URL to a Redis.", Doubt)
    if not settings.CACHE_URL.startswith(("redis://", "rediss://")):
        complain(
            20,
            "The cache is a folder, and the limits are counted in the database.",
            "Set CACHE_URL to a Redis: all web processes then count in one place, and quickly.",
            Doubt,
        )
    if not all(settings.LIMITS.values()):
        off = ", ".join(name for name, policy in settings.LIMITS.items() if policy is None)
        complain(21, f"Some requests are not limited: {off}.", "Give each LIMIT_... a rate.")
    if settings.PUBLIC_URL.startswith("https://") and not settings.TRUSTED_PROXIES:
        complain(
            22,
            "No proxy is trusted, so all callers behind one have its address and share its limit.",
            "Set TRUSTED_PROXIES to the networks of the proxies that end https for this service.",
            Doubt,
        )
    if settings.PUBLIC_URL.startswith("https://") and settings.LOG_FORMAT != "json":
        complain(23, "Log lines are text for people.", "Set LOG_FORMAT to json.", Doubt)
    return found
