"""How a link of the audit chain is computed from its entry and the links before it."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import NamedTuple

from filing.models import ChainLink

GENESIS = "0" * 64  # in place of the hash before the first link


class Link(NamedTuple):
    """The columns of a link: where millions are read, a row of the table takes longer to make."""

    position: int
    table: str
    entry: int
    fingerprint: str
    submission: int | None
    submission_position: int
    submission_hash: str
    hash: str
    sealed_at: datetime
    adopted: bool


class Head(NamedTuple):
    """The end of a chain: how many entries it has, and the hash of the last link."""

    entries: int
    hash: str


EMPTY = Head(0, GENESIS)


def submission_hash(before: str, link: Link | ChainLink) -> str:
    """Return the hash of a link in the chain of its submission. before: of the link before."""
    return _hash(before, link.submission_position, link.table, link.entry, link.fingerprint)


def site_hash(before: str, link: Link | ChainLink) -> str:
    """Return the hash of a link in the chain of the site. before: of the link before.

    It covers all columns of the link.
    """
    return _hash(
        before,
        link.position,
        link.table,
        link.entry,
        link.fingerprint,
        "" if link.submission is None else link.submission,
        link.submission_position,
        link.submission_hash,
        link.sealed_at.astimezone(UTC).isoformat(timespec="microseconds"),
        int(link.adopted),
    )


def _hash(*parts: str | int) -> str:
    return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()
