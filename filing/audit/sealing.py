"""Seals entries: appends a link to the audit chain for each entry that has none.

Entries are written without a link, so that no writer waits for another. Soon after, one process at
a time seals what was committed by then: workers do so at each sweep, and whoever signs does so in
the transaction of the signature. An entry without fingerprint is never sealed, unless an earlier
release wrote it.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import BigIntegerField, Exists, F, OuterRef, Q, QuerySet, Subquery, Value
from django.utils import timezone

from filing.audit import chain
from filing.audit.chain import EVIDENCE_TABLES, ChainHead, EvidenceTable
from filing.models import ChainLink, ChainState
from filing.models.columns import find_latest_revision, fingerprint_values
from filing.models.database import Parameter, PreparedQuery

AT_ONCE = 2000  # entries of each table in one transaction
# By then every transaction that had taken a key has ended.
LONGEST_TRANSACTION = 3600  # seconds
MAX_GAPS = 100
_ONLY = 1  # the primary key of the state
# The last key of each table, in one row.
_LAST_KEYS = PreparedQuery(
    lambda: ChainState.objects.filter(pk=_ONLY).values_list(
        *(
            Subquery(table.rows.order_by("-pk").values("pk")[:1])
            for table in EVIDENCE_TABLES.values()
        )
    )
)


class _Entry(NamedTuple):
    at: Any
    table: str
    pk: int
    fingerprint: str
    submission: int | None
    adopted: bool = False


def seal_entries() -> int:
    """Seal all entries that are committed and not sealed yet; return how many."""
    sealed = 0
    while _is_due():
        with transaction.atomic():
            state = _locked_state()
            entries = [entry for table in _due(state) for entry in _next(table, state)]
            _append(_with_fingerprints(entries))
            state.save(force_update=True)
        sealed += len(entries)
        if len(entries) < AT_ONCE:
            break
    return sealed


def adopt_old_entries() -> int:
    """Seal entries that a release without fingerprints wrote until now; return how many.

    They count as adopted: the chain proves nothing about them before this moment.
    """
    adopted = 0
    with transaction.atomic():
        _locked_state()
        for table in EVIDENCE_TABLES.values():
            missing = _columns(table, find_unsealed_entries(table).filter(fingerprint=""))
            while entries := _entries(table, missing.all()):
                _append(_with_fingerprints(entries))
                adopted += len(entries)
    return adopted


def find_unsealed_entries(table: EvidenceTable) -> QuerySet[Any]:
    """Return the entries of a table that have no link. It reads the whole table."""
    of_table = ChainLink.objects.filter(table=table.name, entry=OuterRef("pk"))
    return table.rows.filter(~Exists(of_table)).order_by("pk")


def was_passed(table: EvidenceTable, pk: int, state: ChainState) -> bool:
    """Tell whether sealing has passed an entry of a table by: it will not look there again."""
    gaps = state.gaps.get(table.name, [])
    return pk <= _seen(table, state) and not any(first <= pk <= last for first, last, _ in gaps)


def _is_due() -> bool:
    """Tell whether any entry may be sealed, without a lock."""
    state = ChainState.objects.filter(pk=_ONLY).first() or ChainState()
    return any(_unseen(table, state).exists() for table in _due(state))


def _due(state: ChainState) -> list[EvidenceTable]:
    """Return the tables with entries beyond the last one seen, or with gaps."""
    last = _LAST_KEYS.first()
    if last is None:
        return list(EVIDENCE_TABLES.values())  # nothing was ever sealed
    return [
        table
        for table, pk in zip(EVIDENCE_TABLES.values(), last, strict=True)
        if (pk or 0) > _seen(table, state) or state.gaps.get(table.name)
    ]


def _locked_state() -> ChainState:
    locked = ChainState.objects.select_for_update()
    state = locked.filter(pk=_ONLY).first()
    if state is None:
        ChainState.objects.get_or_create(pk=_ONLY)
        state = locked.get(pk=_ONLY)
    return state


def _seen(table: EvidenceTable, state: ChainState) -> int:
    return int(state.seen.get(table.name, 0))


def _unseen(table: EvidenceTable, state: ChainState) -> QuerySet[Any]:
    """Return the entries of a table to look at: beyond the last one seen, and in gaps."""
    of_table = ChainLink.objects.filter(table=table.name, entry=OuterRef("pk"))
    unseen = Q(pk__gt=_seen(table, state))
    for first, last, _ in state.gaps.get(table.name, []):
        unseen |= Q(~Exists(of_table), ~Q(fingerprint=""), pk__range=(first, last))
    return table.rows.filter(unseen).order_by("pk")


def _next(table: EvidenceTable, state: ChainState) -> list[_Entry]:
    """Return the next entries of a table to seal, and remember in the state what was seen.

    Keys that are not there yet become gaps, which are looked at again until no transaction can
    have them.
    """
    if state.gaps.get(table.name):
        entries = _entries(table, _columns(table, _unseen(table, state)))
    else:
        entries = _entries(table, _BEYOND[table.name].rows(seen=_seen(table, state)))
    linked = _linked(table, entries)
    adopted = state.adopted_up_to.get(table.name, 0)
    seen, now = _seen(table, state), time.time()
    gaps = [gap for gap in state.gaps.get(table.name, []) if now - gap[2] < LONGEST_TRANSACTION]
    for entry in entries:
        if entry.pk > seen + 1 and entry.pk > adopted:
            gaps.append([max(seen, adopted) + 1, entry.pk - 1, now])
        seen = max(seen, entry.pk)
    state.seen[table.name] = seen
    state.gaps[table.name] = _fewer(gaps)
    return [
        entry
        for entry in entries
        if entry.pk not in linked and (entry.fingerprint or entry.pk <= adopted)
    ]


def _linked(table: EvidenceTable, entries: list[_Entry]) -> set[int]:
    """Return the keys of entries that have a link: some do if the state was lost."""
    if not entries:
        return set()
    keys = [entry.pk for entry in entries]
    links_of_table = ChainLink.objects.order_by().filter(table=table.name, entry__in=keys)
    return set(links_of_table.values_list("entry", flat=True))


def _fewer(gaps: list[list[Any]]) -> list[list[Any]]:
    """Return gaps, or one that spans the older ones if they are many."""
    if len(gaps) <= MAX_GAPS:
        return gaps
    old, new = gaps[: -MAX_GAPS // 2], gaps[-MAX_GAPS // 2 :]
    return [[old[0][0], old[-1][1], old[-1][2]], *new]


def _columns(table: EvidenceTable, rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return what an `_Entry` is made of, for the first of these entries."""
    submission = F(table.submission) if table.submission else Value(None, BigIntegerField())
    return rows.values_list(table.time, "pk", "fingerprint", submission)[:AT_ONCE]


