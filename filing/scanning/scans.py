"""The virus scan of uploaded files, where the site has a scanner (`SCAN_URL`).

A file that was not scanned is not clean: it is not accepted, and its sender is told to try again.
So scanning is done while a file is received, before anything of it is stored, and a file that the
scanner refuses is never kept.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from django.conf import settings

from filing import audit
from filing.access import Caller
from filing.audit import refusals
from filing.errors import BadInput, Busy
from filing.models import AuditEvent
from filing.scanning import clamd

log = logging.getLogger(__name__)

RETRY_SECONDS = 60
UP_SECONDS = 2  # in which a scanner that is up says so
RESULTS = ("clean", "infected", "not_scanned")


class Infected(BadInput):
    """The scanner knows what is in the file. signature: the name that it gave it."""

    def __init__(self, signature: str) -> None:
        super().__init__(
            f"The virus scan found {signature} in the file, so the file was refused and deleted. "
            "Scan the computer that it comes from, and upload a clean file."
        )
        self.signature = signature


class NotScanned(Busy):
    """No one knows whether the file is clean."""

    def __init__(self, trouble: clamd.Trouble) -> None:
        super().__init__(
            f"The file was not accepted, because it was not scanned for viruses. {trouble.value} "
            f"Try again in {RETRY_SECONDS} seconds.",
            RETRY_SECONDS,
        )


@dataclass(frozen=True)
class Facts:
    """What the audit log says of a file that is not kept. lei, submission: blank for no filing."""

    name: str
    sha256: str
    lei: str = ""
    submission: str = ""


def _count_nothing(result: str) -> None:
    """Count nothing: this process has no metrics."""


_count: Callable[[str], None] = _count_nothing


def count_by(count: Callable[[str], None]) -> None:
    """Set what counts the results, which are those of `RESULTS`."""
    global _count
    _count = count


def address() -> clamd.Address | None:
    """Return where the scanner listens; none where this site does not scan uploads."""
    where: clamd.Address | None = settings.SCAN_ADDRESS
    return where


def require_up() -> None:
    """Require that the scanner answers, before a file is received in vain.

    Raises: NotScanned.
    """
    if scanner := address():
        try:
            clamd.require_up(scanner, seconds=UP_SECONDS)
        except clamd.NoVerdict as reason:
            raise _not_scanned(reason) from reason


def require_clean(file: IO[bytes], facts: Facts, *, by: Caller | None) -> None:
    """Require that the scanner has read a whole file and knows nothing bad of it.

    by: who sent it, for the audit log; none where no one is signed in.

    Raises: Infected, after an entry in the audit log; NotScanned.
    """
    scanner = address()
    if scanner is None:
        return
    try:
        signature = clamd.signature_in(file, scanner, seconds=settings.SCAN_SECONDS)
    except clamd.NoVerdict as reason:
        raise _not_scanned(reason) from reason
    if signature:
        _count("infected")
        _record(signature, facts, by=by)
        raise Infected(signature)
    _count("clean")


def _record(signature: str, facts: Facts, *, by: Caller | None) -> None:
    about = facts.submission or facts.name
    reason = f"Signature {signature}, SHA-256 {facts.sha256}, file name {facts.name[:255]}."
    log.warning("The virus scan found %s in a file with SHA-256 %s", signature, facts.sha256)
    if by:
        event = AuditEvent.FILE_INFECTED
        audit.record_refusal(event, by=by, lei=facts.lei, about=about, reason=reason)
    else:  # anyone can cause any number of them
        refusals.note(AuditEvent.FILE_INFECTED, about=about[:255], reason=reason)


def _not_scanned(reason: clamd.NoVerdict) -> NotScanned:
    log.warning("An upload was not scanned: %s", reason)
    _count("not_scanned")
    return NotScanned(reason.trouble)
