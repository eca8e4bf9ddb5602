"""The daily verification of the audit log, and the heads of its chain in places out of reach.

The log is verified against heads from elsewhere, and the new head is passed on: to the log of the
service, to auditors, and to a write-once place, which is a folder or a bucket with object lock:

    AUDIT_HEADS_URL=s3://key:secret@host/bucket/prefix    an object that no one can delete in time
    AUDIT_HEADS_URL=file:///folder                        a file that is created and never written
                                                          again; the system must refuse the rest
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages
from django.utils import timezone

from config import server_addresses
from config.backups.targets import target_name
from filing.audit import keys, verification
from filing.audit.chain import ChainHead
from filing.audit.verification import Expectation
from filing.emails import outbox
from filing.emails.outbox import EmailDraft
from filing.models import ChainCheck
from filing.receipts import checking

log = logging.getLogger(__name__)

EMAIL = "audit-head"
FULL_EVERY = timedelta(days=7)
_HEAD_LINE = re.compile(r"Audit log: (?P<entries>\d+) entries, head (?P<hash>[0-9a-f]{64})")
_FOLDER = "heads"
RECENT = 30  # heads that the daily verification compares; a full one compares all


def verify_log(
    *,
    full: bool = False,
    expected: Iterable[Expectation | str] = (),
    progress: Callable[[int], None] = lambda entries: None,
) -> ChainCheck:
    """Verify the audit log and return the result. expected: heads besides those that are stored.

    progress: as in `verification.verify_chain`. Findings are errors in the log of the service.
    """
    check = verification.verify_chain(
        full=full, expected=[*expected, *_heads_elsewhere(full)], progress=progress
    )
    for sentence in check.findings:
        log.error("Audit log: %s", sentence)
    return check


def verify_daily() -> ChainCheck:
    """Verify what is new, or everything once a week and after findings, and pass the head on."""
    since = timezone.now() - FULL_EVERY
    complete = verification.find_checks(is_full=True, finding_count=0, began_at__gte=since)
    full = next(complete, None) is None
    keys.renew_endorsements()
    result = verify_log(full=full)
    _pass_on(result)
    return result


def read_heads(lines: Iterable[str], source: str) -> Iterator[Expectation]:
    """Yield the heads in lines of the log of the service. source: its name."""
    for number, line in enumerate(lines, start=1):
        if match := _HEAD_LINE.search(line):
            head = ChainHead(int(match["entries"]), match["hash"])
            yield Expectation(head, f"line {number} of {source}")


def read_heads_of_file(path: Path) -> Iterator[Expectation]:
    """Yield the heads in a log file. Raises: OSError."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        yield from read_heads(lines, str(path))


def store_head(head: ChainHead, at: datetime) -> str:
    """Store a head in the place of the settings; return its name, blank without a place.

    Raises: ImproperlyConfigured for an address that cannot be read.
    """
    place = _open_place(until=at + timedelta(days=settings.AUDIT_HEADS_DAYS))
    if place is None:
        return ""
    name = f"{_FOLDER}/{at:%Y-%m-%dT%H%M%S.%fZ}.json"
    statement = {
        "site": settings.PUBLIC_URL,
        "at": at.isoformat(timespec="seconds"),
        "entries": head.entries,
        "hash": head.hash,
    }
    return place.save(name, ContentFile(json.dumps(statement, indent=1).encode()))


def stored_heads(*, all_of_them: bool = False) -> Iterator[Expectation]:
    """Yield the heads that were stored in the place of the settings: the recent ones, or all."""
    place = _open_place()
    if place is None:
        return
    try:
        names = sorted(place.listdir(_FOLDER)[1])
    except FileNotFoundError:
        return
    for name in names if all_of_them else names[-RECENT:]:
        with place.open(f"{_FOLDER}/{name}") as file:
            content = json.load(file)
        source = f"{_FOLDER}/{name} in {target_name(place)}"
        yield Expectation(ChainHead(content["entries"], content["hash"]), source)


def _heads_elsewhere(full: bool) -> Iterator[Expectation | str]:
    yield from checking.find_heads_in_receipts(all_of_them=full)
    try:
        yield from stored_heads(all_of_them=full)
    except (OSError, BotoCoreError, ClientError, ValueError, KeyError) as error:
        yield f"The heads in AUDIT_HEADS_URL cannot be read: {error}"


def _pass_on(check: ChainCheck) -> None:
    """Write the head to the log, to the write-once place, and to the auditors."""
    head = ChainHead(check.entries, check.head)
    log.info("Audit log: %d entries, head %s", *head)
    try:
        store_head(head, check.ended_at)
    except (OSError, BotoCoreError, ClientError) as error:
        log.error("The head of the audit log cannot be stored in AUDIT_HEADS_URL: %s", error)
    outbox.queue_emails([_email(to, check) for to in settings.AUDIT_HEADS_EMAIL])


def _email(to: str, check: ChainCheck) -> EmailDraft:
    """Return the email of a day. A later verification has another one if its findings differ."""
    day = check.ended_at.date()
    facts = {"check": check, "site": settings.PUBLIC_URL, "day": day}
    about = (str(day), *check.findings)
    return outbox.draft_email(EMAIL, about, to, facts, template=EMAIL.replace("-", "_"))


def _open_place(*, until: datetime | None = None) -> Storage | None:
    """Return the place of the settings, if there is one.

    until: new objects of a bucket are locked as long.
    """
    if not settings.AUDIT_HEADS_URL:
        return None
    folder = "django.core.files.storage.FileSystemStorage"
    definition = server_addresses.target_settings(settings.AUDIT_HEADS_URL, folder=folder)
    if definition["BACKEND"] == folder:
        definition["OPTIONS"]["file_permissions_mode"] = 0o444
    elif until:  # in compliance mode: no user can end the lock
        definition["OPTIONS"]["object_parameters"] = {
            "ChecksumAlgorithm": "SHA256",
            "ObjectLockMode": "COMPLIANCE",
            "ObjectLockRetainUntilDate": until,
        }
    return storages.create_storage(definition)
