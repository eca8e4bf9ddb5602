"""System checks for settings that are fine on a laptop and a mistake in production.

They complement those of the framework and the libraries, which check cookies, HSTS, redirects to
https, `DEBUG` and the length of the secret key.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as Concern

from config import environment
from config.backends import queue_addresses
from config.pages.views import security_contacts
from filing.audit import keys as receipt_keys

LONGEST_TOKEN_SECONDS = 900
SHORTEST_METRICS_TOKEN = 16  # characters
LONGEST_PERSONAL_TOKEN_DAYS = 366
KNOWN_PASSWORDS = {"hmda", "postgres", "password", "changeme", "secret"}
UNSENT_BACKENDS = ("console", "dummy", "filebased", "locmem")
LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
DEMO_LOGINS = "demo-logins"  # the file with passwords that `prepare --demo` writes


@register(Tags.security, deploy=True)
def find_production_mistakes(**options: Any) -> list[CheckMessage]:
    """Return a message for each setting that a production site must not have.

    As a warning: that it should consider.
    """
    return [
        *_check_secrets(),
        *_check_sign_in(),
        *_check_addresses(),
        *_check_networks(),
        *_check_places(),
        *_check_mail(),
    ]


def _check_secrets() -> Iterator[CheckMessage]:
    if not environment.text("SECRET_KEY"):
        hint = (
            "Set SECRET_KEY in the environment, or SECRET_KEY_FILE to the path of a file with it."
        )
        yield Error("SECRET_KEY was generated at the first start.", hint, id="service.E001")
    if unquote(urlsplit(settings.DATABASE_URL).password or "") in KNOWN_PASSWORDS:
        text = "The database password is one that attackers try first."
        hint = "Choose another database password, and set it in DATABASE_URL."
        yield Error(text, hint, id="service.E011")
    if Path(settings.DATA_DIR, DEMO_LOGINS).exists():
        hint = "Run `manage.py remove_demo`, which disables them and withdraws made-up data."
        text = f"The demo accounts exist, with passwords in {DEMO_LOGINS} of DATA_DIR."
        yield Error(text, hint, id="service.E012")
    if settings.TEST_LEIS:
        text = "The panel accepts LEIs with wrong check digits."
        hint = "Remove TEST_LEIS from the environment unless this is a test site."
        yield Concern(text, hint, id="service.W024")
    if 0 < len(settings.METRICS_TOKEN) < SHORTEST_METRICS_TOKEN:
        hint = "Set METRICS_TOKEN to the output of `openssl rand -hex 32`."
        yield Error("The token of /metrics is short enough to be guessed.", hint, id="service.E026")
    try:
        if settings.SIGNING_ENABLED:
            receipt_keys.examine_signing_key()
    except receipt_keys.NoUsableKey as problem:
        hint = (
            "Correct it; filings can be signed meanwhile, and their receipts are signed afterward."
        )
        yield Error(f"Receipts cannot be signed: {problem}", hint, id="service.E027")


def _check_sign_in() -> Iterator[CheckMessage]:
    if settings.EMBEDDED_PROVIDER:
        hint = "Set OIDC_ISSUER to the address of your OpenID provider."
        yield Error("The embedded identity provider is on.", hint, id="service.E002")
    if settings.EMBEDDED_PROVIDER and not settings.STAFF_SECOND_FACTOR_REQUIRED:
        text = "Staff sign in with a password alone."
        yield Concern(text, "Set STAFF_SECOND_FACTOR to required.", id="service.W032")
    if not _is_https(settings.OIDC_ISSUER):
        hint = "Set OIDC_ISSUER to an https address."
        yield Error("The address of the token issuer is not https.", hint, id="service.E003")
    if settings.OIDC_JWKS_URL and not _is_https(settings.OIDC_JWKS_URL):
        hint = "Set OIDC_JWKS_URL to an https address, or leave it blank."
        yield Error("The issuer's keys are fetched without https.", hint, id="service.E009")
    if settings.ACCESS_TOKEN_SECONDS > LONGEST_TOKEN_SECONDS:
        hint = f"Set ACCESS_TOKEN_SECONDS to {LONGEST_TOKEN_SECONDS} or less."
        yield Concern("Access tokens are valid for a long time.", hint, id="service.W010")
    days = settings.PERSONAL_TOKEN_DAYS
    if settings.PERSONAL_TOKENS_ENABLED and days > LONGEST_PERSONAL_TOKEN_DAYS:
        text = "Personal tokens can be valid for longer than a year."
        hint = f"Set PERSONAL_TOKEN_DAYS to {LONGEST_PERSONAL_TOKEN_DAYS} or less."
        yield Concern(text, hint, id="service.W013")


def _check_addresses() -> Iterator[CheckMessage]:
    host, allowed = urlsplit(settings.PUBLIC_URL).hostname or "", settings.ALLOWED_HOSTS
    if not _is_https(settings.PUBLIC_URL):
        hint = "Set PUBLIC_URL to an https address."
        yield Error("The site's own address is not https.", hint, id="service.E005")
    if "*" in allowed:
        hint = "Set ALLOWED_HOSTS to the site's host names."
        yield Error("The site answers to any host name.", hint, id="service.E006")
    if not any(
        name in {"*", host} or (name.startswith(".") and f".{host}".endswith(name))
        for name in allowed
    ):
        text = "The site does not answer to the host name of its own address."
        yield Error(text, "Add the host name of PUBLIC_URL to ALLOWED_HOSTS.", id="service.E014")
    if unlimited := [name for name, policy in settings.LIMITS.items() if policy is None]:
        text = f"These rate limits are off: {', '.join(unlimited)}."
        yield Error(text, "Set a rate for each LIMIT_... variable.", id="service.E021")
    if _is_https(settings.PUBLIC_URL) and not settings.TRUSTED_PROXIES:
        text = "No proxy is trusted, so all callers behind a proxy share its rate limit."
        hint = "Set TRUSTED_PROXIES to the networks of the proxies in front of this service."
        yield Concern(text, hint, id="service.W022")


def _check_networks() -> Iterator[CheckMessage]:
    """Check which networks are trusted or may be called, and who reaches Redis."""
    if any(not network.prefixlen for network in settings.TRUSTED_PROXIES):
        text = "Every caller is trusted as a proxy, and so may claim any address."
        hint = "Set TRUSTED_PROXIES to the networks of the proxies in front of this service."
        yield Error(text, hint, id="service.E030")
    for name in ("WEBHOOK_NETWORKS", "REFERENCE_NETWORKS"):
        if any(
            network.overlaps(own)
            for network in getattr(settings, name)
            for own in LOOPBACK
            if network.version == own.version
        ):
            text = f"{name} includes this machine, whose own services then can be called."
            hint = f"List only the networks in {name} that must be reached."
            yield Concern(text, hint, id="service.W031")
    urls = {"CELERY_BROKER_URL": settings.CELERY_BROKER_URL, "CACHE_URL": settings.CACHE_URL}
    if open_urls := [name for name, url in urls.items() if _is_open_redis(url)]:
        text = f"Redis takes orders from any machine that reaches it: {', '.join(open_urls)}."
        hint = "Give Redis a password of its own, as in redis://:password@host, or use rediss://."
        yield Concern(text, hint, id="service.W028")


def _is_open_redis(url: str) -> bool:
    """Tell whether Redis is on another machine, without TLS and without a password of its own."""
    parts = urlsplit(url)
    if parts.scheme != "redis" or parts.hostname in {"localhost", "127.0.0.1", "::1"}:
        return False
    return unquote(parts.password or "") in {"", "redis", *KNOWN_PASSWORDS}


def _check_places() -> Iterator[CheckMessage]:
    """Check where rows, messages, counters and files are."""
    if settings.DATABASE_URL.startswith("sqlite"):
        hint = "Set DATABASE_URL to a PostgreSQL database."
        yield Concern("The database is SQLite.", hint, id="service.W007")
    if queue_addresses.is_folder_queue(settings.CELERY_BROKER_URL):
        hint = "Set CELERY_BROKER_URL to a Redis server."
        yield Concern("The queue is a folder.", hint, id="service.W008")
    if not settings.CACHE_URL.startswith(("redis://", "rediss://")):
        text = "The cache is a folder, and rate limits are counted in the database."
        hint = "Set CACHE_URL to a Redis server, where all web processes share the counters."
        yield Concern(text, hint, id="service.W020")
    if settings.STORAGE_URL.startswith("file://"):
        text = "Files are stored on this machine only, and not available to other machines."
        hint = "Set STORAGE_URL to an S3-compatible storage, or use one machine with a backup."
        yield Concern(text, hint, id="service.W015")
    if not settings.AUDIT_HEADS_URL:
        text = "Nothing outside of the service proves that the audit log was not rewritten."
        hint = "Set AUDIT_HEADS_URL to a write-once storage that this service cannot delete from."
        yield Concern(text, hint, id="service.W029")
    options = settings.STORAGES["default"].get("OPTIONS", {})
    if str(options.get("endpoint_url", "")).startswith("http://"):
        text = "Files are sent to their storage without encryption."
        hint = "Remove secure=false from STORAGE_URL unless the storage is in a private network."
        yield Concern(text, hint, id="service.W016")


def _check_mail() -> Iterator[CheckMessage]:
    """Check emails, logs and contacts."""
    if settings.EMAIL_BACKEND.split(".")[-2] in UNSENT_BACKENDS:
        text = "Emails are written to the log or a folder, not sent."
        yield Error(text, "Set EMAIL_URL to a mail server.", id="service.E017")
    if settings.EMAIL_HOST_PASSWORD and not (settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL):
        text = "The password of the mail server is sent without encryption."
        yield Concern(text, "Use smtp+tls:// or smtp+ssl:// in EMAIL_URL.", id="service.W018")
    if _is_https(settings.PUBLIC_URL) and settings.LOG_FORMAT != "json":
        hint = "Set LOG_FORMAT to json."
        yield Concern("Log lines are plain text, not JSON.", hint, id="service.W023")
    if not security_contacts():
        text = "No contact is set: error pages name no help desk, and there is no security.txt."
        hint = "Set CONTACT_EMAIL, and SECURITY_CONTACT if it differs for vulnerabilities."
        yield Concern(text, hint, id="service.W025")
    if settings.LOG_LEVEL == "DEBUG":
        text = "The log includes everything that libraries send and receive."
        yield Concern(text, "Set LOG_LEVEL to info.", id="service.W019")


def _is_https(address: str) -> bool:
    return address.startswith("https://")
