"""Verifies the audit chain: finds entries that were changed, removed, inserted, moved or cut off.

A verification reads each entry again, computes its fingerprint, and follows the hashes from link to
link. The daily one reads what is new and counts the rest; a full one reads everything. Neither can
tell that the end is missing unless it is given a head from elsewhere: from a receipt, the log, or a
write-once place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from itertools import islice
from typing import Any

from django.db.models import F, Q
from django.utils import timezone

from filing import day_hours
from filing.audit import chain, sealing
from filing.audit.chain import EVIDENCE_TABLES, ChainHead, EvidenceTable, LinkColumns
from filing.models import ChainCheck, ChainLink, ChainState, EntryRemoval
from filing.models.columns import find_revision, fingerprint_values

AT_ONCE = 5000  # links
MAX_FINDINGS = 1000  # that a result keeps; all are counted
# Workers seal at each sweep. An entry that stays without link for so long was not seen by any.
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

    def add(self, sentence: str) -> None:
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
    sealing.seal_entries()
    findings = ChainFindings()
    checks = ChainCheck.objects.filter(finding_count=0).order_by("-pk")
    last = None if full else checks.first()
    if last:
        head_then = Expectation(ChainHead(last.entries, last.head), "the last verification")
        for sentence in _unmet([head_then]):
            findings.add(sentence)
            last = None
    if last and _is_incomplete():
        last = None
    start = ChainHead(last.entries, last.head) if last else chain.EMPTY_CHAIN
    end = _follow(start, findings)
    for table in EVIDENCE_TABLES.values():
        for sentence in _without_link(table):
            findings.add(sentence)
    for sentence in _unmet(expected):
        findings.add(sentence)
    return ChainCheck.objects.create(
        began_at=began_at,
        is_full=last is None,
        after=start.entries,
        entries=end.entries,
        head=end.hash,
        finding_count=findings.count,
        findings=findings.sentences,
    )


def _unmet(expected: Iterable[Expectation | str]) -> Iterator[str]:
    """Yield a sentence on each head that the chain does not have."""
    remaining = iter(expected)
    while some := list(islice(remaining, AT_ONCE)):
        heads_of_some = [each.head for each in some if isinstance(each, Expectation)]
        positions = {head.entries for head in heads_of_some}
        rows = ChainLink.objects.order_by().filter(position__in=positions)
        hashes = {0: chain.GENESIS, **dict(rows.values_list("position", "hash"))}
        for each in some:
            if isinstance(each, str):
                yield each
            elif hashes.get(each.head.entries) != each.head.hash:
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


def _is_incomplete() -> bool:
    """Tell whether entries of the chain are missing: counting them takes little time."""
    for name, table in EVIDENCE_TABLES.items():
        removed = sum(map(len, _removals(name)))
        linked = ChainLink.objects.filter(table=name).count()
        if table.rows.count() - sealing.find_unsealed_entries(table).count() + removed != linked:
            return True
    return False


def _follow(start: ChainHead, findings: ChainFindings) -> ChainHead:
    """Follow the links after a head and return the last one."""
    removed = _Removed()
    head = start
    while chunk := _links_after(head.entries):
        before = chain.find_heads_of_submissions(
            {link.submission for link in chunk if link.submission is not None}, up_to=head.entries
        )
        rows = _rows_of(chunk)
        for link in chunk:
            if link.position != head.entries + 1:
                findings.add(
                    f"Entries {head.entries + 1:,} to {link.position - 1:,} of the chain are "
                    "missing."
                )
            findings_of_link = (*_of_link(link, head, before), *_of_row(link, rows, removed))
            for sentence in findings_of_link:
                findings.add(sentence)
            head = ChainHead(link.position, link.hash)
            if link.submission is not None:
                before[link.submission] = ChainHead(link.submission_position, link.submission_hash)
    return head


def _links_after(position: int) -> list[LinkColumns]:
    links_after = ChainLink.objects.order_by("position").filter(position__gt=position)
    return [
        LinkColumns(*columns) for columns in links_after.values_list(*LinkColumns._fields)[:AT_ONCE]
    ]


def _of_link(
    link: LinkColumns, head: ChainHead, submissions: dict[int, ChainHead]
) -> Iterator[str]:
    """Yield what is wrong with the place of a link in its chains."""
    if link.hash != chain.site_hash(head.hash, link):
        yield (
            f"{_named(link)} was changed or moved: its hash does not follow from the link before."
        )
    elif link.submission is not None:
        before = submissions.get(link.submission, chain.EMPTY_CHAIN)
        follows = link.submission_position == before.entries + 1
        if not follows or link.submission_hash != chain.submission_hash(before.hash, link):
            yield f"{_named(link)} does not follow the entry before of its submission."


def _of_row(link: LinkColumns, rows: dict[str, dict[int, Any]], removed: _Removed) -> Iterator[str]:
    """Yield what is wrong with the entry of a link."""
    if link.table not in rows:
        yield f"{_named(link)} is of a table that does not exist."
        return
    row = rows[link.table].get(link.entry)
    if row is None:
        if not removed.has(link.table, link.entry):
            yield f"{_named(link)} is missing."
        return
    stored, *values = row
    if stored != link.fingerprint and (stored or not link.adopted):
        yield f"{_named(link)} was replaced: it has another fingerprint than when it was sealed."
    elif not _matches(EVIDENCE_TABLES[link.table], link.fingerprint, values):
        yield f"{_named(link)} was changed: its content does not have its fingerprint."


def _rows_of(chunk: list[LinkColumns]) -> dict[str, dict[int, Any]]:
    """Return the entries of links: by table and key, the fingerprint and all columns."""
    rows = {}
    for name, table in EVIDENCE_TABLES.items():
        keys = [link.entry for link in chunk if link.table == name]
        columns = ("pk", "fingerprint", *_columns(table))
        entries = table.rows.filter(_are(keys)).order_by().values_list(*columns)
        rows[name] = {pk: values for pk, *values in entries}
    return rows


def _are(keys: list[int]) -> Q:
    """Return a condition for rows with these keys; it may let some others through."""
    if not keys:
        return Q(pk__in=[])
    low, high = min(keys), max(keys)
    is_dense = high - low < 2 * len(keys)
    return Q(pk__range=(low, high)) if is_dense else Q(pk__in=keys)


@cache
def _columns(table: EvidenceTable) -> tuple[str, ...]:
    """Return the columns that the fingerprints of any revision cover."""
    model: Any = table.model
    return tuple(dict.fromkeys(name for names in model.CONTENT.values() for name in names))


def _matches(table: EvidenceTable, fingerprint: str, values: list[Any]) -> bool:
    model: Any = table.model
    revision = find_revision(fingerprint, model)
    if revision is None:
        return False
    columns = _columns(table)
    if columns != model.CONTENT[revision]:
        by_name = dict(zip(columns, values, strict=True))
        if any(by_name[name] for name in columns if name not in model.CONTENT[revision]):
            return False  # a column that was not there yet
        values = [by_name[name] for name in model.CONTENT[revision]]
    return fingerprint_values(model, revision, values) == fingerprint


def _without_link(table: EvidenceTable) -> Iterator[str]:
    """Yield the entries that are not in the chain and were not written just now."""
    state = ChainState.objects.first() or ChainState()
    entries = sealing.find_unsealed_entries(table).annotate(written_at=F(table.time))
    columns = ("pk", "written_at", "fingerprint", *_columns(table))
    for pk, at, fingerprint, *values in entries.values_list(*columns).iterator(AT_ONCE):
        entry = f"The {table.label} {pk} of {_moment(at)}"
        if not fingerprint:
            yield (
                f"{entry} was written by an earlier release or inserted by other means: it has no "
                "fingerprint."
            )
        elif not _matches(table, fingerprint, values):
            yield f"{entry} was inserted or changed: its content does not have its fingerprint."
        elif sealing.was_passed(table, pk, state) or at < timezone.now() - SEALED_WITHIN:
            yield f"{entry} is not in the chain."


def _named(link: LinkColumns) -> str:
    table = EVIDENCE_TABLES.get(link.table)
    label = table.label if table else link.table
    about = "" if link.submission is None else f" of submission {link.submission}"
    return (
        f"Entry {link.position:,} of the chain, the {label} {link.entry}{about}, "
        f"sealed on {_moment(link.sealed_at)},"
    )


def _moment(at: datetime) -> str:
    return day_hours.moment_in_words(at, seconds=True)


def _removals(table: str) -> Iterator[list[int]]:
    """Yield the keys of the entries of a table that were removed under a retention rule.

    Only records that are in the chain count.
    """
    linked = ChainLink.objects.filter(table="removal").values("entry")
    removals = EntryRemoval.objects.filter(Q(pk__in=linked), table=table)
    yield from removals.values_list("entries", flat=True).iterator()


class _Removed:
    """The entries that were removed under a retention rule, read when first needed."""

    def __init__(self) -> None:
        self._by_table: dict[str, set[int]] = {}

    def has(self, table: str, entry: int) -> bool:
        if table not in self._by_table:
            self._by_table[table] = {pk for entries in _removals(table) for pk in entries}
        return entry in self._by_table[table]
