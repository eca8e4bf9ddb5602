"""What was changed, removed, inserted, moved or cut off is found, and where."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from filing import audit
from filing.audit import chain as chain_links
from filing.audit import sealing, verification
from filing.audit.chain import EVIDENCE_TABLES, ChainHead
from filing.audit.verification import Expectation
from filing.models import (
    AuditEvent,
    ChainCheck,
    ChainLink,
    EntryRemoval,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
)
from filing.models.columns import fingerprint_values
from tests.filing.audit.chain.entries import ANN, write
from tests.tampering import tamper

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def chain(submission: Submission) -> None:
    write(submission)
    sealing.seal_entries()


def found(*expected: Expectation, full: bool = True) -> list[str]:
    return verification.verify_chain(full=full, expected=expected).findings


def seal_anew() -> None:
    """Seal what has no link, as who forges the chain would."""
    tamper("UPDATE filing_chainstate SET seen = %s", "{}")
    sealing.seal_entries()


def link_of(table: str, nth: int = 0) -> ChainLink:
    return ChainLink.objects.filter(table=table).order_by("position")[nth]


def test_nothing_is_found_where_nothing_was_done() -> None:
    check = verification.verify_chain(full=True)
    assert (check.finding_count, check.findings, check.entries) == (0, [], 8)
    assert (check.after, check.is_full, check.head) == (
        0,
        True,
        chain_links.find_head_of_site().hash,
    )
    assert found(Expectation(chain_links.find_head_of_site(), "a receipt")) == []


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
    link = link_of(name)
    assert tamper(f"UPDATE {table} SET {column} = %s WHERE id = %s", value, link.entry) == 1
    (sentence,) = found()
    assert sentence.startswith(
        f"Entry {link.position} of the chain, the {EVIDENCE_TABLES[name].label}"
    )
    assert sentence.endswith("was changed: its content does not have its fingerprint.")


@pytest.mark.parametrize(
    ("model", "name"), [(StatusChange, "actor_name"), (Signature, "signer_name")]
)
def test_an_entry_of_before_a_column_stays_genuine_while_the_column_is_blank(
    model: Any, name: str, submission: Submission
) -> None:
    if model is StatusChange:
        row = model.objects.create(submission=submission, after=2, event="UPLOAD_STARTED")
    else:
        sequel = submission.filing.submissions.create(sequence_number=9)
        row = model.objects.create(submission=sequel, receipt="R-9", signed_at=timezone.now())
    row.refresh_from_db()
    fields = [model._meta.get_field(each).attname for each in model.CONTENT[1]]
    former = fingerprint_values(model, 1, [getattr(row, each) for each in fields])
    table = model._meta.db_table
    tamper(f"UPDATE {table} SET fingerprint = %s WHERE id = %s", former, row.pk)
    sealing.seal_entries()
    assert found() == []
    tamper(f"UPDATE {table} SET {name} = %s WHERE id = %s", "Eve", row.pk)
    (sentence,) = found()
    assert sentence.endswith("was changed: its content does not have its fingerprint.")


def test_a_changed_entry_with_a_new_fingerprint() -> None:
    link = link_of("log")
    entry = TrailEntry.objects.get(pk=link.entry)
    entry.reason = "Another reason."
    TrailEntry._meta.get_field("fingerprint").pre_save(entry, False)
    tamper(
        "UPDATE filing_trailentry SET reason = %s, fingerprint = %s WHERE id = %s",
        entry.reason, entry.fingerprint, entry.pk,
    )  # fmt: skip
    (sentence,) = found()
    assert "was replaced: it has another fingerprint" in sentence


@pytest.mark.parametrize("name", CHANGES)
def test_a_removed_entry(name: str) -> None:
    link = link_of(name)
    tamper(f"DELETE FROM {CHANGES[name][0]} WHERE id = %s", link.entry)
    (sentence,) = found()
    assert sentence.startswith(f"Entry {link.position} of the chain")
    assert sentence.endswith("is missing.")


def test_a_removed_entry_whose_link_is_removed_too() -> None:
    link = link_of("log", 1)
    tamper("DELETE FROM filing_trailentry WHERE id = %s", link.entry)
    tamper("DELETE FROM filing_chainlink WHERE position = %s", link.position)
    missing, changed = found()
    number = f"{link.position}"
    assert missing == f"Entries {number} to {number} of the chain are missing."
    assert f"Entry {link.position + 1} of the chain" in changed


def test_an_inserted_entry() -> None:
    tamper(
        "INSERT INTO filing_trailentry (at, event, actor_id, actor_username, actor_email, "
        "address, request_id, lei, about, reason) "
        "VALUES (%s, 'signed in', '', 'eve', '', '', '', '', '', '')",
        timezone.now(),
    )
    (sentence,) = found()
    assert "inserted by other means: it has no fingerprint." in sentence


def test_an_inserted_entry_with_a_false_fingerprint() -> None:
    entry = audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
    tamper("UPDATE filing_trailentry SET about = 'forged' WHERE id = %s", entry.pk)
    (sentence,) = found()
    assert f"the audit log entry {entry.pk}" in sentence
    assert "its content does not have its fingerprint." in sentence


def test_an_inserted_entry_among_old_ones() -> None:
    TrailEntry.objects.create(event=AuditEvent.SIGNED_IN, at=timezone.now() - timedelta(days=9))
    key = TrailEntry.objects.order_by("-pk")[0].pk
    tamper("UPDATE filing_chainstate SET seen = %s", f'{{"log": {key}}}')
    (sentence,) = found()
    assert sentence.endswith("is not in the chain.")


def test_two_entries_in_each_others_place() -> None:
    one, other = link_of("log", 0).entry, link_of("log", 1).entry
    for old, new in ((one, -1), (other, one), (-1, other)):
        tamper("UPDATE filing_trailentry SET id = %s WHERE id = %s", new, old)
    assert len(found()) == 2


def test_two_links_in_each_others_place() -> None:
    one, other = link_of("log", 0).position, link_of("log", 1).position
    for old, new in ((one, 99), (other, one), (99, other)):
        tamper("UPDATE filing_chainlink SET position = %s WHERE position = %s", new, old)
    assert any("was changed or moved" in sentence for sentence in found())


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("fingerprint", "1:" + "0" * 64),
        ("submission", 999),
        ("submission_hash", "0" * 64),
        ("submission_position", 7),
        ("hash", "0" * 64),
        ("adopted", True),
        ("sealed_at", "2020-01-01 00:00:00+00:00"),
        ("table", "removal"),
        ("table", "other"),
        ("entry", 12345),
    ],
)
def test_a_changed_link(column: str, value: object) -> None:
    link = link_of("status")
    tamper(f'UPDATE filing_chainlink SET "{column}" = %s WHERE position = %s', value, link.position)
    assert any(f"Entry {link.position} of the chain" in sentence for sentence in found())


def test_the_chain_of_a_submission_is_verified_as_well(submission: Submission) -> None:
    StatusChange.objects.create(submission=submission, after=2, event="UPLOAD_STARTED")
    sealing.seal_entries()
    link = ChainLink.objects.order_by("-position")[0]
    link.submission_position += 1
    before = ChainLink.objects.get(position=link.position - 1)
    link.hash = verification.chain.site_hash(before.hash, link)
    tamper(
        "UPDATE filing_chainlink SET submission_position = %s, hash = %s WHERE position = %s",
        link.submission_position, link.hash, link.position,
    )  # fmt: skip
    (sentence,) = found()
    assert sentence.endswith("does not follow the entry before of its submission.")


def test_a_cut_off_end_against_a_head_from_elsewhere() -> None:
    head = chain_links.find_head_of_site()
    for table, *_ in CHANGES.values():
        tamper(f"DELETE FROM {table}")
    tamper("DELETE FROM filing_chainlink")
    assert found() == []
    (sentence,) = found(Expectation(head, "receipt 529900-1"))
    assert sentence == (
        "The chain was cut off: it ends at 0, and according to receipt 529900-1 it had 8 entries."
    )


def test_an_end_that_was_written_anew_against_a_head_from_elsewhere() -> None:
    head = chain_links.find_head_of_site()
    tamper("DELETE FROM filing_chainlink WHERE position >= 7")
    assert len(found()) == 2
    seal_anew()
    assert chain_links.find_head_of_site().entries == 8
    (sentence,) = found(Expectation(head, "the log of November 23"))
    assert sentence.startswith("Entry 8 of the chain is not the one that it was according to the")


def test_what_retention_removed_is_no_finding() -> None:
    keys = [link_of("log", 0).entry, link_of("log", 1).entry]
    chain_links.remove_entries(
        EVIDENCE_TABLES["log"], keys, rule="entries about sign-ins are kept 90 days."
    )
    assert found() == []
    assert found(full=False) == []
    assert EntryRemoval.objects.get().entries == sorted(keys)
    assert link_of("removal").position == 9


def test_a_record_of_a_removal_that_was_inserted_hides_nothing() -> None:
    key = link_of("log").entry
    tamper("DELETE FROM filing_trailentry WHERE id = %s", key)
    tamper(
        "INSERT INTO filing_entryremoval (at, \"table\", entries, rule) VALUES (%s, 'log', %s, '')",
        timezone.now(), f"[{key}]",
    )  # fmt: skip
    assert len(found()) == 2


class TestDaily:
    """The daily verification, which reads what is new."""

    def test_it_begins_where_the_last_one_ended(self) -> None:
        verification.verify_chain()
        audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
        check = verification.verify_chain()
        assert (check.after, check.entries, check.is_full) == (8, 9, False)

    def test_it_finds_what_is_new_and_changed(self) -> None:
        verification.verify_chain()
        entry = audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
        sealing.seal_entries()
        tamper("UPDATE filing_trailentry SET about = 'forged' WHERE id = %s", entry.pk)
        check = verification.verify_chain()
        assert (check.after, check.finding_count) == (8, 1)
        assert check.findings[0].startswith("Entry 9 of the chain")

    def test_after_a_finding_it_begins_at_the_same_place_again(self) -> None:
        verification.verify_chain()
        entry = audit.record_event(AuditEvent.SIGNED_IN, by=ANN)
        sealing.seal_entries()
        tamper("UPDATE filing_trailentry SET about = 'forged' WHERE id = %s", entry.pk)
        assert [verification.verify_chain().finding_count for _ in range(2)] == [1, 1]

    def test_it_reads_everything_where_the_count_of_old_entries_is_wrong(self) -> None:
        verification.verify_chain()
        link = link_of("status")
        tamper("DELETE FROM filing_statuschange WHERE id = %s", link.entry)
        check = verification.verify_chain()
        assert (check.after, check.is_full, check.finding_count) == (0, True, 1)

    def test_it_notices_that_the_chain_was_replaced(self) -> None:
        verification.verify_chain()
        tamper("DELETE FROM filing_chainlink")
        seal_anew()
        (sentence,) = verification.verify_chain().findings
        assert "is not the one that it was according to the last verification" in sentence

    def test_a_change_of_an_old_entry_is_for_the_full_one(self) -> None:
        verification.verify_chain()
        tamper("UPDATE filing_trailentry SET about = 'x' WHERE id = %s", link_of("log").entry)
        assert verification.verify_chain().finding_count == 0
        assert verification.verify_chain(full=True).finding_count == 1


def test_the_first_findings_are_kept_and_all_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "MAX_FINDINGS", 2)
    tamper("UPDATE filing_trailentry SET about = 'forged'")
    check = verification.verify_chain(full=True)
    assert (check.finding_count, len(check.findings)) == (3, 2)
    assert ChainCheck.objects.count() == 1


def test_an_unknown_revision_is_a_finding() -> None:
    link = link_of("log")
    tamper("UPDATE filing_trailentry SET fingerprint = '9:x' WHERE id = %s", link.entry)
    assert len(found()) == 1
    assert ChainHead(1, "x") != chain_links.find_head_of_site()
