"""What a receipt says, and its two forms: the proof (JWS) and the receipt file around it.

Both are written in one way only, so that any change of a byte can be seen: JSON in ASCII without
spaces, the claims sorted by name and the values of the file in the order of `FACTS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils import timezone
from jwt import PyJWS

from filing.audit.chain import heads
from filing.models import Signature, SignedReceipt
from filing.receipts import rules
from filing.receipts.keys import SigningKey
from filing.receipts.proofs import ALGORITHM, FACTS, PROOF, TYPE, canonical, file_of, header

CONTENT_TYPE = "application/json"
__all__ = ["ALGORITHM", "FACTS", "PROOF", "TYPE", "canonical", "file_of", "header"]


def now() -> datetime:
    """Return the time in whole milliseconds: receipts have no more than that."""
    at = timezone.now()
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def facts(signature: Signature) -> dict[str, Any]:
    """Return the readable values of the receipt of a signature."""
    submission = signature.submission
    return {
        "receipt": signature.receipt,
        "lei": submission.lei,
        "period": str(submission.period),
        "sha256": signature.sha256,
        "records": submission.records,
        "signedAt": time_text(signature.signed_at),
    }


def claims(signature: Signature, *, issued_at: datetime) -> dict[str, Any]:
    """Return what the receipt of a signature certifies. It never names the signer or the file."""
    submission = signature.submission
    site, own = heads.of_site(), heads.of_submission(submission)
    return {
        **facts(signature),
        "bytes": submission.size,
        "editsVerified": {
            "quality": submission.quality_verified if submission.quality_exists else None,
            "macro": submission.macro_verified if submission.macro_exists else None,
        },
        **rules.claims(submission),
        "issuer": settings.PUBLIC_URL,
        "issuedAt": time_text(issued_at),
        "auditChain": {
            **site._asdict(),
            "submissionEntries": own.entries,
            "submissionHash": own.hash,
        },
    }


def proof(content: Mapping[str, Any], key: SigningKey) -> str:
    """Return claims as a compact JWS, signed with a key."""
    return PyJWS().encode(
        canonical(content, sort=True), key.private, algorithm=ALGORITHM, headers=header(key.kid)
    )


def receipt_file(receipt: SignedReceipt) -> bytes:
    """Return the receipt file of a signed receipt."""
    return file_of(facts(receipt.signature), receipt.jws)


def file_of_signature(signature: Signature) -> bytes:
    """Return the receipt file of a signature; its proof is null until one is issued."""
    receipt = getattr(signature, "signed_receipt", None)
    return receipt_file(receipt) if receipt else canonical({**facts(signature), PROOF: None})


def file_name(signature: Signature) -> str:
    """Return the name under which a receipt file is saved."""
    return f"receipt-{signature.submission}.json"


def time_text(at: datetime) -> str:
    """Return a time as receipts have it: ISO 8601 with milliseconds."""
    return at.isoformat(timespec="milliseconds")
