"""Entries are sealed in order, each one once, whoever seals, if the service wrote them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

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


@pytest.mark.servers
def test_more_than_one_batch_is_sealed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "AT_ONCE", 10)
    audit.record_entries(audit.make_entry(AuditEvent.SIGNED_IN, by=ANN) for _ in range(25))
    assert sealing.seal_entries() == 25
    entries = [entry for seal in Seal.objects.order_by("number") for _, entry in sealed(seal)]
    assert entries == sorted(TrailEntry.objects.values_list("pk", flat=True))[-25:]


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
