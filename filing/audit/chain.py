"""The audit chain: it binds the entries that are evidence, so that no change goes unnoticed.

Evidence is in five tables: audit log, status changes, signatures, attempts, removals. `sealing`
appends the links of new entries, `verification` finds entries that were changed, removed, inserted
or moved. Here is how a link is computed, the heads of the site and of submissions (its last links),
and the removal of entries under a retention rule.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db.models import BigIntegerField, Max, Model, QuerySet

from filing.models import (
    Attempt,
    ChainLink,
    EntryRemoval,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
)
from filing.models.append_only import permit_removal
from filing.models.database import Parameter, PreparedQuery

GENESIS = "0" * 64  # in place of the hash before the first link
_AT_ONCE = 1000  # submissions in one query
_FEW = 4  # submissions, for which a prepared query each takes less time than one for all


class LinkColumns(NamedTuple):
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


class ChainHead(NamedTuple):
    """The end of a chain: how many entries it has, and the hash of the last link."""

    entries: int
    hash: str


EMPTY_CHAIN = ChainHead(0, GENESIS)


def submission_hash(before: str, link: LinkColumns | ChainLink) -> str:
    """Return the hash of a link in the chain of its submission. before: of the link before."""
    return _hash(before, link.submission_position, link.table, link.entry, link.fingerprint)


def site_hash(before: str, link: LinkColumns | ChainLink) -> str:
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


@dataclass(frozen=True)
class EvidenceTable:
    """A table of evidence.

    name: as links store it. time: the column that says when an entry was written. submission: the
    path to the submission it is about; blank if it has none.
    """

    name: str
    label: str
    model: type[Model]
    time: str
    submission: str = ""

    @property
    def rows(self) -> QuerySet[Any]:
        """All entries, also for what the table's own manager refuses."""
        return QuerySet(self.model)


EVIDENCE_TABLES = {
    table.name: table
    for table in (
        EvidenceTable("log", "audit log entry", TrailEntry, "at"),
        EvidenceTable("status", "status change", StatusChange, "at", "submission_id"),
        EvidenceTable("signature", "signature", Signature, "signed_at", "submission_id"),
        EvidenceTable("attempt", "attempt", Attempt, "ended_at", "job__submission_id"),
        EvidenceTable("removal", "record of a removal", EntryRemoval, "at"),
    )
}


_OF_SITE = PreparedQuery(
    lambda: ChainLink.objects.order_by("-position").values_list("position", "hash")[:1]
)
_OF_SUBMISSION = PreparedQuery(
    lambda: (
        ChainLink.objects.filter(submission=Parameter("submission", BigIntegerField()))
        .order_by("-submission_position")
        .values_list("submission_position", "submission_hash")[:1]
    )
)


def find_head_of_site() -> ChainHead:
    """Return the head of the whole chain."""
    last = _OF_SITE.first()
    return ChainHead(*last) if last else EMPTY_CHAIN


def find_head_of_submission(submission: Submission) -> ChainHead:
    """Return the head of the chain of a submission."""
    last = _OF_SUBMISSION.first(submission=submission.pk)
    return ChainHead(*last) if last else EMPTY_CHAIN


def find_heads_of_submissions(
    submissions: Iterable[int], *, up_to: int | None = None
) -> dict[int, ChainHead]:
    """Return the heads of submissions that have links, by primary key.

    up_to: as they were when the chain of the site had so many links.
    """
    keys = list(submissions)
    if up_to is None and len(keys) <= _FEW:
        last = {pk: _OF_SUBMISSION.first(submission=pk) for pk in keys}
        return {pk: ChainHead(*columns) for pk, columns in last.items() if columns}
    heads: dict[int, ChainHead] = {}
    links = ChainLink.objects.order_by()
    if up_to is not None:
        links = links.filter(position__lte=up_to)
    for start in range(0, len(keys), _AT_ONCE):
        some = links.filter(submission__in=keys[start : start + _AT_ONCE])
        last_links = some.values("submission").annotate(last=Max("position")).values("last")
        rows = ChainLink.objects.order_by().filter(position__in=last_links)
        for pk, *head in rows.values_list("submission", "submission_position", "submission_hash"):
            heads[pk] = ChainHead(*head)
    return heads


def remove_entries(table: EvidenceTable, keys: Collection[int], *, rule: str) -> None:
    """Delete entries of a table in one transaction, with a record of it."""
    if not keys:
        return
    with permit_removal(table.model):
        EntryRemoval.objects.create(table=table.name, entries=sorted(keys), rule=rule)
        table.rows.filter(pk__in=keys).delete()
