"""Live checks of this machine: settings, software, folders and static files, the web process."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from datetime import datetime
from difflib import get_close_matches
from importlib import metadata
from pathlib import Path
from typing import Any

import httpx
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Debug, Error, Info
from django.core.checks import Warning as Concern
from django.utils import timezone

from config import environment
from config.health.live_checks import DOCTOR, LIVE_CHECKS
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
_SECONDS = 4
_UNITS = ((86_400, "days"), (3_600, "hours"), (60, "minutes"))


@LIVE_CHECKS.register("settings", DOCTOR)
def check_settings(**options: Any) -> Iterator[CheckMessage]:
    """Check the settings: `check --deploy`, misspelled variables, silenced checks."""
    yield from _find_misspelled()
    for name, reason in settings.SILENCED_CHECKS.items():
        yield Info(f"Check {name} is silenced: {reason}")
    messages = start_checks.run_checks(for_production=settings.SECURE)
    for each in messages:
        yield CheckMessage(
            min(each.level, checks.ERROR),
            f"{each.msg} ({each.id})",
            each.hint or "See the documents.",
            id=each.id,
        )
    if start_checks.is_reachable_without_https():
        text = f"PUBLIC_URL is {settings.PUBLIC_URL}: what people send is not encrypted."
        yield Concern(text, "Set PUBLIC_URL to an https address.", id="settings.http")
    elif not settings.SECURE:
        yield Debug(
            "For trying out, since PUBLIC_URL is not https. `manage.py check --deploy` lists what "
            "a production site must set."
        )
    elif not messages:
        yield Debug("All checks of `check --deploy` pass.")


def _find_misspelled() -> Iterator[CheckMessage]:
    names = environment.NAMES | _OTHERS
    for name in sorted({*os.environ} - names):
        alike = get_close_matches(name, names, n=1, cutoff=_ALIKE)
        if alike and alike[0] not in os.environ:
            hint = f"Did you mean {alike[0]}?"
        elif name.partition("_")[0] in _UNMISTAKABLE:
            hint = "Correct or remove it; .env.example lists all settings."
        else:
            continue
        text = f"{name} is set, and no such setting exists."
        yield Concern(text, hint, obj=name, id="settings.unknown")


@LIVE_CHECKS.register("software", DOCTOR)
def check_software(**options: Any) -> Iterator[CheckMessage]:
    """Compare the libraries with the lock file."""
    lock = settings.BASE_DIR / "deploy" / "requirements.lock"
    if not lock.exists():
        yield Concern(
            "The lock file deploy/requirements.lock is missing, so the versions of libraries "
            "cannot be compared.",
            "Install the release again.",
            id="software.no_lock",
        )
        return
    locked = _read_versions(lock.read_text())
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
        text = f"Libraries differ from the lock file: {', '.join(wrong[:5])}{more}."
        hint = "Install them from deploy/requirements.lock, as the README says."
        yield Error(text, hint, id="software.differs")
    else:
        python = ".".join(map(str, sys.version_info[:3]))
        yield Debug(f"Python {python}; {len(locked)} libraries are as in the lock file.")


def _read_versions(text: str) -> dict[str, set[str]]:
    """Return the versions of each library in a lock file; blank beside those of some machines."""
    versions: dict[str, set[str]] = {}
    for line in text.splitlines():
        if match := re.match(r"([\w.-]+)(?:\[[\w,-]+\])?==([^\s;\\]+)\s*(;?)", line):
            versions.setdefault(match[1], set()).update({match[2]} | ({""} if match[3] else set()))
    return versions


@LIVE_CHECKS.register("folders", DOCTOR)
def check_folders(**options: Any) -> Iterator[CheckMessage]:
    """Check that the service, and no other user, can use DATA_DIR."""
    folder = settings.DATA_DIR
    owner = folder.stat().st_uid
    if owner != os.geteuid():
        text = f"{folder} belongs to user {owner}, and this command runs as {os.geteuid()}."
        hint = "Run the commands as the user of the service, or files become unreadable for it."
        yield Concern(text, hint, id="folders.owner")
    if _is_open(folder):
        text = f"{folder} is open to other users of this machine."
        yield Concern(text, "Run `manage.py prepare`, which closes it.", id="folders.open")
    private = [folder / "secret-key", *settings.IDENTITY_KEY_DIR.glob("*")]
    if secrets := sorted(path.name for path in private if path.exists() and _is_open(path)):
        yield Error(
            f"Other users can read these secrets: {', '.join(secrets)}.",
            f"Run `chmod 600` on them in {folder}, and replace them if anyone may have read them.",
            id="folders.open_secrets",
        )
    places = (folder, settings.FILE_UPLOAD_TEMP_DIR, folder / "log")
    if closed := [
        path.name for path in places if path.exists() and not os.access(path, os.W_OK | os.X_OK)
    ]:
        text = f"The service cannot write to {', '.join(closed)} in {folder}."
        yield Error(text, "Give these folders to the user of the service.", id="folders.closed")
    yield check_free_space(folder, "DATA_DIR")


def check_free_space(folder: Path, name: str) -> CheckMessage:
    """Return a message about the room that is left on the disk of a folder."""
    disk = os.statvfs(folder)
    free, share = disk.f_bavail * disk.f_frsize, disk.f_bavail / max(disk.f_blocks, 1)
    text = f"{free / 1e9:,.1f} GB ({share:.0%}) are free on the disk of {name}."
    if share >= _LEAST_FREE or free >= 20e9:
        return Debug(text)
    hint = "Run `manage.py clear_expired`, then enlarge the disk."
    return Concern(text, hint, id="folders.full")


def _is_open(path: Path) -> bool:
    return bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))


@LIVE_CHECKS.register("static files", DOCTOR)
def check_static_files(**options: Any) -> Iterator[CheckMessage]:
    """Check that the collected static files are those of this release."""
    if not settings.STATIC_ROOT:
        yield Debug("Served from the source folders, since STATIC_ROOT is not set.")
        return
    root, source = Path(settings.STATIC_ROOT), settings.BASE_DIR / "config" / "static" / "site.css"
    hint = "Run `manage.py collectstatic --no-input --clear`."
    missing = [name for name in ("site.css", "site.css.gz") if not (root / name).is_file()]
    if missing:
        text = f"{root} lacks {', '.join(missing)}: pages have no style."
        yield Error(text, hint, id="static.missing")
    elif (root / "site.css").read_bytes() != source.read_bytes():
        yield Error(f"The files in {root} are of another release.", hint, id="static.old")
    else:
        yield Debug(f"Collected in {root}.")


@LIVE_CHECKS.register("web", DOCTOR)
def check_web_process(**options: Any) -> Iterator[CheckMessage]:
    """Check the web process of this machine, and the service that holds DATA_DIR."""
    service = data_folder.find_service(settings.DATA_DIR)
    if service and service.environment:
        here, there = data_folder.shared_environment(settings), service.environment
        if names := [name for name, value in there.items() if here.get(name, value) != value]:
            service_name = str(service).capitalize()
            text = f"{service_name} has other values of {', '.join(names)} than this command."
            hint = "Run the command with the environment of the service."
            yield Error(text, hint, id="web.environment")
    address = f"http://127.0.0.1:{settings.PORT}/healthz"
    try:
        answer = httpx.get(address, timeout=_SECONDS, trust_env=False)
    except httpx.HTTPError as failure:
        yield Concern(
            f"No web process answers on port {settings.PORT} of this machine: "
            f"{failure or type(failure).__name__}.",
            "Start it, or ignore this on a machine without one. Its log is web.log.",
            id="web.away",
        )
        return
    own = data_folder.identify_folder(settings.DATA_DIR)
    if answer.headers.get(data_folder.FOLDER_HEADER, own) != own:
        text = f"A service with another data folder than {settings.DATA_DIR} answers at {address}."
        hint = "Set DATA_DIR and PORT to those of one service."
        yield Error(text, hint, id="web.other_service")
    elif answer.status_code == 200:
        yield Debug(f"It answers on port {settings.PORT}.")
    else:
        hint = "Another program may use the port; else read web.log."
        yield Error(f"{address} answers {answer.status_code}.", hint, id="web.status")


def describe_age(seconds: float) -> str:
    """Return an age as `40 seconds`, `12 minutes`, `5 hours` or `3 days`."""
    for size, word in _UNITS:
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {word}"
    return f"{seconds:.0f} seconds"


def seconds_since(moment: datetime) -> float:
    """Return the seconds since a moment; 0 for one in the future."""
    return max(0.0, (timezone.now() - moment).total_seconds())
