"""The settings, the software, folders and static files, and the proxy in front."""

from __future__ import annotations

import os
import re
import socket
import ssl
import stat
import sys
import time
from collections.abc import Iterator
from difflib import get_close_matches
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from django.conf import settings

from config import environment
from config.doctor.findings import Finding, Options, error, fine, left_out, warning
from config.identity import provider_calls
from config.running import data_folder, start_checks

# Read elsewhere than in the settings: by programs of `deploy`, and by commands.
_OTHERS = {
    *("HOST", "BIN", "DJANGO_SETTINGS_MODULE", "POLARS_MAX_THREADS", "POSTGRES_PASSWORD"),
    *("SENTRY_RELEASE", "SENTRY_TRACE", "SENTRY_BAGGAGE"),
}
# First words of settings that no other program is likely to use.
_UNMISTAKABLE = {
    *("APOR", "BROWSER", "JOB", "JOBS", "LIMIT", "METRICS", "OIDC", "OMB", "PERSONAL", "PUBLISH"),
    *("REFERENCE", "TRUSTED", "UPLOAD"),
}
_ALIKE = 0.85  # of names, from 0 to 1
_LEAST_FREE = 0.1  # of a disk, below which an operator should act
_CERTIFICATE_DAYS = 21
_SECONDS = 4


def settings_of_site(options: Options) -> Iterator[Finding]:
    """Look at the settings: `check --deploy`, misspelled variables, silenced checks."""
    yield from _misspelled()
    for name, reason in settings.SILENCED_CHECKS.items():
        yield left_out(f"Check {name} is silenced: {reason}")
    found = start_checks.result(for_production=settings.SECURE)
    for message in found.errors:
        yield error(f"{message.msg} ({message.id})", message.hint or "See the documents.")
    for message in found.warnings:
        yield warning(f"{message.msg} ({message.id})", message.hint or "See the documents.")
    if start_checks.is_reachable_without_https():
        yield warning(
            f"PUBLIC_URL is {settings.PUBLIC_URL}: what people send is not encrypted.",
            "Set PUBLIC_URL to an https address.",
        )
    elif not settings.SECURE:
        yield fine(
            "For trying out, since PUBLIC_URL is not https. `manage.py check --deploy` lists what "
            "a production site must set."
        )
    elif not found:
        yield fine("All checks of `check --deploy` pass.")


def _misspelled() -> Iterator[Finding]:
    known = environment.NAMES | _OTHERS
    for name in sorted({*os.environ} - known):
        alike = get_close_matches(name, known, n=1, cutoff=_ALIKE)
        if alike and alike[0] not in os.environ:
            yield warning(
                f"{name} is set, and no such setting exists.", f"Did you mean {alike[0]}?"
            )
        elif name.partition("_")[0] in _UNMISTAKABLE:
            yield warning(
                f"{name} is set, and no such setting exists.",
                "Correct or remove it; .env.example lists all settings.",
            )


def software(options: Options) -> Iterator[Finding]:
    """Look at Python and at the libraries, against the lock file."""
    python = ".".join(map(str, sys.version_info[:3]))
    lock = settings.BASE_DIR / "deploy" / "requirements.lock"
    if not lock.exists():
        yield warning(
            "The lock file deploy/requirements.lock is missing, so the versions of libraries "
            "cannot be compared.",
            "Install the release again.",
        )
        return
    locked = _locked(lock.read_text())
    wrong = []
    for name, versions in locked.items():
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            installed = "" if "" in versions else "missing"
        if installed and installed not in versions:
            wrong.append(f"{name} is {installed}, not {' or '.join(sorted(versions))}")
    if wrong:
        more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        yield error(
            f"Libraries differ from the lock file: {', '.join(wrong[:5])}{more}.",
            "Install them from deploy/requirements.lock, as the README says.",
        )
    else:
        yield fine(f"Python {python}; {len(locked)} libraries are as in the lock file.")


def _locked(text: str) -> dict[str, set[str]]:
    """Return the versions of each library in a lock file; blank beside those of some machines."""
    versions: dict[str, set[str]] = {}
    for line in text.splitlines():
        if match := re.match(r"([\w.-]+)(?:\[[\w,-]+\])?==([^\s;\\]+)\s*(;?)", line):
            versions.setdefault(match[1], set()).update({match[2]} | ({""} if match[3] else set()))
    return versions