def _beyond(table: EvidenceTable) -> PreparedQuery[tuple[Any, ...]]:
    """Return the query for the entries of a table beyond the last one seen."""
    seen = Parameter("seen", BigIntegerField())
    return PreparedQuery(lambda: _columns(table, table.rows.filter(pk__gt=seen).order_by("pk")))


_BEYOND = {name: _beyond(table) for name, table in EVIDENCE_TABLES.items()}


def _entries(table: EvidenceTable, rows: Iterable[Any]) -> list[_Entry]:
    return [_Entry(at, table.name, pk, fingerprint, about) for at, pk, fingerprint, about in rows]


def _with_fingerprints(entries: Iterable[_Entry]) -> list[_Entry]:
    """Return entries by time; those without a fingerprint get one, and count as adopted."""
    missing = defaultdict(list)
    complete = []
    for entry in entries:
        if entry.fingerprint:
            complete.append(entry)
        else:
            missing[entry.table].append(entry)
    for name, some in missing.items():
        table: Any = EVIDENCE_TABLES[name]
        revision = find_latest_revision(table.model)
        rows = table.rows.filter(pk__in=[entry.pk for entry in some])
        content = {
            pk: fingerprint_values(table.model, revision, values)
            for pk, *values in rows.values_list("pk", *table.model.CONTENT[revision])
        }
        complete += [entry._replace(fingerprint=content[entry.pk], adopted=True) for entry in some]
    return sorted(complete)


def _append(entries: list[_Entry]) -> None:
    if not entries:
        return
    site = chain.find_head_of_site()
    about = {entry.submission for entry in entries if entry.submission is not None}
    submissions = chain.find_heads_of_submissions(about)
    now = timezone.now()
    new = []
    for entry in entries:
        link = ChainLink(
            position=site.entries + 1,
            table=entry.table,
            entry=entry.pk,
            fingerprint=entry.fingerprint,
            submission=entry.submission,
            sealed_at=now,
            adopted=entry.adopted,
        )
        if entry.submission is not None:
            before = submissions.get(entry.submission, chain.EMPTY_CHAIN)
            link.submission_position = before.entries + 1
            link.submission_hash = chain.submission_hash(before.hash, link)
            submissions[entry.submission] = ChainHead(
                link.submission_position, link.submission_hash
            )
        link.hash = chain.site_hash(site.hash, link)
        site = ChainHead(link.position, link.hash)
        new.append(link)
    ChainLink.objects.bulk_create(new, batch_size=AT_ONCE)
