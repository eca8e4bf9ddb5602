"""Reads the environment. A missing or bad value says which variable, what it held and what fits."""

from __future__ import annotations

import os
import re
import secrets
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import environ
from botocore.config import Config
from django.core.exceptions import ImproperlyConfigured
from redis.backoff import NoBackoff
from redis.retry import Retry

from config import folder_queue
from config.limits.policies import Policy, read

# A request does not wait for a server that is away: seconds for a connection; for an answer to
# what was sent, milliseconds until the network counts as broken.
POSTGRESQL_PATIENCE = {"connect_timeout": 3, "tcp_user_timeout": 15_000}
QUEUE_PATIENCE = {"socket_connect_timeout": 2, "socket_timeout": 10, "max_retries": 1}
CACHE_PATIENCE_SECONDS = 0.5
BUCKET_PATIENCE: dict[str, Any] = {
    "connect_timeout": 3,
    "read_timeout": 30,
    "retries": {"total_max_attempts": 2, "mode": "standard"},
}
_TRUE = {"1", "true", "yes", "on"}
_MAIL_PORTS = {"EMAIL_USE_TLS": 587, "EMAIL_USE_SSL": 465}
_FALSE = {"0", "false", "no", "off", ""}


def text(name: str, default: str = "") -> str:
    """Return the variable, or the default where it is unset or blank."""
    return os.environ.get(name, "").strip() or default


def text_of_file(name: str) -> str:
    """Return the text of the file whose path the variable is; blank where it is unset.

    Raises: ImproperlyConfigured for a file that cannot be read.
    """
    path = text(name)
    if not path:
        return ""
    try:
        return Path(path).read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(
            f"{name}={path!r} cannot be read: {error}; name a text file in UTF-8."
        ) from error


def contacts(name: str) -> list[str]:
    """Return the comma-separated contacts of the variable as URIs.

    Raises: ImproperlyConfigured for what is neither an email address nor such a URI.
    """
    return [_contact(name, word) for word in words(name)]


def _contact(name: str, word: str) -> str:
    if re.fullmatch(r"(https://|mailto:|tel:)\S+", word):
        return word
    if re.fullmatch(r"[^\s:@]+@[^\s@]+", word):
        return f"mailto:{word}"
    raise ImproperlyConfigured(
        f"{name}={word!r} is no contact: write an email address, or an address that begins with "
        "https://, mailto: or tel:."
    )


def omb_number(name: str) -> str:
    """Return the OMB control number of the variable, or a blank.

    Raises: ImproperlyConfigured for what is no such number.
    """
    number = text(name)
    if number and not re.fullmatch(r"\d{4}-\d{4}", number):
        raise ImproperlyConfigured(
            f"{name}={number!r} is no OMB control number: write four digits, a hyphen and four "
            "digits, such as 3170-0008."
        )
    return number


def flag(name: str, *, default: bool) -> bool:
    """Return the variable as a boolean.

    Raises: ImproperlyConfigured for a text that is neither yes nor no.
    """
    value = os.environ.get(name, "").strip().lower()
    if name not in os.environ:
        return default
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name}={value!r} is neither true nor false.")


def number(name: str, default: int, *, at_least: int = 0) -> int:
    """Return the variable as a whole number.

    Raises: ImproperlyConfigured for anything else, or a number below the least one.
    """
    value = text(name, str(default))
    if not value.isdecimal() or int(value) < at_least:
        raise ImproperlyConfigured(f"{name}={value!r} must be a whole number from {at_least} on.")
    return int(value)


def years(name: str, default: str) -> tuple[int, ...]:
    """Return the years of the variable, ascending.

    Raises: ImproperlyConfigured for what is neither a list of years nor a span of them.
    """
    found: set[int] = set()
    for word in words(name, default):
        first, _, last = word.partition("-")
        span = [first.strip(), (last or first).strip()]
        if not all(len(year) == 4 and year.isdecimal() for year in span) or span[0] > span[1]:
            raise ImproperlyConfigured(
                f"{name}={word!r} names no years: write them as 2018-2022 or 2018,2020."
            )
        found.update(range(int(span[0]), int(span[1]) + 1))
    return tuple(sorted(found))


def words(name: str, default: str = "") -> list[str]:
    """Return the comma-separated parts of the variable."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def one_of(name: str, default: str, *known: str) -> str:
    """Return the variable, which is one of the known words.

    Raises: ImproperlyConfigured for another one.
    """
    value = text(name, default).lower()
    if value not in known:
        raise ImproperlyConfigured(f"{name}={value!r} must be one of {', '.join(known)}.")
    return value


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Return the comma-separated networks of the variable; a single address is one, too.

    Raises: ImproperlyConfigured for what is no network.
    """
    try:
        return [ip_network(word) for word in words(name)]
    except ValueError as error:
        raise ImproperlyConfigured(
            f"{name} cannot be read: {error}. Write networks such as 10.0.0.0/8,fd00::/8."
        ) from error


def limit(name: str, default: str) -> Policy | None:
    """Return the limit that the variable `LIMIT_...` sets, or nothing where it is switched off.

    Raises: ImproperlyConfigured for what is no limit.
    """
    written = text(name, default)
    try:
        return read(name.removeprefix("LIMIT_").lower().replace("_", "-"), written)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}={written!r} cannot be read: {error}.") from error


