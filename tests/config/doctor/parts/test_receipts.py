"""Signed receipts: a key that cannot be used, and receipts that are missing."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from config.doctor.parts import receipts
from filing.models import Signature, Submission
from filing.receipts import keys
from tests.config.doctor.parts.looking import bad, texts

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.RECEIPT_KEY_DIR = tmp_path / "receipts"
    return settings.RECEIPT_KEY_DIR


def test_a_key_is_made_or_used() -> None:
    assert texts(receipts.receipts) == (
        "The key that signs receipts is made with the first receipt."
    )
    key = keys.signing()
    assert texts(receipts.receipts) == f"Key {key.kid} signs receipts; it is from {key.origin}."


def test_a_key_that_cannot_be_used_is_an_error(folder: Path) -> None:
    keys.signing()
    (folder / "0001.pem").chmod(0o644)
    (line,) = bad(receipts.receipts)
    assert line.startswith("error: Receipts cannot be signed: Other users may open")


def test_receipts_that_are_missing_for_long_are_a_warning(submission: Submission) -> None:
    at = timezone.now() - timedelta(hours=2)
    Signature.objects.create(submission=submission, receipt="r", signed_at=at)
    (line,) = bad(receipts.receipts)
    assert line.startswith("warning: Signatures without a signed receipt: 1. Workers issue 1,000")


def test_a_site_without_signatures_needs_no_key(settings: Any) -> None:
    settings.SIGNING_ENABLED = False
    settings.RECEIPT_SIGNING_KEY = "no key"
    assert texts(receipts.receipts) == "This site takes no signatures."
