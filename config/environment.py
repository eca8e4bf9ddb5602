"""Reads environment variables. An error names the variable, its value and what is accepted.

Each of them may be in a file instead, which `NAME_FILE` names: secrets then appear neither in the
environment of a process nor in the description of a container.
"""

from __future__ import annotations

import os
import re
import secrets
from base64 import b64decode
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import environ
from botocore.config import Config
from django.core.exceptions import ImproperlyConfigured
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.backends import folder_queue
from config.limits.policies import Policy, read

# A request does not wait for a server that is down: seconds for a connection, and milliseconds for
# an acknowledgment of what was sent.
POSTGRESQL_PATIENCE = {"connect_timeout": 3, "tcp_user_timeout": 15_000}
QUEUE_PATIENCE = {"socket_connect_timeout": 2, "socket_timeout": 10, "max_retries": 1}
CACHE_PATIENCE_SECONDS = 0.5
BUCKET_PATIENCE: dict[str, Any] = {
    "connect_timeout": 3,
    "read_timeout": 30,
    "retries": {"total_max_attempts": 2, "mode": "standard"},
}
_TRUE = {"1", "true", "yes", "on"}
_EMAIL_PORTS = {"EMAIL_USE_TLS": 587, "EMAIL_USE_SSL": 465}
_ENCODED = "Characters of a password such as / # @ are written as %2F %23 %40."
_FALSE = {"0", "false", "no", "off", ""}
# Every variable that was read here, which is every one that the settings know.
NAMES: set[str] = set()


def text(name: str, default: str = "") -> str:
    """Return the variable, or the text of the file that `NAME_FILE` names.

    The default is returned if neither is set, and for a blank text.

    Raises: ImproperlyConfigured if both are set, and for a file that cannot be read.
    """
    value, in_file = os.environ.get(name, "").strip(), f"{name}_FILE"
    NAMES.update((name, in_file))
    content = text_of_file(in_file)
    if value and content:
        raise ImproperlyConfigured(f"{name} and {in_file} are both set; set one of them.")
    return value or content or default


def text_of_file(name: str) -> str:
    """Return the text of the file that the variable names; blank if it is unset.

    Raises: ImproperlyConfigured for a file that cannot be read.
    """
    path = os.environ.get(name, "").strip()
    if not path:
        return ""
    try:
        return Path(path).read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(
            f"{name}={path!r} cannot be read: {error}; enter the path of a text file in UTF-8."
        ) from error


def contacts(name: str) -> list[str]:
    """Return the comma-separated contacts of the variable as https:, mailto: or tel: URIs.

    Raises: ImproperlyConfigured for anything but email addresses and such URIs.
    """
    return [_contact(name, word) for word in words(name)]


def _contact(name: str, word: str) -> str:
    if re.fullmatch(r"(https://|mailto:|tel:)\S+", word):
        return word
    if re.fullmatch(r"[^\s:@]+@[^\s@]+", word):
        return f"mailto:{word}"
    raise ImproperlyConfigured(
        f"{name}={word!r} is not a contact; enter an email address, or an address that begins with "
        "https://, mailto: or tel:."
    )


def omb_number(name: str) -> str:
    """Return the OMB control number of the variable; blank if it is unset.

    Raises: ImproperlyConfigured for anything else.
    """
    number = text(name)
    if number and not re.fullmatch(r"\d{4}-\d{4}", number):
        raise ImproperlyConfigured(
            f"{name}={number!r} is not an OMB control number; enter four digits, a hyphen and four "
            "digits, such as 3170-0008."
        )
    return number


def flag(name: str, *, default: bool) -> bool:
    """Return the variable as a boolean.

    Raises: ImproperlyConfigured for a text that is neither true nor false.
    """
    if name not in os.environ and f"{name}_FILE" not in os.environ:
        return default
    value = text(name).lower()
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name}={value!r} must be true or false.")


def number(name: str, default: int, *, at_least: int = 0) -> int:
    """Return the variable as a whole number.

    Raises: ImproperlyConfigured for anything else, and for a number below the minimum.
    """
    value = text(name, str(default))
    if not value.isdecimal() or int(value) < at_least:
        raise ImproperlyConfigured(
            f"{name}={value!r} must be a whole number of at least {at_least}."
        )
    return int(value)


def years(name: str, default: str) -> tuple[int, ...]:
    """Return the years of the variable, ascending.

    Raises: ImproperlyConfigured for anything but lists and ranges of years.
    """
    years: set[int] = set()
    for word in words(name, default):
        first, _, last = word.partition("-")
        ends = [first.strip(), (last or first).strip()]
        if not all(len(year) == 4 and year.isdecimal() for year in ends) or ends[0] > ends[1]:
            raise ImproperlyConfigured(
                f"{name}={word!r} must be years, such as 2018-2022 or 2018,2020."
            )
        years.update(range(int(ends[0]), int(ends[1]) + 1))
    return tuple(sorted(years))


