"""Entries get their links in order, each one once, whoever seals."""

from __future__ import annotations

import pytest
from django.db import connection

from filing import audit
from filing.audit import chain, sealing
from filing.audit.chain import EVIDENCE_TABLES
from filing.models import (
    Attempt,
    AuditEvent,
    ChainLink,
    ChainState,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
)
from tests.filing.audit.chain.entries import ANN, write
from tests.tampering import tamper

pytestmark = pytest.mark.django_db


def test_each_entry_gets_one_link_in_the_order_of_time(submission: Submission) -> None:
    second = write(submission)
    assert sealing.seal_entries() == 8
    assert sealing.seal_entries() == 0
    chain = list(ChainLink.objects.order_by("position"))
    assert [link.position for link in chain] == list(range(1, 9))
    assert [link.table for link in chain] == [
        "status", "log", "log", "status", "attempt", "attempt", "signature", "log",
    ]  # fmt: skip
    assert [link.submission for link in chain] == [
        submission.pk, None, None, second.pk, submission.pk, None, submission.pk, None,
    ]  # fmt: skip
    assert [link.submission_position for link in chain] == [1, 0, 0, 1, 2, 0, 3, 0]
    assert not any(link.adopted for link in chain)


def test_a_link_names_the_content_of_its_entry_and_binds_those_before(
    submission: Submission,
) -> None:
    write(submission)
    sealing.seal_entries()
    before = chain.GENESIS
    for link in ChainLink.objects.order_by("position"):
        entry = EVIDENCE_TABLES[link.table].rows.get(pk=link.entry)
        assert link.fingerprint == entry.fingerprint != ""
        assert link.hash == chain.site_hash(before, link)
        before = link.hash
    assert chain.find_head_of_site() == (8, before)


def test_entries_written_later_follow(submission: Submission) -> None:
    write(submission)
    sealing.seal_entries()
    first = chain.find_head_of_submission(submission)
    audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
    StatusChange.objects.create(submission=submission, after=2, event="UPLOAD_STARTED")
    assert sealing.seal_entries() == 2
    assert chain.find_head_of_site().entries == 10
    assert chain.find_head_of_submission(submission).entries == first.entries + 1 == 4


def test_more_than_one_batch_is_sealed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "AT_ONCE", 10)
    audit.record_entries(audit.make_entry(AuditEvent.SIGNED_IN, by=ANN) for _ in range(25))
    assert sealing.seal_entries() == 25
    assert list(ChainLink.objects.order_by("position").values_list("entry", flat=True)) == sorted(
        TrailEntry.objects.values_list("pk", flat=True)
    )


def test_an_entry_of_a_transaction_that_ends_late_is_sealed_all_the_same() -> None:
    early, late = (audit.record_event(AuditEvent.SIGNED_IN, by=ANN) for _ in range(2))
    tamper("DELETE FROM filing_trailentry WHERE id = %s", early.pk)
    sealing.seal_entries()
    early.save(force_insert=True)
    assert sealing.seal_entries() == 1
    keys = ChainLink.objects.order_by("position").values_list("entry", flat=True)
    assert list(keys) == [late.pk, early.pk]


def test_a_gap_is_looked_at_for_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [audit.record_event(AuditEvent.SIGNED_IN, by=ANN) for _ in range(3)]
    ChainState.objects.update_or_create(pk=1, defaults={"seen": {"log": entries[0].pk - 1}})
    tamper("DELETE FROM filing_trailentry WHERE id = %s", entries[1].pk)
    assert sealing.seal_entries() == 2
    state = ChainState.objects.get()
    ((first, last, _),) = state.gaps["log"]
    assert (first, last) == (entries[1].pk, entries[1].pk)
    assert not sealing.was_passed(EVIDENCE_TABLES["log"], entries[1].pk, state)
    monkeypatch.setattr(sealing, "LONGEST_TRANSACTION", 0)
    audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
    sealing.seal_entries()
    state = ChainState.objects.get()
    assert state.gaps["log"] == []
    assert sealing.was_passed(EVIDENCE_TABLES["log"], entries[1].pk, state)


def test_many_gaps_become_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "MAX_GAPS", 4)
    entries = [audit.record_event(AuditEvent.SIGNED_IN, by=ANN) for _ in range(14)]
    missing = entries[1::2]
    for entry in missing:
        tamper("DELETE FROM filing_trailentry WHERE id = %s", entry.pk)
    sealing.seal_entries()
    assert len(ChainState.objects.get().gaps["log"]) <= 4
    for entry in missing[:-1]:
        entry.save(force_insert=True)
    assert sealing.seal_entries() == len(missing) - 1
    assert ChainLink.objects.count() == len(entries) - 1


def test_what_has_no_fingerprint_is_sealed_only_if_an_earlier_release_wrote_it() -> None:
    old, new = (audit.record_event(AuditEvent.SIGNED_IN, by=ANN) for _ in range(2))
    tamper("UPDATE filing_trailentry SET fingerprint = ''")
    ChainState.objects.update_or_create(pk=1, defaults={"adopted_up_to": {"log": old.pk}})
    assert sealing.seal_entries() == 1
    link = ChainLink.objects.get()
    assert (link.entry, link.adopted) == (old.pk, True)
    assert link.fingerprint.startswith("1:")
    assert sealing.adopt_old_entries() == 1
    assert list(ChainLink.objects.values_list("entry", "adopted")) == [
        (new.pk, True),
        (old.pk, True),
    ]


@pytest.mark.parametrize("model", [TrailEntry, StatusChange, Signature, Attempt])
def test_a_fingerprint_covers_all_columns(model: type) -> None:
    columns = {field.name for field in model._meta.concrete_fields}
    assert {*model.CONTENT[max(model.CONTENT)]} == columns - {"id", "fingerprint"}


def test_sealing_asks_little_where_nothing_is_new(
    submission: Submission, django_assert_max_num_queries: object
) -> None:
    write(submission)
    sealing.seal_entries()
    with django_assert_max_num_queries(6, connection=connection):  # type: ignore[operator]
        sealing.seal_entries()
