"""What was changed, removed, inserted, moved or cut off is found, and where."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from filing import audit
from filing.audit import keys, sealing, verification
from filing.audit.chain import EVIDENCE_TABLES, ChainHead
from filing.audit.verification import Expectation
from filing.models import (
    AuditEvent,
    ChainCheck,
    ChainLink,
    EntryRemoval,
    RemovalPermit,
    Seal,
    Signature,
    Submission,
    TrailEntry,
)
from tests.filing.audit.chain.entries import ANN, write
from tests.tampering import tamper

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def chain(submission: Submission, settings: Any, tmp_path: Path) -> None:
    settings.RECEIPT_KEY_DIR = tmp_path / "keys"
    keys.record_key(keys.require_signing_key())
    sealing.seal_entries()
    write(submission)
    sealing.seal_entries()


def found(*expected: Expectation, full: bool = True) -> list[str]:
    return verification.verify_chain(full=full, expected=expected).findings


def key_of(table: str, nth: int = 0) -> int:
    """Return the primary key of an entry under the second seal."""
    return list(Seal.objects.get(number=2).list_keys(table))[nth]


# Of each table, a column and another value for it.
CHANGES = {
    "log": ("filing_trailentry", "reason", "Another reason."),
    "status": ("filing_statuschange", "actor_username", "bob"),
    "signature": ("filing_signature", "signer_name", "Eve"),
    "attempt": ("filing_attempt", "rows", 13),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_entry(name: str) -> None:
    table, column, value = CHANGES[name]
    pk = key_of(name)
    assert tamper(f"UPDATE {table} SET {column} = %s WHERE id = %s", value, pk) == 1
    (sentence,) = found()
    assert sentence.startswith("Seal 2 of ")
    assert f"the {EVIDENCE_TABLES[name].label} {pk} was changed" in sentence


def test_an_entry_with_the_fingerprint_of_another_content() -> None:
    """Whoever can run the code of the service but has not its key writes another fingerprint."""
    entry = TrailEntry.objects.get(pk=key_of("log"))
    entry.reason = "Another reason."
    TrailEntry._meta.get_field("fingerprint").pre_save(entry, False)
    tamper(
        "UPDATE filing_trailentry SET reason = %s, fingerprint = %s WHERE id = %s",
        entry.reason, entry.fingerprint, entry.pk,
    )  # fmt: skip
    (sentence,) = found()
    assert sentence.endswith("its entries are not those that were sealed.")


def test_a_removed_seal_with_its_entries() -> None:
    audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
    sealing.seal_entries()
    for name, (table, *_) in CHANGES.items():
        for pk in Seal.objects.get(number=2).list_keys(name):
            tamper(f"DELETE FROM {table} WHERE id = %s", pk)
    tamper("DELETE FROM filing_seal WHERE number = 2")
    assert "Seals 2 to 2 are missing." in found()


INSERTION = (
    "INSERT INTO filing_trailentry (at, event, actor_id, actor_username, actor_email, "
    "address, request_id, lei, about, reason, fingerprint) "
    "VALUES (%s, 'signed in', '', 'eve', '', '', '', '', '', '', %s)"
)


@pytest.mark.parametrize(
    ("fingerprint", "is_listed"),
    [("", True), ("1:" + "0" * 64, False), ("1:" + "0" * 16 + "." + "0" * 40, False)],
)
def test_an_inserted_entry(fingerprint: str, is_listed: bool) -> None:
    tamper(INSERTION, timezone.now(), fingerprint)
    pk = TrailEntry.objects.order_by("-pk")[0].pk
    if is_listed:  # by the trigger, which `tamper` switches off
        tamper('INSERT INTO filing_unsealedentry ("table", entry) VALUES (%s, %s)', "log", pk)
    (sentence,) = found()
    assert f"The audit log entry {pk} of" in sentence
    assert ("inserted by other means" in sentence) is is_listed


def test_a_copied_entry() -> None:
    pk = key_of("log")
    columns = ", ".join(f'"{each.column}"' for each in TrailEntry._meta.fields if each.name != "id")
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO filing_trailentry ({columns}) "
            f"SELECT {columns} FROM filing_trailentry WHERE id = %s",
            [pk],
        )
    first, second = found()
    assert (f" {pk} " in first, "is there twice" in second) == (True, True)


def test_an_entry_that_is_removed_before_it_is_sealed() -> None:
    entry = audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
    tamper("DELETE FROM filing_trailentry WHERE id = %s", entry.pk)
    assert found() == [f"The audit log entry {entry.pk} is missing; it was never sealed."]


def test_an_entry_that_is_taken_off_the_list() -> None:
    entry = audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
    tamper("DELETE FROM filing_unsealedentry")
    for full in (True, False):
        (sentence,) = found(full=full)
        assert f"The audit log entry {entry.pk} of" in sentence
        assert sentence.endswith("is not in the chain.")


def test_two_seals_in_each_others_place() -> None:
    for old, new in ((1, 99), (2, 1), (99, 2)):
        tamper("UPDATE filing_seal SET number = %s WHERE number = %s", new, old)
    assert any("was changed or moved" in sentence for sentence in found())


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("hash", "0" * 64), ("digest", "0" * 64), ("entries", 7), ("adopted", True),
        ("sealed_at", "2020-01-01 00:00:00+00:00"), ("keys", '{"log": [[1, 2]]}'),
        ("totals", '{"log": 2}'), ("kid", "x" * 43), ("signature", "A" * 86),
    ],
)  # fmt: skip
def test_a_changed_seal(column: str, value: object) -> None:
    tamper(f"UPDATE filing_seal SET {column} = %s WHERE number = 2", value)
    assert any(sentence.startswith("Seal 2 of ") for sentence in found())


def test_seals_that_are_made_anew_without_the_key(settings: Any, tmp_path: Path) -> None:
    """Their hashes fit, and a key of the forger is in the table of keys."""
    own, settings.RECEIPT_KEY_DIR = settings.RECEIPT_KEY_DIR, tmp_path / "forged"
    secret, settings.SECRET_KEY = settings.SECRET_KEY, "of the forger"
    tamper("UPDATE filing_trailentry SET about = 'forged'")
    tamper("DELETE FROM filing_seal")
    for name in ("log", "status", "attempt", "signature"):
        for pk in EVIDENCE_TABLES[name].rows.values_list("pk", flat=True):
            tamper(
                'INSERT INTO filing_unsealedentry ("table", entry, refused) VALUES (%s, %s, %s)',
                name, pk, True,
            )  # fmt: skip
    sealing.adopt_entries()
    assert found() == []  # to the forger
    settings.SECRET_KEY, settings.RECEIPT_KEY_DIR = secret, own
    sentences = found()
    assert any("which is not of this service" in sentence for sentence in sentences), sentences


def test_another_head_from_elsewhere() -> None:
    (sentence,) = found(Expectation(ChainHead(9, "0" * 64), "the log of November 23"))
    assert sentence.startswith("Entry 9 of the chain is not the one that it was according to the")


def test_a_head_of_the_former_release_is_known() -> None:
    link = {"entry": 1, "fingerprint": "1:x", "sealed_at": timezone.now(), "table": "log"}
    ChainLink.objects.create(position=1, hash="ab" * 32, **link)
    assert found(Expectation(ChainHead(1, "ab" * 32), "a receipt")) == []
    assert len(found(Expectation(ChainHead(1, "cd" * 32), "a receipt"))) == 1


def test_what_retention_removed_is_no_finding() -> None:
    pks = [key_of("log", 0), key_of("log", 1)]
    sealing.remove_entries(
        EVIDENCE_TABLES["log"], pks, rule="entries about sign-ins are kept 90 days."
    )
    assert found() == []
    assert found(full=False) == []
    assert EntryRemoval.objects.get().entries == sorted(pks)


def test_an_entry_that_was_changed_before_retention_removed_it() -> None:
    pk = key_of("log")
    tamper("UPDATE filing_trailentry SET about = 'forged' WHERE id = %s", pk)
    sealing.remove_entries(EVIDENCE_TABLES["log"], [pk], rule="a rule")
    (sentence,) = found()
    assert sentence.startswith("Seal 2 of ")


@pytest.mark.parametrize("is_authentic", [False, True])
def test_a_record_of_a_removal_of_what_is_never_removed_hides_nothing(is_authentic: bool) -> None:
    """With the hash that anyone can compute, also by a thief of SECRET_KEY."""
    pk, table = key_of("signature"), EVIDENCE_TABLES["signature"]
    entry_hash = table.hash_entry(table.read_entries([pk])[pk])
    tamper("DELETE FROM filing_signature WHERE id = %s", pk)
    EntryRemoval.objects.create(table="signature", entries=[pk], hashes=[entry_hash])
    if not is_authentic:
        tamper("UPDATE filing_entryremoval SET fingerprint = %s", "2:" + "0" * 64)
    assert any(f"the signature {pk} is missing" in sentence for sentence in found())


def test_a_permit_that_was_left_is_found() -> None:
    RemovalPermit.objects.create(table="filing_trailentry")
    (sentence,) = found()
    assert "filing_trailentry" in sentence


def test_a_verification_counts_if_the_service_made_it() -> None:
    tamper("UPDATE filing_trailentry SET about = 'forged' WHERE id = %s", key_of("log"))
    assert len(found()) == 1
    forged = ChainCheck.objects.latest("pk")
    forged.pk, forged.finding_count, forged.findings = None, 0, []
    forged.save(force_insert=True)
    tamper("UPDATE filing_chaincheck SET fingerprint = '' WHERE id = %s", forged.pk)
    assert next(verification.find_checks()).finding_count == 1
    assert len(found(full=False)) == 1


@pytest.mark.parametrize("days", [280, -280])
def test_an_entry_that_was_not_written_when_it_says_is_not_sealed(days: int) -> None:
    """Whoever has SECRET_KEY gives it a fingerprint."""
    at = timezone.now() - timedelta(days=days)
    entry = TrailEntry.objects.create(event=AuditEvent.SIGNED_IN, at=at)
    assert sealing.seal_entries() == 0
    assert not sealing.is_evidence(entry)
    for full in (True, False):
        (sentence,) = found(full=full)
        assert f"entry {entry.pk} was not written on" in sentence


def test_a_full_seal_may_leave_older_entries_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after days without a key: what waited was written before the seals of today."""
    monkeypatch.setattr(sealing, "AT_ONCE", 3)
    for _ in range(7):
        audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
    sealing.seal_entries()
    first, full, last = (Seal.objects.get(number=number) for number in (1, 4, 5))
    assert [first.size, full.size, last.size] == [2, 3, 1]
    assert sealing.find_complete_time(full.number) == first.sealed_at
    assert sealing.find_complete_time(last.number) == last.sealed_at