def folders(options: Options) -> Iterator[Finding]:
    """Look at DATA_DIR: whether the service, and no other user, can use it."""
    folder = settings.DATA_DIR
    info = folder.stat()
    if info.st_uid != os.geteuid():
        yield warning(
            f"{folder} belongs to user {info.st_uid}, and this command runs as {os.geteuid()}.",
            "Run the commands as the user of the service, or files become unreadable for it.",
        )
    private = [folder / "secret-key", *settings.IDENTITY_KEY_DIR.glob("*")]
    open_to_others = [path.name for path in private if path.exists() and _is_open(path)]
    if _is_open(folder):
        yield warning(
            f"{folder} is open to other users of this machine.",
            "Run `manage.py prepare`, which closes it.",
        )
    if open_to_others:
        yield error(
            f"Other users can read these secrets: {', '.join(sorted(open_to_others))}.",
            f"Run `chmod 600` on them in {folder}, and replace them if anyone may have read them.",
        )
    closed = [
        path.name
        for path in (folder, settings.FILE_UPLOAD_TEMP_DIR, folder / "log")
        if path.exists() and not os.access(path, os.W_OK | os.X_OK)
    ]
    if closed:
        yield error(
            f"The service cannot write to {', '.join(closed)} in {folder}.",
            "Give these folders to the user of the service.",
        )
    yield from free_space(folder, "DATA_DIR")


def free_space(folder: Path, name: str) -> Iterator[Finding]:
    """Look at the room that is left on the disk of a folder."""
    disk = os.statvfs(folder)
    free, share = disk.f_bavail * disk.f_frsize, disk.f_bavail / max(disk.f_blocks, 1)
    text = f"{free / 1e9:,.1f} GB ({share:.0%}) are free on the disk of {name}."
    if share < _LEAST_FREE and free < 20e9:
        yield warning(text, "Run `manage.py clear_expired`, then enlarge the disk.")
    else:
        yield fine(text)


def _is_open(path: Path) -> bool:
    return bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))


def static_files(options: Options) -> Iterator[Finding]:
    """Look at the collected static files."""
    if not settings.STATIC_ROOT:
        yield fine("Served from the source folders, since STATIC_ROOT is not set.")
        return
    root = Path(settings.STATIC_ROOT)
    missing = [name for name in ("site.css", "site.css.gz") if not (root / name).is_file()]
    if missing:
        yield error(
            f"{root} lacks {', '.join(missing)}: pages have no style.",
            "Run `manage.py collectstatic --no-input --clear`.",
        )
    elif (root / "site.css").read_bytes() != (_SOURCE / "site.css").read_bytes():
        yield error(
            f"The files in {root} are of another release.",
            "Run `manage.py collectstatic --no-input --clear`.",
        )
    else:
        yield fine(f"Collected in {root}.")


_SOURCE = settings.BASE_DIR / "config" / "static"


def web(options: Options) -> Iterator[Finding]:
    """Look at the web process of this machine, and at the service that holds DATA_DIR."""
    service = data_folder.service_on(settings.DATA_DIR)
    if service and service.environment:
        here = data_folder.environment(settings)
        differing = [
            name for name, value in service.environment.items() if here.get(name, value) != value
        ]
        if differing:
            yield error(
                f"{str(service).capitalize()} has other values of {', '.join(differing)} than "
                "this command.",
                "Run the command with the environment of the service.",
            )
    address = f"http://127.0.0.1:{settings.PORT}/healthz"
    try:
        answer = httpx.get(address, timeout=_SECONDS, trust_env=False)
    except httpx.HTTPError as failure:
        yield warning(
            f"No web process answers on port {settings.PORT} of this machine: "
            f"{failure or type(failure).__name__}.",
            "Start it, or ignore this on a machine without one. Its log is web.log.",
        )
        return
    if answer.status_code == 200:
        yield fine(f"It answers on port {settings.PORT}.")
    else:
        yield error(
            f"{address} answers {answer.status_code}.",
            "Another program may use the port; else read web.log.",
        )


def proxy(options: Options) -> Iterator[Finding]:
    """Look at the site's own address, through its proxy and its certificate."""
    if not settings.SECURE:
        yield left_out("PUBLIC_URL is not https: there is no proxy to look at.")
        return
    address = f"{settings.PUBLIC_URL}/healthz"
    try:
        answer = provider_calls.call("GET", address, seconds=_SECONDS)
    except (httpx.HTTPError, httpx.InvalidURL) as failure:
        yield error(
            f"{address} cannot be reached from here: {failure or type(failure).__name__}.",
            "Look at DNS, the proxy, its certificate and the firewall.",
        )
        return
    if answer.status_code != 200:
        yield error(
            f"{address} answers {answer.status_code}.",
            "Let the proxy pass /healthz to the web process.",
        )
        return
    yield fine(f"{settings.PUBLIC_URL} answers through its proxy.")
    yield from _certificate(settings.PUBLIC_URL)


def _certificate(url: str) -> Iterator[Finding]:
    parts = urlsplit(url)
    host, context = parts.hostname or "", ssl.create_default_context()
    with (
        socket.create_connection((host, parts.port or 443), timeout=_SECONDS) as plain,
        context.wrap_socket(plain, server_hostname=host) as connection,
    ):
        certificate = connection.getpeercert() or {}
    ends = ssl.cert_time_to_seconds(str(certificate["notAfter"]))
    days = int((ends - time.time()) // 86_400)
    if days < _CERTIFICATE_DAYS:
        yield warning(f"The certificate of {host} ends in {days} days.", "Renew it.")
    else:
        yield fine(f"The certificate of {host} is valid for {days} days.")