def words(name: str, default: str = "") -> list[str]:
    """Return the comma-separated parts of the variable."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def reasons(name: str) -> dict[str, str]:
    """Return the reasons of the variable by what each is for: `service.E002: a pilot; ...`.

    Raises: ImproperlyConfigured for an entry without a reason.
    """
    reasons = {}
    for entry in filter(None, map(str.strip, text(name).split(";"))):
        subject, _, reason = map(str.strip, entry.partition(":"))
        if not subject or not reason:
            raise ImproperlyConfigured(
                f"{name} has the entry {entry!r} without a reason; enter the id of a check, a "
                "colon and the reason, such as service.W015: one machine, with a daily backup."
            )
        reasons[subject] = reason
    return reasons


def one_of(name: str, default: str, *known: str) -> str:
    """Return the variable, one of the known words, in lowercase.

    Raises: ImproperlyConfigured for any other word.
    """
    value = text(name, default).lower()
    if value not in known:
        raise ImproperlyConfigured(f"{name}={value!r} must be one of {', '.join(known)}.")
    return value


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Return the comma-separated networks of the variable; a single address counts as one.

    Raises: ImproperlyConfigured for anything else.
    """
    try:
        return [ip_network(word) for word in words(name)]
    except ValueError as error:
        raise ImproperlyConfigured(
            f"{name} cannot be read: {error}; enter networks such as 10.0.0.0/8,fd00::/8."
        ) from error


def limit(name: str, default: str) -> Policy | None:
    """Return the rate limit of the variable `LIMIT_...`, None if it is off.

    Raises: ImproperlyConfigured for anything else.
    """
    value = text(name, default)
    try:
        return read(name.removeprefix("LIMIT_").lower().replace("_", "-"), value)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}={value!r} cannot be read: {error}.") from error


def secret(name: str, kept_in: Path) -> str:
    """Return the secret from the environment or its file, else one made at the first start.

    The generated one is stored in a file that only its owner can read, for the next start.
    """
    if value := text(name):
        return value
    if not kept_in.exists():
        kept_in.parent.mkdir(parents=True, exist_ok=True)
        temporary = kept_in.with_suffix(f".{os.getpid()}")
        temporary.touch(mode=0o600)
        temporary.write_text(secrets.token_urlsafe(50))
        try:
            os.link(temporary, kept_in)  # the first of several processes wins; the others read it
        except FileExistsError:
            pass
        finally:
            temporary.unlink()
    return kept_in.read_text().strip()


def key(name: str) -> bytes:
    """Return the key of 256 bits of the variable or its file; blank if there is none.

    Raises: ImproperlyConfigured for anything else, without showing it.
    """
    value = text(name)
    try:
        key = bytes.fromhex(value) if len(value) == 64 else b64decode(value, validate=True)
    except ValueError:
        key = b"?"
    if key and len(key) != 32:
        raise ImproperlyConfigured(
            f"{name} or its file is not a key; enter 32 random bytes in base64, such as "
            "`openssl rand -base64 32` prints."
        )
    return key


def database(url: str) -> dict[str, Any]:
    """Return Django's database settings for an address.

    SQLite is set up for several processes: a write-ahead log, a timeout, and transactions that take
    the write lock at once (a deferred one that starts to write fails regardless of the timeout).
    Both keep connections open: closing the last one to SQLite writes the log back to the database,
    which takes longer than most requests.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    try:
        settings = dict(environ.Env.db_url_config(url))
    except (ValueError, KeyError):
        raise ImproperlyConfigured(
            f"DATABASE_URL={_without_password(url)!r} cannot be read; enter "
            f"postgresql://user:password@host/name. {_ENCODED}"
        ) from None
    if settings.get("ENGINE") == "django.db.backends.sqlite3":
        settings["OPTIONS"] = {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        }
    elif settings.get("ENGINE") == "django.db.backends.postgresql":
        settings["CONN_HEALTH_CHECKS"] = True
        settings["OPTIONS"] = {**POSTGRESQL_PATIENCE, **settings.get("OPTIONS", {})}
    else:
        raise ImproperlyConfigured(
            f"DATABASE_URL={_without_password(url)!r} must begin with postgresql:// or sqlite:///."
        )
    settings["CONN_MAX_AGE"] = 60
    return settings


def cache(url: str) -> dict[str, Any]:
    """Return Django's cache settings for an address.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    if url.startswith(("redis://", "rediss://")):
        return {
            "BACKEND": "config.backends.caches.Redis",
            "LOCATION": url,
            "OPTIONS": {
                "socket_timeout": CACHE_PATIENCE_SECONDS,
                "socket_connect_timeout": CACHE_PATIENCE_SECONDS,
                "retry": Retry(NoBackoff(), 1),  # a kept connection may have ended
            },
        }
    if url.startswith("file://"):
        path = urlsplit(url).path
        return {"BACKEND": "config.backends.caches.Folder", "LOCATION": path}
    raise ImproperlyConfigured(
        f"CACHE_URL={_without_password(url)!r} must begin with redis://, rediss:// or file://."
    )


