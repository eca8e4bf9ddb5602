"""System checks for what is fine on a laptop and a mistake in production.

They stand beside those of the framework and of the libraries, which see to cookies, HSTS, redirects
to https, `DEBUG` and the length of the secret key.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as Doubt

from config import folder_queue
from config.statements import security_contacts

LONGEST_TOKEN_SECONDS = 900
LONGEST_PERSONAL_TOKEN_DAYS = 366
KNOWN_PASSWORDS = {"hmda", "postgres", "password", "changeme", "secret"}
MAIL_THAT_STAYS = ("console", "dummy", "filebased", "locmem")
DEMO_LOGINS = "demo-logins"  # the file that `prepare --demo` writes


@dataclass(frozen=True)
class Mistake:
    """Something that a production site must not do, or, as a doubt, should think about.

    made: whether this site does it. text may name a `{detail}`, which `made` then returns.
    """

    number: int
    made: Callable[[], object]
    text: str
    hint: str
    kind: type[Error | Doubt] = Error

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


def _mail_stays() -> bool:
    return settings.EMAIL_BACKEND.split(".")[-2] in MAIL_THAT_STAYS


def _mail_password_is_seen() -> bool:
    return bool(settings.EMAIL_HOST_PASSWORD) and not (
        settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL
    )


def _own_host_is_refused() -> bool:
    host, allowed = urlsplit(settings.PUBLIC_URL).hostname or "", settings.ALLOWED_HOSTS
    return not any(
        name in {"*", host} or (name.startswith(".") and f".{host}".endswith(name))
        for name in allowed
    )


def _database_password_is_known() -> bool:
    return unquote(urlsplit(settings.DATABASE_URL).password or "") in KNOWN_PASSWORDS


def _store_is_reached_in_the_open() -> bool:
    options = settings.STORAGES["default"].get("OPTIONS", {})
    return str(options.get("endpoint_url", "")).startswith("http://")


MISTAKES = (
    # what only this site may know
    Mistake(
        1,
        lambda: not os.environ.get("SECRET_KEY", "").strip(),
        "SECRET_KEY was made at first start.",
        "Set SECRET_KEY in the environment.",
    ),
    Mistake(
        11,
        _database_password_is_known,
        "The password of the database is one that everybody tries.",
        "Give the database a password of its own, and DATABASE_URL with it.",
    ),
    Mistake(
        12,
        lambda: Path(settings.DATA_DIR, DEMO_LOGINS).exists(),
        "Logins that were made to try the service are there.",
        f"Lock out their users in the admin and delete {DEMO_LOGINS} in DATA_DIR.",
    ),
    Mistake(
        24,
        lambda: settings.TEST_LEIS,
        "LEIs with wrong check digits are taken into the panel.",
        "Leave TEST_LEIS out of the environment unless this is a site to test with.",
        Doubt,
    ),
    # who signs in
    Mistake(
        2,
        lambda: settings.EMBEDDED_PROVIDER,
        "The embedded identity provider is on.",
        "Set OIDC_ISSUER to the address of your OpenID provider.",
    ),
    Mistake(
        3,
        lambda: not _is_https(settings.OIDC_ISSUER),
        "The issuer of tokens is not https.",
        "Give OIDC_ISSUER an https address.",
    ),
    Mistake(
        9,
        lambda: settings.OIDC_JWKS_URL and not _is_https(settings.OIDC_JWKS_URL),
        "The keys of the issuer are fetched without https.",
        "Give OIDC_JWKS_URL an https address, or leave it blank.",
    ),
    Mistake(
        10,
        lambda: settings.ACCESS_TOKEN_SECONDS > LONGEST_TOKEN_SECONDS,
        "Access tokens live long.",
        f"Set ACCESS_TOKEN_SECONDS to {LONGEST_TOKEN_SECONDS}.",
        Doubt,
    ),
    Mistake(
        13,
        lambda: (
            settings.PERSONAL_TOKENS_ENABLED
            and settings.PERSONAL_TOKEN_DAYS > LONGEST_PERSONAL_TOKEN_DAYS
        ),
        "Personal tokens may live longer than a year.",
        f"Set PERSONAL_TOKEN_DAYS to {LONGEST_PERSONAL_TOKEN_DAYS} or less.",
        Doubt,
    ),
    # how the site is reached
    Mistake(
        5,
        lambda: not _is_https(settings.PUBLIC_URL),
        "The site's own address is not https.",
        "Give PUBLIC_URL an https address.",
    ),
    Mistake(
        6,
        lambda: "*" in settings.ALLOWED_HOSTS,
        "Any host name is answered.",
        "Set ALLOWED_HOSTS to the site's host names.",
    ),
    Mistake(
        14,
        _own_host_is_refused,
        "The site does not answer to the host name of its own address.",
        "Set ALLOWED_HOSTS so that it has the host name of PUBLIC_URL.",
    ),
    Mistake(
        21,
        _unlimited,
        "Some requests are not limited: {detail}.",
        "Give each LIMIT_... a rate.",
    ),
    Mistake(
        22,
        lambda: _is_https(settings.PUBLIC_URL) and not settings.TRUSTED_PROXIES,
        "No proxy is trusted, so all callers behind one have its address and share its limit.",
        "Set TRUSTED_PROXIES to the networks of the proxies that end https for this service.",
        Doubt,
    ),
    # what it stands on
    Mistake(
        7,
        lambda: settings.DATABASE_URL.startswith("sqlite"),
        "The database is SQLite.",
        "Set DATABASE_URL to a PostgreSQL.",
        Doubt,
    ),
    Mistake(
        8,
        lambda: settings.CELERY_BROKER_URL.startswith(folder_queue.SCHEME),
        "The queue is a folder.",
        "Set CELERY_BROKER_URL to a Redis.",
        Doubt,
    ),
    Mistake(
        20,
        lambda: not _is_redis(settings.CACHE_URL),
        "The cache is a folder, and the limits are counted in the database.",
        "Set CACHE_URL to a Redis: all web processes then count in one place, and quickly.",
        Doubt,
    ),
    Mistake(
        15,
        lambda: settings.STORAGE_URL.startswith("file://"),
        "Files are kept on this machine alone: other machines of the service do not see them.",
        "Set STORAGE_URL to an S3-compatible store, or keep to one machine with a backup.",
        Doubt,
    ),
    Mistake(
        16,
        _store_is_reached_in_the_open,
        "Files travel to their store without encryption.",
        "Leave secure=false out of STORAGE_URL unless the store stands in a network of its own.",
        Doubt,
    ),
    # what it says, and to whom
    Mistake(
        17,
        _mail_stays,
        "Email is written to the log or a folder and reaches no one.",
        "Set EMAIL_URL to a mail server.",
    ),
    Mistake(
        18,
        _mail_password_is_seen,
        "The password of the mail server is sent without encryption.",
        "Write smtp+tls:// or smtp+ssl:// in EMAIL_URL.",
        Doubt,
    ),
    Mistake(
        23,
        lambda: _is_https(settings.PUBLIC_URL) and settings.LOG_FORMAT != "json",
        "Log lines are text for people.",
        "Set LOG_FORMAT to json.",
        Doubt,
    ),
    Mistake(
        25,
        lambda: not security_contacts(),
        "No one is named to contact: error pages name no help desk, and there is no security.txt.",
        "Set CONTACT_EMAIL, and SECURITY_CONTACT if vulnerabilities are reported elsewhere.",
        Doubt,
    ),
    Mistake(
        19,
        lambda: settings.LOG_LEVEL == "DEBUG",
        "The log tells everything, also what libraries send and receive.",
        "Set LOG_LEVEL to info.",
        Doubt,
    ),
)


@register(Tags.security, deploy=True)
def production(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """Complain, in words, of every mistake that this site makes."""
    made = ((mistake, mistake.made()) for mistake in MISTAKES)
    return [mistake.message(detail) for mistake, detail in made if detail]
