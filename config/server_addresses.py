"""Settings for the servers that the service uses, from their addresses.

An address may hold a password: errors show it without. Every process reads this module, so it
imports the library of a server only for its address: each takes megabytes.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit, urlunsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from config.backends import queue_addresses

# A request does not wait for a server that is down: seconds for a connection, and milliseconds for
# an acknowledgment of what was sent.
POSTGRESQL_TIMEOUTS = {"connect_timeout": 3, "tcp_user_timeout": 15_000}
QUEUE_TIMEOUTS = {"socket_connect_timeout": 2, "socket_timeout": 10, "max_retries": 1}
CACHE_TIMEOUT_SECONDS = 0.5
CACHE_VERSION = 2  # of the form of values: no release reads those of another form
BUCKET_TIMEOUTS: dict[str, Any] = {
    "connect_timeout": 3,
    "read_timeout": 30,
    "retries": {"total_max_attempts": 2, "mode": "standard"},
}
_SPOOLED_BYTES = 8 << 20  # of a file in a bucket that is being read; a larger one is on the disk
_EMAIL_PORTS = {"EMAIL_USE_TLS": 587, "EMAIL_USE_SSL": 465}
_SCANNER_PORT = 3310
_ENCODED = "Characters of a password such as / # @ are written as %2F %23 %40."


def database_settings(url: str) -> dict[str, Any]:
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
        settings["OPTIONS"] = {**POSTGRESQL_TIMEOUTS, **settings.get("OPTIONS", {})}
    else:
        raise ImproperlyConfigured(
            f"DATABASE_URL={_without_password(url)!r} must begin with postgresql:// or sqlite:///."
        )
    settings["CONN_MAX_AGE"] = 60
    return settings


def cache_settings(url: str) -> dict[str, Any]:
    """Return Django's cache settings for an address.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    if url.startswith(("redis://", "rediss://")):
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        return {
            "BACKEND": "config.backends.caches.ForgivingRedis",
            "LOCATION": url,
            "VERSION": CACHE_VERSION,
            "OPTIONS": {
                "serializer": "config.backends.caches.TextSerializer",
                "socket_timeout": CACHE_TIMEOUT_SECONDS,
                "socket_connect_timeout": CACHE_TIMEOUT_SECONDS,
                "retry": Retry(NoBackoff(), 1),  # a kept connection may have ended
            },
        }
    if url.startswith("file://"):
        path = urlsplit(url).path
        backend = "config.backends.caches.ForgivingFolder"
        return {"BACKEND": backend, "LOCATION": path, "VERSION": CACHE_VERSION}
    raise ImproperlyConfigured(
        f"CACHE_URL={_without_password(url)!r} must begin with redis://, rediss:// or file://."
    )


def email_settings(url: str) -> dict[str, Any]:
    """Return Django's settings for sending email through an address.

    `smtp://user:password@host:25` for a server, `smtp+tls://` with STARTTLS, `smtp+ssl://` with TLS
    from the start; `consolemail://` for the log of the process that sends, `filemail:///folder`.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    try:
        settings = dict(environ.Env.email_url_config(url))
    except (ValueError, KeyError, ImproperlyConfigured):
        schemes = ", ".join(f"{scheme}://" for scheme in environ.Env.EMAIL_SCHEMES)
        raise ImproperlyConfigured(
            f"EMAIL_URL={_without_password(url)!r} cannot be read; begin with one of {schemes}. "
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


def storage_settings(url: str) -> dict[str, Any]:
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
    from botocore.config import Config

    query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    options = {
        "bucket_name": bucket,
        "default_acl": None,
        "querystring_auth": True,
        "max_memory_size": _SPOOLED_BYTES,
    }
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
    options["client_config"] = Config(s3=style, signature_version="s3v4", **BUCKET_TIMEOUTS)
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}


def target_settings(address: str, *, folder: str) -> dict[str, Any]:
    """Return Django's storage settings for a path, `file:///folder` or `s3://…/bucket/prefix`.

    folder: the path of the storage class for a folder.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    parts = urlsplit(address)
    if parts.scheme == "s3" and parts.path.strip("/"):
        bucket, _, prefix = parts.path.strip("/").partition("/")
        settings = storage_settings(urlunsplit(parts._replace(path=f"/{bucket}")))
        settings["OPTIONS"]["location"] = unquote(prefix)
        return settings
    path = Path(unquote(parts.path) if parts.scheme == "file" else address)
    if parts.scheme not in {"", "file"} or not path.is_absolute():
        raise ImproperlyConfigured(
            "Files go to a folder or a bucket; enter /folder, file:///folder or "
            "s3://key:secret@host/bucket/prefix."
        )
    return {"BACKEND": folder, "OPTIONS": {"location": str(path)}}


def broker_settings(url: str) -> tuple[str, dict[str, Any]]:
    """Return Celery's broker address and transport options.

    `filesystem:///folder` stores messages as files in that folder. A message only notifies workers:
    the job table is the truth, so one lost with a killed worker costs seconds, not a filing.

    Raises: ImproperlyConfigured for an address of another kind.
    """
    if url.startswith("filesystem://"):
        folder = Path(urlsplit(url).path)
        messages, control = folder / "messages", folder / "control"
        for path in (messages, control):
            path.mkdir(parents=True, exist_ok=True)
        return f"{queue_addresses.FOLDER_SCHEME}://", {
            "data_folder_in": str(messages),
            "data_folder_out": str(messages),
            "control_folder": str(control),
            "polling_interval": 0.05,
        }
    if url.startswith(("redis://", "rediss://")):
        # A request tries twice; workers have their own retries.
        pauses = {"interval_start": 0, "interval_step": 0.1}
        return url, {"visibility_timeout": 6 * 3600, **QUEUE_TIMEOUTS, **pauses}
    raise ImproperlyConfigured(
        f"CELERY_BROKER_URL={_without_password(url)!r} must begin with redis://, rediss:// or filesystem://."
    )


def scanner(url: str) -> tuple[str, int] | str | None:
    """Return where the virus scanner listens: host and port, or a path; none for a blank address.

    `clamd://host:3310`, or `clamd:///path` for a socket in the file system.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    if not url:
        return None
    try:
        parts = urlsplit(url)
        host, port, path = parts.hostname, parts.port, unquote(parts.path)
    except ValueError:
        host = port = path = None
    has_rest = parts.username or parts.query or parts.fragment if path is not None else True
    if url.startswith("clamd://") and not has_rest:
        if host and not (path or "").strip("/"):
            return host, port or _SCANNER_PORT
        if not parts.netloc and path and path != "/":
            return path
    raise ImproperlyConfigured(
        f"SCAN_URL={_without_password(url)!r} cannot be read; enter clamd://host:3310, or "
        "clamd:///run/clamav/clamd.ctl for a socket."
    )


def _without_password(url: str) -> str:
    """Return an address as errors show it, however wrong it is."""
    return re.sub(r"^(\w[\w+.-]*://)?([^:@]*):.*@", r"\1\2:...@", url, flags=re.S)
