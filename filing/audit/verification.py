"""Verifies the audit chain: finds entries that were changed, removed, inserted, moved or cut off.

A verification reads the entries of each seal again, computes their digest, and checks the hash and
the signature of the seal. The daily one reads what is new and counts the rest; a full one reads
everything. Neither can tell that the end is missing unless it is given a head from elsewhere: from
a receipt, the log, or a write-once place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db.models import Count, F, Q
from django.utils import timezone

from filing import day_hours
from filing.audit import chain, keys, sealing
from filing.audit.chain import EVIDENCE_TABLES, ChainHead, EvidenceTable, StoredEntry
from filing.audit.keys import NoUsableKey
from filing.models import ChainCheck, ChainLink, EntryRemoval, Seal, UnsealedEntry
from filing.receipts.proofs import decode_base64url

AT_ONCE = 5000  # entries, or heads
MAX_FINDINGS = 1000  # that a result keeps; all are counted
# Workers seal at each sweep. An entry that stays unsealed for so long was not seen by any.
SEALED_WITHIN = timedelta(minutes=15)


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


def verify_chain(*, full: bool = False, expected: Iterable[Expectation | str] = ()) -> ChainCheck:
    """Verify the chain and return the result, which is stored.

    full: everything, not only what was added since the last verification without findings.
    expected: heads that the chain must have had. Where there should be one and is none, a sentence
    that says so: it counts as a finding.
    """
    began_at = timezone.now()
    findings = ChainFindings()
    try:
        sealing.seal_entries()
    except NoUsableKey as error:
        findings.add_all([f"New entries cannot be sealed: {error}"])
    last = None if full else ChainCheck.objects.filter(finding_count=0).order_by("-pk").first()
    if last:
        head_then = Expectation(ChainHead(last.entries, last.head), "the last verification")
        changed = list(_unmet([head_then]))
        findings.add_all(changed)
        if changed or not _is_complete():
            last = None
    start = last and Seal.objects.filter(hash=last.head).first()
    after = start.entries if start else 0
    end = _Reading(start, findings).read()
    findings.add_all(_unsealed())
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
    return all(
        _count_difference(table, last.totals.get(name, 0) if last else 0) == 0
        for name, table in EVIDENCE_TABLES.items()
    )


def _count_difference(table: EvidenceTable, sealed: int) -> int:
    """Return how many entries there are more than were sealed and not removed since."""
    removed = sum(
        len(entries) for entries in _removals(table.name).values_list("entries", flat=True)
    )
    unsealed = UnsealedEntry.objects.filter(table=table.name, entry__in=table.rows.values("pk"))
    return table.rows.count() + removed - unsealed.count() - sealed


class _Reading:
    """One reading of the seals after a first one."""

    def __init__(self, start: Seal | None, findings: ChainFindings) -> None:
        """Begin after a seal, or at the first one."""
        self.findings = findings
        self.before = start or Seal(number=0, entries=0, totals={}, hash=chain.GENESIS)
        self.is_full = start is None
        self.read_ranges: dict[str, chain.Ranges] = defaultdict(list)
        self.removed: dict[str, dict[int, str]] = {}
        self.keys: dict[str, Ed25519PublicKey | None] = {}

    def read(self) -> ChainHead:
        """Read all seals with their entries, and return the head."""
        while seals := self._next_seals():
            entries = {name: self._entries_of(name, seals) for name in EVIDENCE_TABLES}
            for seal in seals:
                self.findings.add_all(self._of_seal(seal, entries))
                self.before = seal
        if self.is_full:
            for table in EVIDENCE_TABLES.values():
                self.findings.add_all(self._of_strangers(table))
        return ChainHead(self.before.entries, self.before.hash)

    def _next_seals(self) -> list[Seal]:
        """Return the next seals, with as many entries as fit."""
        later = Seal.objects.filter(number__gt=self.before.number).order_by("number")
        fitting = later.filter(entries__lte=self.before.entries + AT_ONCE)
        return list(fitting[:AT_ONCE]) or list(later[:1])

    def _entries_of(self, name: str, seals: list[Seal]) -> dict[int, tuple[StoredEntry, str]]:
        """Return the entries of a table under some seals, with their hashes."""
        table = EVIDENCE_TABLES[name]
        listed = {entry for seal in seals for _, entry in chain.list_keys(_of(name, seal.keys))}
        return {
            pk: (entry, table.hash_entry(entry))
            for pk, entry in table.read_entries(listed).items()
            if pk in listed
        }

    def _of_seal(
        self, seal: Seal, entries: dict[str, dict[int, tuple[StoredEntry, str]]]
    ) -> Iterator[str]:
        """Yield what is wrong with a seal and its entries."""
        if seal.number != self.before.number + 1:
            yield f"Seals {self.before.number + 1:,} to {seal.number - 1:,} are missing."
        elif seal.hash != sealing.hash_seal(self.before.hash, seal):
            yield (
                f"{_named(seal)} was changed or moved: its hash does not follow from the seal "
                "before."
            )
        if sentence := self._wrong_signature(seal):
            yield sentence
        hashes: dict[str, dict[int, str]] = {}
        for name, ranges in seal.keys.items():
            stored = entries.get(name, {})
            hashes[name] = {
                pk: stored[pk][1] if pk in stored else self._removed(name).get(pk, "")
                for _, pk in chain.list_keys({name: ranges})
            }
            self.read_ranges[name] += ranges
        if chain.digest_entries(seal.keys, hashes) != seal.digest:
            yield from _changed_entries(seal, entries, hashes)

    def _wrong_signature(self, seal: Seal) -> str:
        if seal.kid not in self.keys:
            self.keys[seal.kid] = keys.find_public_key(seal.kid)
        key = self.keys[seal.kid]
        if key is None:
            return (
                f"{_named(seal)} was signed with the key {seal.kid}, which is not of this service."
            )
        with suppress(InvalidSignature, ValueError):
            key.verify(decode_base64url(seal.signature), sealing.SIGNED_AS + seal.hash.encode())
            return ""
        return f"{_named(seal)} was changed: its signature does not fit it."

    def _removed(self, name: str) -> dict[int, str]:
        """Return the hashes of the entries of a table that were removed under a retention rule."""
        if name not in self.removed:
            removals = _removals(name).values_list("entries", "hashes")
            self.removed[name] = {
                pk: entry_hash
                for entries, hashes in removals.iterator()
                for pk, entry_hash in zip(entries, hashes, strict=False)
            }
        return self.removed[name]

    def _of_strangers(self, table: EvidenceTable) -> Iterator[str]:
        """Yield the entries of a table that are under no seal, and those that are there twice."""
        unsealed = UnsealedEntry.objects.filter(table=table.name).values("entry")
        rows = table.rows.exclude(pk__in=unsealed)
        sealed = chain.join_ranges(self.read_ranges[table.name])
        for first, last in _gaps(sealed):
            condition = Q(pk__gt=first) if last is None else Q(pk__gt=first, pk__lt=last)
            for pk, at in rows.filter(condition).values_list("pk", table.time).iterator():
                yield f"The {table.label} {pk} of {_moment(at)} is not in the chain."
        coded = table.rows.filter(fingerprint__contains=".")  # with a random number
        twice = coded.values("fingerprint").order_by()
        for each in twice.annotate(number=Count("pk")).filter(number__gt=1).iterator():
            copies = table.rows.filter(fingerprint=each["fingerprint"]).values_list("pk", flat=True)
            yield f"Copies of one {table.label}: {', '.join(map(str, sorted(copies)))}."


def _changed_entries(
    seal: Seal,
    entries: dict[str, dict[int, tuple[StoredEntry, str]]],
    hashes: dict[str, dict[int, str]],
) -> Iterator[str]:
    """Yield which entries of a seal are not what was sealed, as far as that can be told."""
    is_named = False
    for name, pk in chain.list_keys(seal.keys):
        label = f"the {EVIDENCE_TABLES[name].label} {pk}" if name in EVIDENCE_TABLES else name
        stored = entries.get(name, {}).get(pk)
        if stored is None and not hashes[name][pk]:
            is_named = True
            yield f"{_named(seal)}: {label} is missing."
        elif stored is not None and not EVIDENCE_TABLES[name].is_authentic(stored[0]):
            is_named = True
            yield f"{_named(seal)}: {label} was changed: its content does not have its fingerprint."
    if not is_named:
        yield f"{_named(seal)}: its entries are not those that were sealed."


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
            elif is_refused:
                yield (
                    f"The {table.label} {pk} of {_moment(times[pk])} was changed or inserted by "
                    "other means, or written by an earlier release: it has no fingerprint of this "
                    "service."
                )
            elif times[pk] < timezone.now() - SEALED_WITHIN:
                yield f"The {table.label} {pk} of {_moment(times[pk])} is not in the chain."


def _removals(table: str) -> Any:
    """Return the records of what was removed from a table. Refused ones do not count."""
    unsealed = UnsealedEntry.objects.filter(table=EntryRemoval.EVIDENCE, refused=True)
    return EntryRemoval.objects.filter(table=table).exclude(pk__in=unsealed.values("entry"))


def _of(name: str, keys_of_seal: dict[str, chain.Ranges]) -> dict[str, chain.Ranges]:
    return {name: keys_of_seal[name]} if name in keys_of_seal else {}


def _gaps(ranges: chain.Ranges) -> Iterator[tuple[int, int | None]]:
    """Yield where no range is: after which key, and before which one; none: there is no end."""
    last = -1
    for first, end in ranges:
        if first > last + 1:
            yield last, first
        last = end
    yield last, None


def _named(seal: Seal) -> str:
    return f"Seal {seal.number:,} of {_moment(seal.sealed_at)}"


def _moment(at: datetime) -> str:
    return day_hours.moment_in_words(at, seconds=True)
