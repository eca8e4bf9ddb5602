"""The command: what it prints, what it compares with, and its exit code."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from filing.audit import chain as chain_links
from filing.audit import sealing
from filing.models import AuditEvent, Submission, TrailEntry
from filing.receipts import documents
from tests.filing.audit.chain.entries import write
from tests.tampering import tamper

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def chain(submission: Submission, settings: Any, tmp_path: Path) -> None:
    settings.RECEIPT_KEY_DIR = tmp_path / "keys"
    write(submission)
    sealing.seal_entries()


def run(*words: str) -> str:
    said = StringIO()
    try:
        call_command("verify_audit_log", *words, stdout=said)
    except CommandError as error:
        return f"{said.getvalue()}{error}"
    return said.getvalue()


def test_nothing_is_found() -> None:
    said = run()
    assert said.startswith("All 9 entries were verified in ")
    assert said.endswith(f"Head: 9:{chain_links.find_head_of_site().hash}\nNo findings.\n")
    assert run().startswith("0 new of 9 entries were verified")
    assert run("--full").startswith("All 9 entries")


@pytest.mark.servers
def test_a_head_a_receipt_and_a_log_are_compared(submission: Submission, tmp_path: Path) -> None:
    receipt = documents.issue_receipt(submission.signature)
    assert receipt is not None
    file, log = tmp_path / "receipt.json", tmp_path / "web.log"
    file.write_bytes(documents.write_receipt_file(receipt))
    head = chain_links.find_head_of_site()
    log.write_text(f'{{"event": "Audit log: {head.entries} entries, head {head.hash}"}}\n')
    known = [f"--head={head.entries}:{head.hash}", f"--receipt={file}", f"--log={log}"]
    assert run("--full", *known).endswith("No findings.\n")
    tamper("DELETE FROM filing_signedreceipt")
    tamper("DELETE FROM filing_seal WHERE entries = %s", head.entries)
    for words, source in zip(
        known, ("the head you entered", f"receipt {receipt}", f"line 1 of {log}"), strict=True
    ):
        assert f"according to {source} it had {head.entries} entries." in run("--full", words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--head", "8"], "is not a number of entries, a colon and a hash"),
        (["--receipt", "nowhere.json"], "A file cannot be used: "),
        (["--log", "nowhere.log"], "A file cannot be used: "),
        (["--adopt"], "Give --reason with --adopt"),
    ],
)
def test_words_that_it_does_not_take(words: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("verify_audit_log", *words, stdout=StringIO())


def test_a_file_that_is_no_receipt(tmp_path: Path) -> None:
    file = tmp_path / "receipt.json"
    file.write_text("{}")
    with pytest.raises(CommandError, match="A file cannot be used: "):
        call_command("verify_audit_log", "--receipt", str(file), stdout=StringIO())


@pytest.mark.servers
def test_entries_of_a_former_release_are_accepted_with_a_reason() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO filing_trailentry (at, event, actor_id, actor_username, actor_email, "
            "address, request_id, lei, about, reason) "
            "SELECT at, event, '', '', '', '', '', '', '', '' FROM filing_trailentry"
        )
    assert "4 findings" in run()
    said = run("--adopt", "--reason", "Rolling upgrade to 1.1.")
    assert said.startswith("4 entries were accepted")
    assert said.endswith("No findings.\n")
    entry = TrailEntry.objects.get(event=AuditEvent.ENTRIES_ADOPTED)
    assert (entry.about, entry.reason) == ("4 entries", "Rolling upgrade to 1.1.")