def secret(name: str, kept_in: Path) -> str:
    """Return the secret from the environment, else the one made at the first start.

    A made secret is kept in a file that only its owner may read, so that a restart goes on with it.
    """
    if given := text(name):
        return given
    if not kept_in.exists():
        kept_in.parent.mkdir(parents=True, exist_ok=True)
        fresh = kept_in.with_suffix(f".{os.getpid()}")
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(50))
        try:
            os.link(fresh, kept_in)  # the first of several processes wins, the others read its word
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return kept_in.read_text().strip()


def database(url: str) -> dict[str, Any]:
    """Return Django's settings of a database address.

    SQLite is set for several processes: write-ahead log, transactions that take the write lock at
    once (a deferred one that turns from reading to writing fails whatever the timeout), patience.
    Both keep their connections: whoever closes the last one of SQLite writes the log back to the
    database, which takes longer than most requests.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    try:
        settings = dict(environ.Env.db_url_config(url))
    except (ValueError, KeyError) as error:
        raise ImproperlyConfigured(
            f"DATABASE_URL={url!r} cannot be read: {error}. Write postgresql://user@host/name."
        ) from error
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
        raise ImproperlyConfigured(f"DATABASE_URL={url!r} names neither PostgreSQL nor SQLite.")
    settings["CONN_MAX_AGE"] = 60
    return settings


def cache(url: str) -> dict[str, Any]:
    """Return Django's settings of a cache address.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    if url.startswith(("redis://", "rediss://")):
        return {
            "BACKEND": "config.caches.Redis",
            "LOCATION": url,
            "OPTIONS": {
                "socket_timeout": CACHE_PATIENCE_SECONDS,
                "socket_connect_timeout": CACHE_PATIENCE_SECONDS,
                "retry": Retry(NoBackoff(), 1),  # a kept connection may have ended
            },
        }
    if url.startswith("file://"):
        path = urlsplit(url).path
        return {"BACKEND": "config.caches.Folder", "LOCATION": path}
    raise ImproperlyConfigured(f"CACHE_URL={url!r} starts with neither redis:// nor file://.")


def email(url: str) -> dict[str, Any]:
    """Return Django's settings of a mail address: where mails go out.

    `smtp://user:password@host:25` for a server, `smtp+tls://` with STARTTLS, `smtp+ssl://` with TLS
    from the start; `consolemail://` for the log of the process that sends, `filemail:///folder`.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    try:
        settings = dict(environ.Env.email_url_config(url))
    except (ValueError, KeyError, ImproperlyConfigured) as error:
        known = ", ".join(f"{scheme}://" for scheme in environ.Env.EMAIL_SCHEMES)
        raise ImproperlyConfigured(
            f"EMAIL_URL={url!r} cannot be read: {error}. It starts with one of {known}."
        ) from error
    if url.startswith("smtp") and not settings["EMAIL_HOST"]:
        raise ImproperlyConfigured(f"EMAIL_URL={url!r} names no host: write smtp://host:25.")
    default_port = next((port for name, port in _MAIL_PORTS.items() if settings.get(name)), 25)
    return {
        **settings,
        "EMAIL_FILE_PATH": unquote(urlsplit(url).path),
        "EMAIL_HOST_USER": settings["EMAIL_HOST_USER"] or "",
        "EMAIL_HOST_PASSWORD": settings["EMAIL_HOST_PASSWORD"] or "",
        "EMAIL_PORT": settings["EMAIL_PORT"] or default_port,
    }


def mail_address_at(url: str) -> str:
    """Return the sender of mails of a site that names none."""
    return f"hmda@{urlsplit(url).hostname or 'localhost'}"


def storage(url: str) -> dict[str, Any]:
    """Return Django's settings of a file storage address.

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
            f"STORAGE_URL={url!r} cannot be read: write file:///folder or s3://key:secret@host/bucket."
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
    options["client_config"] = Config(s3=style, **BUCKET_PATIENCE)
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}


def broker(url: str) -> tuple[str, dict[str, Any]]:
    """Return Celery's broker address and transport options.

    `filesystem:///folder` keeps messages as files in that folder. It is only a doorbell: the job
    table is the truth, so a message that is lost with a killed worker costs seconds, not a filing.

    Raises: ImproperlyConfigured for an address of another kind.
    """
    if url.startswith("filesystem://"):
        folder = Path(urlsplit(url).path)
        messages, control = folder / "messages", folder / "control"
        for each in (messages, control):
            each.mkdir(parents=True, exist_ok=True)
        folder_queue.register()
        return f"{folder_queue.SCHEME}://", {
            "data_folder_in": str(messages),
            "data_folder_out": str(messages),
            "control_folder": str(control),
            "polling_interval": 0.05,
        }
    if url.startswith(("redis://", "rediss://")):
        # A request rings once, and once more; workers have a patience of their own.
        pauses = {"interval_start": 0, "interval_step": 0.1}
        return url, {"visibility_timeout": 6 * 3600, **QUEUE_PATIENCE, **pauses}
    raise ImproperlyConfigured(
        f"CELERY_BROKER_URL={url!r} starts with neither redis:// nor filesystem://."
    )
