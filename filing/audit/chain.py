"""The audit chain: the tables of evidence, the heads of their seals, and how entries are read.

Evidence is in five tables: audit log, status changes, signatures, attempts, removals. Its entries
are authenticated when they are written (`filing.models.columns`). `sealing` seals them, each seal
being a signed statement on what is new and on the seal before, and `verification` finds what was
changed, removed or inserted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from filing.models import (
    Attempt,
    EntryRemoval,
    Seal,
    Signature,
    StatusChange,
    TrailEntry,
)
from filing.models.columns import find_revision, hash_values, is_authentic
from filing.models.database import PreparedQuery

GENESIS = "0" * 64  # in place of the hash before the first seal
Ranges = list[list[int]]


class ChainHead(NamedTuple):
    """The end of the chain: how many entries are sealed, and the hash of the last seal."""

    entries: int
    hash: str


EMPTY_CHAIN = ChainHead(0, GENESIS)


class StoredEntry(NamedTuple):
    """An entry as it is in the database.

    at: when it says that it was written. values: in the order of the columns of the revision that
    its fingerprint names. is_covered: false, and values are all columns, if there is no such
    revision or a later column is filled.
    """

    at: datetime
    fingerprint: str
    values: list[Any]
    is_covered: bool = True


@dataclass(frozen=True)
class EvidenceTable:
    """A table of evidence.

    label: of an entry, in a sentence. time: the column that says when an entry was written.
    """

    label: str
    model: Any
    time: str

    @property
    def name(self) -> str:
        """The name of the table in seals."""
        return str(self.model.EVIDENCE)

    @property
    def rows(self) -> QuerySet[Any]:
        """All entries, also for what the table's own manager refuses."""
        return QuerySet(self.model)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that the fingerprints of any revision cover."""
        contents = self.model.CONTENT.values()
        return tuple(dict.fromkeys(name for names in contents for name in names))

    def read_entries(self, keys: Collection[int]) -> dict[int, StoredEntry]:
        """Return the entries with these primary keys, and perhaps others."""
        if not keys:
            return {}
        first, last = min(keys), max(keys)
        is_dense = last - first < 2 * len(keys)
        condition = Q(pk__range=(first, last)) if is_dense else Q(pk__in=list(keys))
        rows = self.rows.filter(condition).order_by()
        return {
            pk: self._entry(fingerprint, values)
            for pk, fingerprint, *values in rows.values_list("pk", "fingerprint", *self.columns)
        }

    def is_authentic(self, entry: StoredEntry) -> bool:
        """Tell whether the service wrote an entry."""
        return entry.is_covered and is_authentic(self.model, entry.fingerprint, entry.values)

    def hash_entry(self, entry: StoredEntry) -> str:
        """Return the hash of an entry."""
        return hash_values(self.model, entry.fingerprint, entry.values)

    def _entry(self, fingerprint: str, values: list[Any]) -> StoredEntry:
        covered = self.model.CONTENT.get(find_revision(fingerprint, self.model))
        at = values[self.columns.index(self.time)]
        if covered == self.columns:
            return StoredEntry(at, fingerprint, values)
        by_name = dict(zip(self.columns, values, strict=True))
        if not covered or any(by_name[name] for name in self.columns if name not in covered):
            return StoredEntry(at, fingerprint, values, is_covered=False)
        return StoredEntry(at, fingerprint, [by_name[name] for name in covered])


EVIDENCE_TABLES = {
    table.name: table
    for table in (
        EvidenceTable("audit log entry", TrailEntry, "at"),
        EvidenceTable("status change", StatusChange, "at"),
        EvidenceTable("signature", Signature, "signed_at"),
        EvidenceTable("attempt", Attempt, "ended_at"),
        EvidenceTable("record of a removal", EntryRemoval, "at"),
    )
}
_LAST_SEAL = PreparedQuery(lambda: Seal.objects.order_by("-number")[:1])


def find_last_seal() -> Seal | None:
    """Return the last seal; none if nothing is sealed yet."""
    return _LAST_SEAL.first()


def find_head_of_site() -> ChainHead:
    """Return the head of the whole chain."""
    last = find_last_seal()
    return ChainHead(last.entries, last.hash) if last else EMPTY_CHAIN


def hash_status_changes(submissions: Collection[int]) -> dict[int, list[str]]:
    """Return the hashes of the status changes of submissions, in their order, by primary key."""
    changes = StatusChange.objects.filter(submission__in=submissions).order_by("pk")
    submission_of = dict(changes.values_list("pk", "submission"))
    table = EVIDENCE_TABLES[StatusChange.EVIDENCE]
    entries = table.read_entries(submission_of)
    hashes: dict[int, list[str]] = {}
    for pk, submission in submission_of.items():
        hashes.setdefault(submission, []).append(table.hash_entry(entries[pk]))
    return hashes


def join_hashes(hashes: Collection[str]) -> ChainHead:
    """Return the head of a submission: how many status changes it has, and a hash over them."""
    return ChainHead(len(hashes), hashlib.sha256("".join(hashes).encode()).hexdigest())


def digest_entries(hashes: Mapping[str, Mapping[int, str]]) -> str:
    """Return the digest of a seal. hashes: of its entries, by table and primary key."""
    digest = hashlib.sha256()
    for table in sorted(hashes):
        for pk, entry_hash in sorted(hashes[table].items()):
            digest.update(f"{table}:{pk}:{entry_hash}\n".encode())
    return digest.hexdigest()


def join_ranges(ranges: Iterable[list[int]]) -> Ranges:
    """Return ranges of keys, from first to last, sorted, and joined where they meet."""
    joined: Ranges = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1][1] = max(last, joined[-1][1])
        else:
            joined.append([first, last])
    return joined
