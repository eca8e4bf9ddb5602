"""Signed receipts: issued with the signature, or later, and never a reason to refuse a filing."""

from __future__ import annotations

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from typing import Any

import jwt
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from filing import submissions, tasks
from filing.access import Caller
from filing.audit import keys
from filing.lar.years import Period
from filing.models import ChainState, Mail, Signature, SignedReceipt, Submission
from filing.receipts import documents
from tests.conftest import LEI
from tests.filing.receipts.signing import SHA256, to_be_signed

pytestmark = pytest.mark.django_db


@pytest.fixture
def unusable(folder: Path) -> Path:
    folder.mkdir(parents=True, mode=0o755)
    folder.chmod(0o755)
    return folder


def claims_of(receipt: SignedReceipt) -> dict[str, Any]:
    """Return the claims as another program reads them, by the published key."""
    key = jwt.PyJWK(receipt.key.jwk)
    return jwt.decode(receipt.jws, key, algorithms=["EdDSA"])


def test_the_receipt_certifies_the_file_and_names_no_person(signature, settings) -> None:
    receipt = signature.signed_receipt
    claims = claims_of(receipt)
    assert claims == {
        "receipt": signature.receipt,
        "lei": LEI,
        "period": "2024",
        "sha256": SHA256,
        "bytes": 1234,
        "records": 60,
        "editsVerified": {"quality": True, "macro": None},
        "editsNotRun": [],
        "censusStandIn": None,
        "rulesVersion": documents.find_rules_version(Period(2024)),
        "rulebook": 2024,
        "signedAt": signature.signed_at.isoformat(timespec="milliseconds"),
        "issuer": settings.PUBLIC_URL,
        "issuedAt": receipt.issued_at.isoformat(timespec="milliseconds"),
        "auditChain": claims["auditChain"],
    }
    assert set(claims["auditChain"]) == {"entries", "hash", "submissionEntries", "submissionHash"}
    assert jwt.get_unverified_header(receipt.jws) == {
        "alg": "EdDSA",
        "kid": keys.require_signing_key().kid,
        "typ": "hmda-receipt+jwt",
    }


def test_a_filing_does_not_fail_without_a_usable_key(unusable, verified, filer, caplog) -> None:
    with caplog.at_level(logging.ERROR):
        signature = submissions.sign_submission(verified, signed=True, by=filer)
    assert not SignedReceipt.objects.exists()
    assert f"Receipt {signature.receipt} is not signed yet: Other users may open" in caplog.text
    assert "attached" not in Mail.objects.filter(kind="receipt").first().text
    with pytest.raises(CommandError, match="Other users may open"):
        call_command("issue_receipts")
    with caplog.at_level(logging.ERROR):
        tasks.issue_receipts()
    assert "Receipts cannot be signed: Other users may open" in caplog.text
    unusable.chmod(0o700)
    tasks.issue_receipts()
    receipt = SignedReceipt.objects.get()
    assert receipt.signature == signature
    claims = claims_of(receipt)
    assert claims["issuedAt"] > claims["signedAt"]


@pytest.mark.servers
def test_missing_receipts_are_issued_a_few_at_a_time(filing, filer, unusable) -> None:
    for _ in range(3):
        sign_another(filer)
    unusable.chmod(0o700)
    assert documents.issue_missing_receipts(2) == 2
    assert documents.find_signatures_without_receipt().count() == 1
    out = StringIO()
    call_command("issue_receipts", stdout=out)
    assert out.getvalue() == "Issued 1 signed receipts.\n"
    assert documents.issue_missing_receipts() == 0


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_the_first_signature_with_a_key_does_not_wait_for_who_seals_with_it(
    verified, filer
) -> None:
    def sign() -> Signature:
        try:
            return submissions.sign_submission(verified, signed=True, by=filer)
        finally:
            connection.close()

    ChainState.objects.get_or_create(pk=1)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():  # what sealing does, with the signature in its middle
            ChainState.objects.select_for_update().get(pk=1)
            signed = pool.submit(sign)
            wait_for_lock()
            keys.record_key(keys.require_signing_key())
        signature = signed.result()
    assert SignedReceipt.objects.get().signature == signature


def wait_for_lock() -> None:
    """Wait until the other thread waits for a lock: of SQLite it has nothing to tell."""
    until = time.monotonic() + 20
    while time.monotonic() < until and connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT 1 FROM pg_stat_activity"
                " WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if cursor.fetchone():
                return
        time.sleep(0.02)


def sign_another(filer: Caller) -> Signature:
    new: Submission = submissions.create_submission(lei=LEI, period=Period(2024), by=filer)
    return submissions.sign_submission(to_be_signed(new), signed=True, by=filer, reason="Again.")
