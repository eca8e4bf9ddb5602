"""Verifies the audit chain: finds entries that were changed, removed, inserted, moved or cut off.

A verification reads the entries of each seal again, computes their digest, and checks the hash and
the signature of the seal, and when its entries say that they were written. The daily one reads what
is new and counts the rest; a full one reads everything. That the end is missing is seen by a later
head: of an earlier verification, a receipt, the log, or a write-once place.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any

from django.db.models import Count, F
from django.utils import timezone

from filing import day_hours
from filing.audit import chain, keys, sealing
from filing.audit.chain import EVIDENCE_TABLES, ChainHead, EvidenceTable, StoredEntry
from filing.audit.keys import NoUsableKey
from filing.models import (
    ChainCheck,
    ChainLink,
    EntryRemoval,
    RemovalPermit,
    Seal,
    Signature,
    StatusChange,
    UnsealedEntry,
)
from filing.models.append_only import REMOVABLE
from filing.models.columns import is_authentic_row
from filing.statuses import Status

AT_ONCE = 5000  # entries, or heads
MAX_FINDINGS = 1000  # that a result keeps; all are counted


@dataclass(frozen=True)
class Expectation:
    """A head that the chain had once, and where that is known from."""

    head: ChainHead
    source: str


@dataclass
class ChainFindings:
    """What a verification found: the first sentences, and how many there are in all."""

    sentences: list[str] = field(default_factory=list)
    count: int = 0

    def add_all(self, sentences: Iterable[str]) -> None:
        """Add sentences."""
        for sentence in sentences:
            self.count += 1
            if len(self.sentences) < MAX_FINDINGS:
                self.sentences.append(sentence)


def verify_chain(
    *,
    full: bool = False,
    expected: Iterable[Expectation | str] = (),
    progress: Callable[[int], None] = lambda entries: None,
) -> ChainCheck:
    """Verify the chain and return the result, which is stored.

    full: everything, not only what was added since the last verification without findings.
    expected: heads that the chain must have had. Where there should be one and is none, a sentence
    that says so: it counts as a finding. progress: takes the number of entries that were read.
    """
    began_at = timezone.now()
    findings = ChainFindings()
    try:
        sealing.seal_entries()
    except NoUsableKey as error:
        findings.add_all([f"New entries cannot be sealed: {error}"])
    checks = find_checks(finding_count=0)
    last = None if full else next(checks, None)
    changed = list(_unmet(map(_head_of, checks if full else [last] if last else [])))
    findings.add_all(changed)
    if changed or not _is_complete():
        last = None
    start = Seal.objects.filter(hash=last.head).first() if last else None
    after = start.entries if start else 0
    end = _Reading(start, findings).read(progress)
    findings.add_all(_unsealed())
    findings.add_all(_open_tables())
    findings.add_all(_unmet(expected))
    return ChainCheck.objects.create(
        began_at=began_at,
        is_full=start is None,
        after=after,
        entries=end.entries,
        head=end.hash,
        finding_count=findings.count,
        findings=findings.sentences,
    )


def find_checks(**which: Any) -> Iterator[ChainCheck]:
    """Yield the verifications that this service made, the last one first."""
    checks = ChainCheck.objects.filter(**which).order_by("-pk")
    return filter(is_authentic_row, checks.iterator(100))


def _head_of(check: ChainCheck) -> Expectation:
    head = ChainHead(check.entries, check.head)
    return Expectation(head, f"the verification of {_moment(check.ended_at)}")


def _open_tables() -> Iterator[str]:
    """Yield the tables for which a permit is there: no transaction of the service leaves one."""
    for table in RemovalPermit.objects.order_by("table").values_list("table", flat=True).distinct():
        yield f"A permit to remove rows of {table} was inserted by other means."


def _unmet(expected: Iterable[Expectation | str]) -> Iterator[str]:
    """Yield a sentence on each head that the chain does not have."""
    remaining = iter(expected)
    while some := list(islice(remaining, AT_ONCE)):
        places = {each.head.entries for each in some if isinstance(each, Expectation)}
        seals = Seal.objects.order_by().filter(entries__in=places).values_list("entries", "hash")
        links = ChainLink.objects.order_by().filter(position__in=places)
        known = {chain.EMPTY_CHAIN, *seals, *links.values_list("position", "hash")}
        for each in some:
            if isinstance(each, str):
                yield each
            elif tuple(each.head) not in known:
                yield _otherwise(each.head, each.source)


def _otherwise(head: ChainHead, source: str) -> str:
    """Return the sentence on a head that the chain does not have."""
    last = chain.find_head_of_site().entries
    if last < head.entries:
        return (
            f"The chain was cut off: it ends at {last:,}, and according to {source} it had "
            f"{head.entries:,} entries."
        )
    return (
        f"Entry {head.entries:,} of the chain is not the one that it was according to {source}: "
        f"its hash was {head.hash}."
    )


def _is_complete() -> bool:
    """Tell whether there are as many entries as were sealed: counting takes little time."""
    last = chain.find_last_seal()
    totals = last.totals if last else {}
    return all(
        _count_entries(table) == totals.get(name, 0) for name, table in EVIDENCE_TABLES.items()
    )


def _count_entries(table: EvidenceTable) -> int:
    """Return how many entries there are, with those removed since, without unsealed ones."""
    removed = sum(map(len, _removals(table.name).values_list("entries", flat=True)))
    unsealed = UnsealedEntry.objects.filter(table=table.name, entry__in=table.rows.values("pk"))
    return table.rows.count() + removed - unsealed.count()


class _Reading:
    """One reading of the seals after a first one."""

    def __init__(self, start: Seal | None, findings: ChainFindings) -> None:
        """Begin after a seal, or at the first one."""
        self.findings = findings
        self.before = start or Seal(number=0, entries=0, totals={}, hash=chain.GENESIS)
        self.is_full = start is None
        self.read_ranges: dict[str, chain.Ranges] = defaultdict(list)
        self.removed = cache(_removed)
        self.public_key = cache(keys.find_public_key)
        self.complete = sealing.find_complete_time(self.before.number)

    def read(self, progress: Callable[[int], None]) -> ChainHead:
        """Read all seals with their entries, and return the head."""
        while seals := self._next_seals():
            self._read_seals(seals)
            progress(self.before.entries)
        if self.is_full:
            for table in EVIDENCE_TABLES.values():
                self.findings.add_all(self._of_strangers(table))
        return ChainHead(self.before.entries, self.before.hash)

    def _next_seals(self) -> list[Seal]:
        """Return the next seals, with as many entries as fit."""
        later = Seal.objects.filter(number__gt=self.before.number).order_by("number")
        fitting = later.filter(entries__lte=self.before.entries + AT_ONCE)
        return list(fitting[:AT_ONCE]) or list(later[:1])

    def _read_seals(self, seals: list[Seal]) -> None:
        sound = []
        complete = {}
        for seal in seals:
            if sentence := self._fault_of(seal):
                self.findings.add_all([sentence])
            else:
                sound.append(seal)
            complete[seal.number] = self.complete
            if seal.size < sealing.AT_ONCE and not seal.adopted:
                self.complete = seal.sealed_at
            self.before = seal
        entries = {
            name: table.read_entries({pk for seal in sound for pk in seal.list_keys(name)})
            for name, table in EVIDENCE_TABLES.items()
        }
        for seal in sound:
            self.findings.add_all(self._of_entries(seal, entries))
            self.findings.add_all(_misdated(seal, entries, complete[seal.number]))
        self.findings.add_all(_without_history(sound))

    def _fault_of(self, seal: Seal) -> str:
        """Return what is wrong with a seal; blank if its entries can be relied on."""
        named = _named(seal)
        if seal.number != self.before.number + 1:
            return f"Seals {self.before.number + 1:,} to {seal.number - 1:,} are missing."
        if seal.hash != sealing.hash_seal(self.before.hash, seal):
            return f"{named} was changed or moved: its hash does not follow from the seal before."
        if (key := self.public_key(seal.kid)) is None:
            return f"{named} was signed with the key {seal.kid}, which is not of this service."
        if not sealing.is_signed(seal, key):
            return f"{named} was changed: its signature does not fit it."
        return ""

    def _of_entries(self, seal: Seal, entries: dict[str, dict[int, StoredEntry]]) -> Iterator[str]:
        """Yield what is wrong with the entries of a seal."""
        hashes = {name: self._hash_entries(seal, name, entries[name]) for name in seal.keys}
        if chain.digest_entries(hashes) != seal.digest:
            changed = [
                f"{_named(seal)}: {sentence}"
                for name in seal.keys
                for sentence in _changed_entries(name, hashes[name], entries[name])
            ]
            yield from changed or [f"{_named(seal)}: its entries are not those that were sealed."]

    def _hash_entries(
        self, seal: Seal, name: str, entries: dict[int, StoredEntry]
    ) -> dict[int, str]:
        """Return the hashes of the entries of a table, by key; blank for a missing one."""
        self.read_ranges[name] += seal.keys[name]
        return {
            pk: EVIDENCE_TABLES[name].hash_entry(entries[pk])
            if pk in entries
            else self.removed(name).get(pk, "")
            for pk in seal.list_keys(name)
        }

    def _of_strangers(self, table: EvidenceTable) -> Iterator[str]:
        """Yield the entries of a table that are under no seal, and those that are there twice."""
        sealed = chain.join_ranges(self.read_ranges[table.name])
        if self.findings.count or _count_entries(table) != self.before.totals.get(table.name, 0):
            unsealed = UnsealedEntry.objects.filter(table=table.name).values("entry")
            rows = table.rows.exclude(pk__in=unsealed).order_by("pk")
            for pk, at in rows.values_list("pk", table.time).iterator():
                place = bisect_right(sealed, [pk, math.inf])
                if not place or pk > sealed[place - 1][1]:
                    yield f"The {table.label} {pk} of {_moment(at)} is not in the chain."
        coded = table.rows.filter(fingerprint__contains=".")  # with a random number
        numbers = coded.order_by().values("fingerprint").annotate(number=Count("pk"))
        twice = numbers.filter(number__gt=1).values("fingerprint")
        for pk in table.rows.filter(fingerprint__in=twice).order_by("pk").values_list("pk"):
            yield f"The {table.label} {pk[0]} is there twice."


def _misdated(
    seal: Seal, entries: dict[str, dict[int, StoredEntry]], complete: datetime | None
) -> Iterator[str]:
    """Yield the entries of a seal that were not written when they say.

    complete: until when everything was sealed before.
    """
    if seal.adopted:
        return
    for name in seal.keys:
        for pk in entries[name].keys() & set(seal.list_keys(name)):
            at = entries[name][pk].at
            if not sealing.is_dated_right(at, sealed_at=seal.sealed_at, complete=complete):
                what = f"the {EVIDENCE_TABLES[name].label} {pk}"
                yield f"{_named(seal)}: {what} was not written on {_moment(at)}, as it says."


def _without_history(seals: list[Seal]) -> Iterator[str]:
    """Yield the signatures whose submission has no move to signed at that time."""
    pks = {pk for seal in seals if not seal.adopted for pk in seal.list_keys(Signature.EVIDENCE)}
    if not pks:
        return
    signatures = Signature.objects.filter(pk__in=pks).order_by("pk")
    moves = StatusChange.objects.filter(submission__signature__in=pks, after=Status.SIGNED)
    times = defaultdict(list)
    for submission, at in moves.order_by().values_list("submission", "at"):
        times[submission].append(at)
    for pk, submission, at in signatures.values_list("pk", "submission", "signed_at"):
        if not any(abs(each - at) <= sealing.SEALED_WITHIN for each in times[submission]):
            yield (
                f"The signature {pk} is dated {_moment(at)}; the history of its submission has no "
                "signature at that time."
            )


def _changed_entries(
    name: str, hashes: dict[int, str], entries: dict[int, StoredEntry]
) -> Iterator[str]:
    """Yield which entries of a table are not what was sealed, as far as that can be told."""
    table = EVIDENCE_TABLES[name]
    for pk, entry_hash in hashes.items():
        if not entry_hash:
            yield f"the {table.label} {pk} is missing."
        elif pk in entries and not table.is_authentic(entries[pk]):
            yield f"the {table.label} {pk} was changed: its content does not have its fingerprint."


def _unsealed() -> Iterator[str]:
    """Yield the entries that sealing refused, and those that it did not see for long."""
    for name, table in EVIDENCE_TABLES.items():
        listed = UnsealedEntry.objects.filter(table=name)
        refused = dict(listed.values_list("entry", "refused").order_by())
        times = dict(
            table.rows.filter(pk__in=listed.values("entry"))
            .annotate(written_at=F(table.time))
            .values_list("pk", "written_at")
        )
        for pk, is_refused in sorted(refused.items()):
            if pk not in times:
                yield f"The {table.label} {pk} is missing; it was never sealed."
            elif is_refused and is_authentic_row(table.rows.get(pk=pk)):
                yield f"The {table.label} {pk} was not written on {_moment(times[pk])}, as it says."
            elif is_refused:
                yield (
                    f"The {table.label} {pk} of {_moment(times[pk])} was changed or inserted by "
                    "other means, or written by an earlier release: it has no fingerprint of this "
                    "service."
                )
            elif times[pk] < timezone.now() - sealing.SEALED_WITHIN:
                yield f"The {table.label} {pk} of {_moment(times[pk])} is not in the chain."


def _removals(table: str) -> Any:
    """Return the records of what was removed from a table.

    Refused ones do not count, nor those of a table from which the service removes nothing.
    """
    if EVIDENCE_TABLES[table].model not in REMOVABLE:
        return EntryRemoval.objects.none()
    unsealed = UnsealedEntry.objects.filter(table=EntryRemoval.EVIDENCE, refused=True)
    return EntryRemoval.objects.filter(table=table).exclude(pk__in=unsealed.values("entry"))


def _removed(table: str) -> dict[int, str]:
    """Return the hashes of the entries of a table that were removed under a retention rule."""
    removals = _removals(table).values_list("entries", "hashes")
    return {
        pk: entry_hash
        for entries, hashes in removals.iterator()
        for pk, entry_hash in zip(entries, hashes, strict=False)
    }


def _named(seal: Seal) -> str:
    return f"Seal {seal.number:,} of {_moment(seal.sealed_at)}"


def _moment(at: datetime) -> str:
    return day_hours.moment_in_words(at, seconds=True)
