"""Entries are sealed in order, each one once, whoever seals, if the service wrote them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from filing import audit
from filing.audit import chain, keys, sealing
from filing.audit.keys import NoUsableKey
from filing.models import (
    Attempt,
    AuditEvent,
    EntryRemoval,
    Seal,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
    UnsealedEntry,
)
from tests.filing.audit.chain.entries import ANN, write
from tests.tampering import tamper

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def key(settings: Any, tmp_path: Path) -> None:
    settings.RECEIPT_KEY_DIR = tmp_path / "keys"
    keys.record_key(keys.require_signing_key())
    sealing.seal_entries()
    tamper("DELETE FROM filing_seal")
    tamper("DELETE FROM filing_unsealedentry")


def sealed(seal: Seal) -> list[tuple[str, int]]:
    return [(name, pk) for name in sorted(seal.keys) for pk in seal.list_keys(name)]


@pytest.mark.servers
def test_entries_are_sealed_once_with_their_number(submission: Submission) -> None:
    write(submission)
    assert sealing.seal_entries() == 8
    assert sealing.seal_entries() == 0
    (seal,) = Seal.objects.all()
    assert (seal.number, seal.entries, seal.adopted) == (1, 8, False)
    assert seal.totals == {"attempt": 1, "log": 3, "signature": 1, "status": 3}
    assert [table for table, _ in sealed(seal)] == [
        "attempt", *["log"] * 3, "signature", *["status"] * 3,
    ]  # fmt: skip
    assert chain.find_head_of_site() == (8, seal.hash)
    assert not UnsealedEntry.objects.exists()


def test_a_seal_is_signed_and_binds_those_before(submission: Submission) -> None:
    write(submission)
    sealing.seal_entries()
    audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
    sealing.seal_entries()
    first, second = Seal.objects.order_by("number")
    assert first.hash == sealing.hash_seal(chain.GENESIS, first)
    assert second.hash == sealing.hash_seal(first.hash, second)
    assert second.totals["log"] == first.totals["log"] + 1
    assert second.kid == keys.require_signing_key().kid


@pytest.mark.servers
def test_more_than_one_batch_is_sealed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "AT_ONCE", 10)
    audit.record_entries(audit.make_entry(AuditEvent.SIGNED_IN, by=ANN) for _ in range(25))
    assert sealing.seal_entries() == 25
    entries = [entry for seal in Seal.objects.order_by("number") for _, entry in sealed(seal)]
    assert entries == sorted(TrailEntry.objects.values_list("pk", flat=True))[-25:]


@pytest.mark.servers
def test_an_entry_that_is_rolled_back_is_not_expected() -> None:
    with transaction.atomic():
        audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
        transaction.set_rollback(True)
    assert sealing.seal_entries() == 0


def test_what_the_service_did_not_write_is_sealed_only_if_an_operator_adopts_it() -> None:
    tamper(
        "INSERT INTO filing_trailentry (at, event, actor_id, actor_username, actor_email, "
        "address, request_id, lei, about, reason) "
        "VALUES (%s, 'signed in', '', 'eve', '', '', '', '', '', '')",
        timezone.now(),
    )
    forged = TrailEntry.objects.order_by("-pk")[0]
    tamper('INSERT INTO filing_unsealedentry ("table", entry) VALUES (%s, %s)', "log", forged.pk)
    audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
    assert sealing.seal_entries() == 1
    assert UnsealedEntry.objects.get().entry == forged.pk
    assert sealing.seal_entries() == 0
    assert sealing.adopt_entries() == 1
    assert [seal.adopted for seal in Seal.objects.order_by("number")] == [False, True]


@pytest.mark.servers
def test_the_database_lists_what_anyone_inserts(submission: Submission) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO filing_trailentry (at, event, actor_id, actor_username, actor_email, "
            "address, request_id, lei, about, reason) "
            "VALUES (%s, 'signed in', '', 'eve', '', '', '', '', '', '')",
            [timezone.now()],
        )
    assert UnsealedEntry.objects.filter(table="log", refused=False).count() == 1
    sealing.seal_entries()
    assert UnsealedEntry.objects.filter(table="log", refused=True).count() == 1


def test_without_a_key_entries_wait(settings: Any, tmp_path: Path) -> None:
    audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
    (tmp_path / "keys").chmod(0o755)
    with pytest.raises(NoUsableKey):
        sealing.seal_entries()
    (tmp_path / "keys").chmod(0o700)
    assert sealing.seal_entries() == 1


def test_a_former_secret_key_authenticates_what_was_written_with_it(settings: Any) -> None:
    audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
    former, settings.SECRET_KEY = settings.SECRET_KEY, "another"
    settings.SECRET_KEY_FALLBACKS = [former]
    assert sealing.seal_entries() == 1
    settings.SECRET_KEY_FALLBACKS = []
    audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
    settings.SECRET_KEY = former
    assert sealing.seal_entries() == 0


@pytest.mark.servers
@pytest.mark.parametrize("model", [TrailEntry, StatusChange, Signature, Attempt, EntryRemoval])
def test_a_fingerprint_covers_all_columns(model: Any) -> None:
    columns = {field.name for field in model._meta.concrete_fields}
    assert {*model.CONTENT[max(model.CONTENT)]} == columns - {"id", "fingerprint"}


def test_sealing_asks_little_where_nothing_is_new(
    submission: Submission, django_assert_max_num_queries: Any
) -> None:
    write(submission)
    sealing.seal_entries()
    with django_assert_max_num_queries(1, connection=connection):
        sealing.seal_entries()
