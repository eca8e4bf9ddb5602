"""Receipts of a signed submission, with keys in a folder of the test's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filing import submissions
from filing.access import Caller
from filing.models import Signature, Submission
from filing.receipts import documents
from tests.conftest import LEI
from tests.filing.receipts.signing import SHA256, to_be_signed


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.RECEIPT_KEY_DIR = tmp_path / "keys" / "receipts"
    return settings.RECEIPT_KEY_DIR


@pytest.fixture
def verified(submission: Submission) -> Submission:
    return to_be_signed(submission)


@pytest.fixture
def signature(verified: Submission, filer: Caller) -> Signature:
    return submissions.sign_submission(verified, signed=True, by=filer)


@pytest.fixture
def file(signature: Signature) -> bytes:
    return documents.write_receipt_file(signature.signed_receipt)


def genuine(signature: Signature) -> dict[str, Any]:
    """Return the answer on the receipt of a signature that was not replaced."""
    return {
        "receipt": signature.receipt,
        "genuine": True,
        "lei": LEI,
        "period": "2024",
        "sha256": SHA256,
        "records": 60,
        "signedAt": signature.signed_at.isoformat(timespec="milliseconds"),
        "replacedBy": None,
    }