def email(url: str) -> dict[str, Any]:
    """Return Django's settings for sending email through an address.

    `smtp://user:password@host:25` for a server, `smtp+tls://` with STARTTLS, `smtp+ssl://` with TLS
    from the start; `consolemail://` for the log of the process that sends, `filemail:///folder`.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    try:
        settings = dict(environ.Env.email_url_config(url))
    except (ValueError, KeyError, ImproperlyConfigured):
        known = ", ".join(f"{scheme}://" for scheme in environ.Env.EMAIL_SCHEMES)
        raise ImproperlyConfigured(
            f"EMAIL_URL={_without_password(url)!r} cannot be read; begin with one of {known}. "
            f"{_ENCODED}"
        ) from None
    if url.startswith("smtp") and not settings["EMAIL_HOST"]:
        raise ImproperlyConfigured(
            f"EMAIL_URL={_without_password(url)!r} has no host; enter smtp://host:25."
        )
    default_port = next((port for name, port in _EMAIL_PORTS.items() if settings.get(name)), 25)
    return {
        **settings,
        "EMAIL_FILE_PATH": unquote(urlsplit(url).path),
        "EMAIL_HOST_USER": settings["EMAIL_HOST_USER"] or "",
        "EMAIL_HOST_PASSWORD": settings["EMAIL_HOST_PASSWORD"] or "",
        "EMAIL_PORT": settings["EMAIL_PORT"] or default_port,
    }


def default_sender(url: str) -> str:
    """Return the sender of emails of a site that sets none."""
    return f"hmda@{urlsplit(url).hostname or 'localhost'}"


def storage(url: str) -> dict[str, Any]:
    """Return Django's storage settings for an address.

    `file:///folder`, or `s3://key:secret@host:port/bucket?region=...&secure=false` for any
    S3-compatible service; the host may be left out for Amazon's own.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    parts = urlsplit(url)
    if parts.scheme == "file":
        options: dict[str, Any] = {"location": unquote(parts.path)}
        return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": options}
    bucket = parts.path.strip("/")
    if parts.scheme != "s3" or not bucket:
        raise ImproperlyConfigured(
            f"STORAGE_URL={_without_password(url)!r} must be file:///folder or s3://key:secret@host/bucket."
        )
    query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    options = {"bucket_name": bucket, "default_acl": None, "querystring_auth": True}
    if parts.username:
        options["access_key"] = unquote(parts.username)
        options["secret_key"] = unquote(parts.password or "")
    if parts.hostname:
        scheme = "http" if query.get("secure") == "false" else "https"
        port = f":{parts.port}" if parts.port else ""
        options["endpoint_url"] = f"{scheme}://{parts.hostname}{port}"
        options["addressing_style"] = "path"
    if region := query.get("region"):
        options["region_name"] = region
    style = {"addressing_style": options["addressing_style"]} if parts.hostname else None
    # Regions opened since 2014 know no older signature of presigned addresses.
    options["client_config"] = Config(s3=style, signature_version="s3v4", **BUCKET_PATIENCE)
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}


def broker(url: str) -> tuple[str, dict[str, Any]]:
    """Return Celery's broker address and transport options.

    `filesystem:///folder` stores messages as files in that folder. The queue is only a doorbell:
    the job table is the truth, so a message lost with a killed worker costs seconds, not a filing.

    Raises: ImproperlyConfigured for an address of another kind.
    """
    if url.startswith("filesystem://"):
        folder = Path(urlsplit(url).path)
        messages, control = folder / "messages", folder / "control"
        for path in (messages, control):
            path.mkdir(parents=True, exist_ok=True)
        folder_queue.register()
        return f"{folder_queue.SCHEME}://", {
            "data_folder_in": str(messages),
            "data_folder_out": str(messages),
            "control_folder": str(control),
            "polling_interval": 0.05,
        }
    if url.startswith(("redis://", "rediss://")):
        # A request tries twice; workers have their own retries.
        pauses = {"interval_start": 0, "interval_step": 0.1}
        return url, {"visibility_timeout": 6 * 3600, **QUEUE_PATIENCE, **pauses}
    raise ImproperlyConfigured(
        f"CELERY_BROKER_URL={_without_password(url)!r} must begin with redis://, rediss:// or filesystem://."
    )


def _without_password(url: str) -> str:
    """Return an address as errors show it, however wrong it is."""
    return re.sub(r"^(\w[\w+.-]*://)?([^:@]*):.*@", r"\1\2:...@", url, flags=re.S)
