"""The verification of every day: heads from receipts and places count, and the new one goes out."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from config import audit_log
from config.tasks import verify_audit_log
from filing.audit import sealing
from filing.audit.chain import ChainHead
from filing.models import ChainCheck, Mail, SignedReceipt, Submission
from filing.receipts import documents
from tests.buckets import a_bucket_with_object_lock
from tests.filing.audit.chain.entries import write
from tests.tampering import tamper

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def signed(submission: Submission, settings: Any, tmp_path: Path) -> SignedReceipt:
    settings.RECEIPT_KEY_DIR = tmp_path / "keys"
    write(submission)
    receipt = documents.issue_receipt(submission.signature)
    assert receipt is not None
    return receipt


def test_the_head_of_the_day_is_in_the_log_and_with_the_auditors(
    settings: Any, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    settings.AUDIT_HEADS_URL = f"file://{tmp_path}/once"
    settings.AUDIT_HEADS_EMAIL = ["audit@site.example", "examiner@agency.example"]
    with caplog.at_level(logging.INFO):
        verify_audit_log()
    check = ChainCheck.objects.get()
    verify_audit_log()  # as a second beat asks for it
    line = f"Audit log: {check.entries} entries, head {check.head}"
    assert line in caplog.messages
    (expectation,) = audit_log.read_heads([line], "the log")
    assert expectation.head == (check.entries, check.head)
    file, *_ = sorted((tmp_path / "once" / "heads").iterdir())
    assert f'"hash": "{check.head}"' in file.read_text()
    mails = Mail.objects.filter(kind="audit-head").order_by("to")
    assert [mail.to for mail in mails] == ["audit@site.example", "examiner@agency.example"]
    assert f"--head {check.entries}:{check.head}" in mails[0].text
    assert mails[0].subject.endswith(": no findings")


def test_findings_later_in_the_day_go_to_the_auditors_too(settings: Any) -> None:
    settings.AUDIT_HEADS_EMAIL = ["audit@site.example"]
    verify_audit_log()
    tamper("UPDATE filing_chaincheck SET began_at = %s", timezone.now() - timedelta(days=8))
    tamper("UPDATE filing_statuschange SET reason = 'forged'")
    for _ in range(2):
        verify_audit_log()
    subjects = Mail.objects.filter(kind="audit-head").order_by("pk").values_list("subject")
    assert [subject.rpartition(": ")[2] for (subject,) in subjects] == ["no findings", "4 findings"]


def test_it_is_full_once_a_week() -> None:
    assert [audit_log.verify_daily().is_full for _ in range(2)] == [True, False]
    tamper(
        "UPDATE filing_chaincheck SET began_at = %s", timezone.now() - timedelta(days=7, minutes=1)
    )
    assert audit_log.verify_daily().is_full


def cut_off() -> None:
    """Delete all entries and seals."""
    tables = ("trailentry", "statuschange", "attempt", "seal", "unsealedentry")
    for table in tables:
        tamper(f"DELETE FROM filing_{table}")


def test_an_end_that_was_cut_off_is_found_by_the_receipt(signed: SignedReceipt) -> None:
    cut_off()
    assert (
        f"The chain was cut off: it ends at 0, and according to receipt {signed} it had 9 entries."
    ) in audit_log.verify_log().findings


def test_an_end_that_was_cut_off_is_found_by_a_place(settings: Any, tmp_path: Path) -> None:
    settings.AUDIT_HEADS_URL = f"file://{tmp_path}/once"
    audit_log.verify_daily()
    tamper("DELETE FROM filing_signedreceipt")
    tamper("DELETE FROM filing_chaincheck")
    tamper("DELETE FROM filing_signature")
    cut_off()
    (sentence,) = audit_log.verify_log(full=True).findings
    assert "The chain was cut off: it ends at 0, and according to heads/" in sentence


def test_a_stored_receipt_that_was_changed_is_a_finding(signed: SignedReceipt) -> None:
    tamper("UPDATE filing_signedreceipt SET jws = %s", signed.jws[:-6] + "AAAAAA")
    (sentence,) = audit_log.verify_log().findings
    assert sentence.startswith(f"The stored receipt {signed.pk} is not genuine: ")


def test_a_place_that_cannot_be_read_is_a_finding(settings: Any, tmp_path: Path) -> None:
    heads = tmp_path / "once" / "heads"
    heads.mkdir(parents=True)
    (heads / "2026.json").write_text("no JSON")
    settings.AUDIT_HEADS_URL = f"file://{tmp_path}/once"
    (sentence,) = audit_log.verify_log().findings
    assert sentence.startswith("The heads in AUDIT_HEADS_URL cannot be read: ")


def test_a_place_that_takes_nothing_is_an_error_in_the_log(
    settings: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    settings.AUDIT_HEADS_URL = f"file://{tmp_path}/file"
    audit_log.verify_daily()
    assert any("cannot be stored in AUDIT_HEADS_URL" in message for message in caplog.messages)
    assert sealing.seal_entries() == 0


AT = datetime(2026, 11, 23, 6, 40, 12, 345678, tzinfo=UTC)
HEAD = ChainHead(12, "ab" * 32)


@pytest.fixture(params=["folder", "bucket"])
def place(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> Iterator[str]:
    if request.param == "folder":
        settings.AUDIT_HEADS_URL = f"file://{tmp_path}/once"
        yield request.param
        return
    with a_bucket_with_object_lock("once", "/of/hmda") as (url, _):
        settings.AUDIT_HEADS_URL = url
        yield request.param


def test_a_head_is_written_and_read(place: str) -> None:
    name = audit_log.store_head(HEAD, AT)
    assert name == "heads/2026-11-23T064012.345678Z.json"
    (expectation,) = audit_log.stored_heads()
    assert expectation.head == HEAD
    assert expectation.source.startswith(f"{name} in ")


@pytest.mark.parametrize("place", ["folder"], indirect=True)
def test_the_daily_verification_reads_the_recent_ones(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_log, "RECENT", 2)
    for day in range(3):
        audit_log.store_head(ChainHead(day, "ab" * 32), AT + timedelta(days=day))
    assert [each.head.entries for each in audit_log.stored_heads()] == [1, 2]
    assert [each.head.entries for each in audit_log.stored_heads(all_of_them=True)] == [0, 1, 2]


def test_a_file_is_never_written_again(settings: Any, tmp_path: Path) -> None:
    settings.AUDIT_HEADS_URL = f"file://{tmp_path}"
    file = tmp_path / audit_log.store_head(HEAD, AT)
    assert file.stat().st_mode & 0o222 == 0
    another = tmp_path / audit_log.store_head(ChainHead(13, "cd" * 32), AT)
    assert another != file
    assert {each.head.entries for each in audit_log.stored_heads()} == {12, 13}


def test_an_object_is_locked_for_the_days_of_the_settings(settings: Any) -> None:
    settings.AUDIT_HEADS_DAYS = 400
    with a_bucket_with_object_lock("once") as (url, client):
        settings.AUDIT_HEADS_URL = url
        now = datetime.now(UTC)
        name = audit_log.store_head(HEAD, now)
        found = client.head_object(Bucket="once", Key=name)
    assert found["ObjectLockMode"] == "COMPLIANCE"
    assert abs(found["ObjectLockRetainUntilDate"] - (now + timedelta(days=400))) < timedelta(
        seconds=2
    )