def test_a_signature_is_dated_as_in_the_history() -> None:
    signature = Signature.objects.get()
    other = Submission.objects.exclude(pk=signature.submission_id).get()
    forged = Signature.objects.create(
        submission=other, receipt="another", signed_at=timezone.now(), sha256="ab" * 32
    )
    (sentence,) = found()
    assert f"The signature {forged.pk} is dated" in sentence


class TestDaily:
    """The daily verification, which reads what is new."""

    def test_it_reads_everything_where_the_count_of_old_entries_is_wrong(self) -> None:
        verification.verify_chain()
        tamper("DELETE FROM filing_statuschange WHERE id = %s", key_of("status"))
        check = verification.verify_chain()
        assert (check.after, check.is_full, check.finding_count) == (0, True, 1)

    def test_a_change_of_an_old_entry_is_for_the_full_one(self) -> None:
        verification.verify_chain()
        tamper("UPDATE filing_trailentry SET about = 'x' WHERE id = %s", key_of("log"))
        assert verification.verify_chain().finding_count == 0
        assert verification.verify_chain(full=True).finding_count == 1


def test_the_first_findings_are_kept_and_all_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "MAX_FINDINGS", 2)
    tamper("UPDATE filing_trailentry SET about = 'forged'")
    check = verification.verify_chain(full=True)
    assert (check.finding_count, len(check.findings)) == (4, 2)
    assert ChainCheck.objects.count() == 1
