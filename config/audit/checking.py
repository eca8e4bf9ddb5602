"""Verifies the audit log against heads from elsewhere, and passes the new head on."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.utils import timezone

from config.audit import places
from filing.audit.chain import verification
from filing.audit.chain.links import Head
from filing.audit.chain.verification import Expectation
from filing.emails import outbox
from filing.emails.outbox import Draft
from filing.models import ChainCheck
from filing.receipts import chain_heads

log = logging.getLogger(__name__)

EMAIL = "audit-head"
FULL_EVERY = timedelta(days=7)
_HEAD = re.compile(r"Audit log: (?P<entries>\d+) entries, head (?P<hash>[0-9a-f]{64})")


def check(*, full: bool = False, expected: Iterable[Expectation | str] = ()) -> ChainCheck:
    """Verify the audit log and return the result. expected: heads besides those that are stored.

    Findings are errors in the log of the service.
    """
    check = verification.verify(full=full, expected=[*expected, *_stored_heads(full)])
    for sentence in check.findings:
        log.error("Audit log: %s", sentence)
    return check


def daily() -> ChainCheck:
    """Verify what is new, or everything once a week, and pass the head on."""
    since = timezone.now() - FULL_EVERY
    full = not ChainCheck.objects.filter(is_full=True, began_at__gte=since).exists()
    result = check(full=full)
    _pass_on(result)
    return result


def heads_in(lines: Iterable[str], source: str) -> Iterator[Expectation]:
    """Yield the heads in lines of the log of the service. source: its name."""
    for number, line in enumerate(lines, start=1):
        if found := _HEAD.search(line):
            head = Head(int(found["entries"]), found["hash"])
            yield Expectation(head, f"line {number} of {source}")


def heads_in_file(path: Path) -> Iterator[Expectation]:
    """Yield the heads in a log file. Raises: OSError."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        yield from heads_in(lines, str(path))


def _stored_heads(full: bool) -> Iterator[Expectation | str]:
    yield from chain_heads.of_receipts(all_of_them=full)
    try:
        yield from places.heads(all_of_them=full)
    except (OSError, BotoCoreError, ClientError, ValueError, KeyError) as error:
        yield f"The heads in AUDIT_HEADS_URL cannot be read: {error}"


def _pass_on(check: ChainCheck) -> None:
    """Write the head to the log, to the write-once place, and to the auditors."""
    head = Head(check.entries, check.head)
    log.info("Audit log: %d entries, head %s", *head)
    try:
        places.store_head(head, check.ended_at)
    except (OSError, BotoCoreError, ClientError) as error:
        log.error("The head of the audit log cannot be stored in AUDIT_HEADS_URL: %s", error)
    outbox.queue([_email(to, check) for to in settings.AUDIT_HEADS_EMAIL])


def _email(to: str, check: ChainCheck) -> Draft:
    """Return the email of a day. A later verification has another one if its findings differ."""
    day = check.ended_at.date()
    facts = {"check": check, "site": settings.PUBLIC_URL, "day": day}
    subject, text = outbox.render(EMAIL.replace("-", "_"), facts)
    about = (str(day), *check.findings)
    return Draft(EMAIL, outbox.key(EMAIL, *about, to), to, subject, text)
