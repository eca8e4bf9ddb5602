"""System checks for settings that are fine on a laptop and a mistake in production.

They complement those of the framework and the libraries, which check cookies, HSTS, redirects to
https, `DEBUG` and the length of the secret key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as Concern

from config import environment
from config.backends import folder_queue
from config.pages.statements import security_contacts
from filing.receipts import keys as receipt_keys

LONGEST_TOKEN_SECONDS = 900
SHORTEST_METRICS_TOKEN = 16  # characters
LONGEST_PERSONAL_TOKEN_DAYS = 366
KNOWN_PASSWORDS = {"hmda", "postgres", "password", "changeme", "secret"}
UNSENT_BACKENDS = ("console", "dummy", "filebased", "locmem")
DEMO_LOGINS = "demo-logins"  # the file with passwords that `prepare --demo` writes


@dataclass(frozen=True)
class Mistake:
    """A setting that a production site must not have or, as a warning, should consider.

    made: whether this site has it. The text may contain `{detail}`, which `made` then returns.
    """

    number: int
    made: Callable[[], object]
    text: str
    hint: str
    kind: type[Error | Concern] = Error

    def message(self, detail: object) -> CheckMessage:
        letter = "E" if self.kind is Error else "W"
        return self.kind(
            self.text.format(detail=detail), hint=self.hint, id=f"service.{letter}{self.number:03}"
        )


def _is_https(address: str) -> bool:
    return address.startswith("https://")


def _is_redis(address: str) -> bool:
    return address.startswith(("redis://", "rediss://"))


def _unlimited() -> str:
    return ", ".join(name for name, policy in settings.LIMITS.items() if policy is None)


def _email_is_not_sent() -> bool:
    return settings.EMAIL_BACKEND.split(".")[-2] in UNSENT_BACKENDS


def _email_password_is_readable() -> bool:
    return bool(settings.EMAIL_HOST_PASSWORD) and not (
        settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL
    )


def _receipt_key_fault() -> str:
    """Return why receipts cannot be signed; blank if they can."""
    if not settings.SIGNING_ENABLED:
        return ""
    try:
        receipt_keys.examine()
    except receipt_keys.NoUsableKey as problem:
        return str(problem)
    return ""


def _own_host_is_refused() -> bool:
    host, allowed = urlsplit(settings.PUBLIC_URL).hostname or "", settings.ALLOWED_HOSTS
    return not any(
        name in {"*", host} or (name.startswith(".") and f".{host}".endswith(name))
        for name in allowed
    )


def _database_password_is_known() -> bool:
    return unquote(urlsplit(settings.DATABASE_URL).password or "") in KNOWN_PASSWORDS


def _storage_is_unencrypted() -> bool:
    options = settings.STORAGES["default"].get("OPTIONS", {})
    return str(options.get("endpoint_url", "")).startswith("http://")


MISTAKES = (
    # secrets
    Mistake(
        1,
        lambda: not environment.text("SECRET_KEY"),
        "SECRET_KEY was generated at the first start.",
        "Set SECRET_KEY in the environment, or SECRET_KEY_FILE to the path of a file with it.",
    ),
    Mistake(
        11,
        _database_password_is_known,
        "The database password is one that attackers try first.",
        "Choose another database password, and set it in DATABASE_URL.",
    ),
    Mistake(
        12,
        lambda: Path(settings.DATA_DIR, DEMO_LOGINS).exists(),
        "The demo accounts exist.",
        f"Disable these users in the admin and delete {DEMO_LOGINS} in DATA_DIR.",
    ),
    Mistake(
        24,
        lambda: settings.TEST_LEIS,
        "The panel accepts LEIs with wrong check digits.",
        "Remove TEST_LEIS from the environment unless this is a test site.",
        Concern,
    ),
    Mistake(
        26,
        lambda: 0 < len(settings.METRICS_TOKEN) < SHORTEST_METRICS_TOKEN,
        "The token of /metrics is short enough to be guessed.",
        "Set METRICS_TOKEN to the output of `openssl rand -hex 32`.",
    ),
    Mistake(
        27,
        _receipt_key_fault,
        "Receipts cannot be signed: {detail}",
        "Correct it; filings can be signed meanwhile, and their receipts are signed afterward.",
    ),
    # sign-in
    Mistake(
        2,
        lambda: settings.EMBEDDED_PROVIDER,
        "The embedded identity provider is on.",
        "Set OIDC_ISSUER to the address of your OpenID provider.",
    ),
    Mistake(
        3,
        lambda: not _is_https(settings.OIDC_ISSUER),
        "The address of the token issuer is not https.",
        "Set OIDC_ISSUER to an https address.",
    ),
    Mistake(
        9,
        lambda: settings.OIDC_JWKS_URL and not _is_https(settings.OIDC_JWKS_URL),
        "The issuer's keys are fetched without https.",
        "Set OIDC_JWKS_URL to an https address, or leave it blank.",
    ),
    Mistake(
        10,
        lambda: settings.ACCESS_TOKEN_SECONDS > LONGEST_TOKEN_SECONDS,
        "Access tokens are valid for a long time.",
        f"Set ACCESS_TOKEN_SECONDS to {LONGEST_TOKEN_SECONDS} or less.",
        Concern,
    ),
    Mistake(
        13,
        lambda: (
            settings.PERSONAL_TOKENS_ENABLED
            and settings.PERSONAL_TOKEN_DAYS > LONGEST_PERSONAL_TOKEN_DAYS
        ),
        "Personal tokens can be valid for longer than a year.",
        f"Set PERSONAL_TOKEN_DAYS to {LONGEST_PERSONAL_TOKEN_DAYS} or less.",
        Concern,
    ),
    # addresses and proxies
    Mistake(
        5,
        lambda: not _is_https(settings.PUBLIC_URL),
        "The site's own address is not https.",
        "Set PUBLIC_URL to an https address.",
    ),
    Mistake(
        6,
        lambda: "*" in settings.ALLOWED_HOSTS,
        "The site answers to any host name.",
        "Set ALLOWED_HOSTS to the site's host names.",
    ),
    Mistake(
        14,
        _own_host_is_refused,
        "The site does not answer to the host name of its own address.",
        "Add the host name of PUBLIC_URL to ALLOWED_HOSTS.",
    ),
    Mistake(
        21,
        _unlimited,
        "These rate limits are off: {detail}.",
        "Set a rate for each LIMIT_... variable.",
    ),
    Mistake(
        22,
        lambda: _is_https(settings.PUBLIC_URL) and not settings.TRUSTED_PROXIES,
        "No proxy is trusted, so all callers behind a proxy share its rate limit.",
        "Set TRUSTED_PROXIES to the networks of the proxies in front of this service.",
        Concern,
    ),
    # database, queue, cache, storage
    Mistake(
        7,
        lambda: settings.DATABASE_URL.startswith("sqlite"),
        "The database is SQLite.",
        "Set DATABASE_URL to a PostgreSQL database.",
        Concern,
    ),
    Mistake(
        8,
        lambda: folder_queue.is_folder(settings.CELERY_BROKER_URL),
        "The queue is a folder.",
        "Set CELERY_BROKER_URL to a Redis server.",
        Concern,
    ),
    Mistake(
        20,
        lambda: not _is_redis(settings.CACHE_URL),
        "The cache is a folder, and rate limits are counted in the database.",
        "Set CACHE_URL to a Redis server, where all web processes share the counters.",
        Concern,
    ),
    Mistake(
        15,
        lambda: settings.STORAGE_URL.startswith("file://"),
        "Files are stored on this machine only, and not available to other machines.",
        "Set STORAGE_URL to an S3-compatible storage, or use one machine with a backup.",
        Concern,
    ),
    Mistake(
        16,
        _storage_is_unencrypted,
        "Files are sent to their storage without encryption.",
        "Remove secure=false from STORAGE_URL unless the storage is in a private network.",
        Concern,
    ),
    # email, logs, contacts
    Mistake(
        17,
        _email_is_not_sent,
        "Emails are written to the log or a folder, not sent.",
        "Set EMAIL_URL to a mail server.",
    ),
    Mistake(
        18,
        _email_password_is_readable,
        "The password of the mail server is sent without encryption.",
        "Use smtp+tls:// or smtp+ssl:// in EMAIL_URL.",
        Concern,
    ),
    Mistake(
        23,
        lambda: _is_https(settings.PUBLIC_URL) and settings.LOG_FORMAT != "json",
        "Log lines are plain text, not JSON.",
        "Set LOG_FORMAT to json.",
        Concern,
    ),
    Mistake(
        25,
        lambda: not security_contacts(),
        "No contact is set: error pages name no help desk, and there is no security.txt.",
        "Set CONTACT_EMAIL, and SECURITY_CONTACT if it differs for vulnerabilities.",
        Concern,
    ),
    Mistake(
        19,
        lambda: settings.LOG_LEVEL == "DEBUG",
        "The log includes everything that libraries send and receive.",
        "Set LOG_LEVEL to info.",
        Concern,
    ),
)


@register(Tags.security, deploy=True)
def production(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """Return a message for every mistake of this site."""
    results = ((mistake, mistake.made()) for mistake in MISTAKES)
    return [mistake.message(detail) for mistake, detail in results if detail]
