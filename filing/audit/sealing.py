"""Seals entries: a signed statement on what was written since the seal before.

The database lists each new entry in the transaction that writes it, so no writer waits for another.
Soon after, one process at a time seals what was committed by then: workers do so at each sweep, and
whoever signs does so in the transaction of the signature. What the service did not write, or not at
the time that the entry says, is never sealed; an operator may adopt it, which the seal says.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections import defaultdict
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from filing.audit import chain, keys
from filing.audit.chain import EVIDENCE_TABLES, EvidenceTable
from filing.audit.keys import NoUsableKey, SigningKey
from filing.models import ChainState, EntryRemoval, Seal, UnsealedEntry
from filing.models.append_only import permit_removal
from filing.models.columns import is_authentic_row
from filing.receipts.proofs import decode_base64url, encode_base64url

log = logging.getLogger(__name__)

AT_ONCE = 2000  # entries under one seal
# Workers seal at each sweep. An entry that stays unsealed for so long was not seen by any; one that
# says that it was written so long before was not written then. Clocks may differ by as much.
SEALED_WITHIN = timedelta(minutes=15)
_SIGNED_AS = b"audit seal "  # so that the signature fits nothing else
_LISTED_BY = "0002_seals"
_ONLY = 1  # the primary key of the state


def seal_entries() -> int:
    """Seal all entries that are committed and not sealed yet; return how many.

    Raises: NoUsableKey.
    """
    return _seal_repeatedly(UnsealedEntry.objects.filter(refused=False), adopted=False)


def adopt_entries(among: QuerySet[UnsealedEntry] | None = None) -> int:
    """Seal what sealing has refused, as not authenticated; return how many entries.

    It makes no difference who wrote them. Entries that are gone stay refused. among: of the list
    of unsealed entries; default, all.

    Raises: NoUsableKey.
    """
    refused = UnsealedEntry.objects.filter(refused=True)
    if among is not None:
        refused = refused.filter(pk__in=among)
    return _seal_repeatedly(refused, adopted=True)


def adopt_waiting_entries() -> None:
    """Seal the entries that wait, those that are not authentic or not dated right as adopted.

    Call this only for entries that something else vouches for, or that are made up.

    Raises: NoUsableKey.
    """
    listed = UnsealedEntry.objects.order_by("-pk")
    refused = list(listed.filter(refused=True).values_list("pk", flat=True))
    last = listed.values_list("pk", flat=True).first() or 0
    seal_entries()
    adopt_entries(listed.filter(pk__lte=last).exclude(pk__in=refused).order_by())


def adopt_former_release(*, plan: Collection[tuple[Any, bool]] = (), **options: Any) -> None:
    """Adopt the entries and keys of release 1.0.0, right after the migration that listed them.

    Called after each migration. plan: what was migrated.
    """
    if not any(migration.name == _LISTED_BY and not undone for migration, undone in plan):
        return
    keys.endorse_keys()
    if UnsealedEntry.objects.filter(refused=True).exists():
        try:
            log.info("Adopted %d entries of the former release", adopt_entries())
        except NoUsableKey as error:
            log.error("Run verify_audit_log --adopt once there is a usable key: %s", error)


def hash_seal(before: str, seal: Seal) -> str:
    """Return the hash of a seal, over all its columns and the hash of the seal before."""
    parts = [
        before, seal.number, seal.sealed_at.astimezone(UTC).isoformat(timespec="microseconds"),
        seal.entries, seal.keys, seal.totals, seal.digest, seal.adopted, seal.kid,
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def is_signed(seal: Seal, key: Ed25519PublicKey) -> bool:
    """Tell whether a key has signed the hash of a seal."""
    with suppress(InvalidSignature, ValueError):
        key.verify(decode_base64url(seal.signature), _SIGNED_AS + seal.hash.encode())
        return True
    return False


def is_genuine_seal(seal: Seal, before: str) -> bool:
    """Tell whether a key of this service has signed a seal. before: the hash of the seal before."""
    key = keys.find_public_key(seal.kid)
    return key is not None and seal.hash == hash_seal(before, seal) and is_signed(seal, key)


def find_complete_time(number: int) -> datetime | None:
    """Return until when everything was sealed under the seals up to a number; none if unknown.

    A full seal may have left entries to the next one, as after days without a key. One that adopts
    takes no others.
    """
    seals = Seal.objects.filter(number__lte=number, adopted=False).order_by("-number")
    return next((each.sealed_at for each in seals.iterator(10) if each.size < AT_ONCE), None)


def is_dated_right(at: datetime, *, sealed_at: datetime, complete: datetime | None) -> bool:
    """Tell whether an entry can have been written when it says.

    at: what it says. sealed_at: when it was sealed, or now. complete: until when everything was
    sealed before; whatever is sealed later was written later.
    """
    is_after = complete is None or at >= complete - SEALED_WITHIN
    return is_after and at <= sealed_at + SEALED_WITHIN


def is_evidence(row: Any) -> bool:
    """Tell whether the service wrote an entry when it says: it is sealed, or will be."""
    table = EVIDENCE_TABLES[row.EVIDENCE]
    if not is_authentic_row(row):
        return False
    at = getattr(row, table.time)
    if listed := UnsealedEntry.objects.filter(table=table.name, entry=row.pk).first():
        last = chain.find_last_seal()
        complete = find_complete_time(last.number) if last else None
        return not listed.refused and is_dated_right(
            at, sealed_at=timezone.now(), complete=complete
        )
    later = Seal.objects.filter(keys__has_key=table.name, sealed_at__gte=at - SEALED_WITHIN)
    seals = later.order_by("number").iterator(100)  # the one is soon found
    seal = next((each for each in seals if row.pk in each.list_keys(table.name)), None)
    if seal is None:
        return False
    before = Seal.objects.filter(number=seal.number - 1).values_list("hash", flat=True).first()
    return is_genuine_seal(seal, before or chain.GENESIS)


def remove_entries(table: EvidenceTable, keys: Collection[int], *, rule: str) -> None:
    """Delete entries of a table in one transaction, with a record of it.

    Raises: NoUsableKey, because they have to be sealed before.
    """
    if not keys:
        return
    seal_entries()
    with permit_removal(table.model):
        entries = table.read_entries(keys)
        hashes = [table.hash_entry(entries[pk]) for pk in sorted(keys)]
        EntryRemoval.objects.create(
            table=table.name, entries=sorted(keys), hashes=hashes, rule=rule
        )
        table.rows.filter(pk__in=keys).delete()


def _seal_repeatedly(listed: QuerySet[UnsealedEntry], *, adopted: bool) -> int:
    sealed = 0
    while listed.exists():
        with transaction.atomic():
            _lock()
            key = keys.require_signing_key()
            keys.record_key(key)
            waiting = listed.order_by("pk").values_list("pk", "table", "entry")
            rows = list(waiting[:AT_ONCE])
            new = _seal(rows, key, adopted=adopted)
        sealed += new
        if len(rows) < AT_ONCE or not new:
            break
    return sealed


def _lock() -> None:
    """Wait until no other transaction seals."""
    locked = ChainState.objects.select_for_update().filter(pk=_ONLY)
    if not locked.exists():
        ChainState.objects.get_or_create(pk=_ONLY)
    locked.first()


def _seal(listed: list[tuple[int, str, int]], key: SigningKey, *, adopted: bool) -> int:
    """Seal the listed entries that are authentic and dated right, or all; return how many."""
    by_table: dict[str, set[int]] = defaultdict(set)
    for _, name, entry in listed:
        by_table[name].add(entry)
    last = chain.find_last_seal() or Seal(number=0, entries=0, totals={}, hash=chain.GENESIS)
    now, complete = timezone.now(), None if adopted else find_complete_time(last.number)
    accepted: dict[str, dict[int, str]] = {}
    for name, entries in by_table.items():
        if table := EVIDENCE_TABLES.get(name):
            stored = table.read_entries(entries)
            hashes = {
                pk: table.hash_entry(stored[pk])
                for pk in entries & stored.keys()
                if adopted
                or (
                    table.is_authentic(stored[pk])
                    and is_dated_right(stored[pk].at, sealed_at=now, complete=complete)
                )
            }
            if hashes:
                accepted[name] = hashes
    if accepted:
        _add_seal(accepted, key, last, now, adopted=adopted)
    done = [pk for pk, name, entry in listed if entry in accepted.get(name, ())]
    UnsealedEntry.objects.filter(pk__in=done).delete()
    if len(done) < len(listed) and not adopted:
        refused = {pk for pk, *_ in listed} - {*done}
        UnsealedEntry.objects.filter(pk__in=refused).update(refused=True)
    return len(done)


def _add_seal(
    hashes: Mapping[str, Mapping[int, str]],
    key: SigningKey,
    last: Seal,
    now: datetime,
    *,
    adopted: bool,
) -> None:
    counts = {name: len(some) for name, some in hashes.items()}
    ranges = {name: chain.join_ranges([pk, pk] for pk in some) for name, some in hashes.items()}
    totals: dict[str, Any] = {**last.totals}
    for name, count in counts.items():
        totals[name] = totals.get(name, 0) + count
    seal = Seal(
        number=last.number + 1,
        sealed_at=now,
        entries=last.entries + sum(counts.values()),
        keys=ranges,
        totals=totals,
        digest=chain.digest_entries(hashes),
        adopted=adopted,
        kid=key.kid,
    )
    seal.hash = hash_seal(last.hash, seal)
    seal.signature = encode_base64url(key.private.sign(_SIGNED_AS + seal.hash.encode()))
    seal.save(force_insert=True)
