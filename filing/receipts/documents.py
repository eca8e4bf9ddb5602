"""What a receipt says, its two forms, and how it is issued: at the signature, or later.

The forms are the proof (JWS) and the receipt file around it. Both are written in one way only, so
that any change of a byte can be seen: JSON in ASCII without spaces, the claims sorted by name and
the values of the file in the order of `proofs.FACTS`. A receipt names the year of the rules that
checked the file, and the version of their edits.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

from django.conf import settings
from django.db import IntegrityError, models, transaction
from django.utils import timezone
from jwt import PyJWS

from filing.audit import chain, sealing
from filing.edits import catalogue
from filing.lar.years import NoRulebookError, Period
from filing.models import Signature, SignedReceipt, Submission
from filing.receipts import keys, proofs
from filing.receipts.keys import NoUsableKey, SigningKey

log = logging.getLogger(__name__)

CONTENT_TYPE = "application/json"
PER_TURN = 1000  # of the scheduled task


def now_in_milliseconds() -> datetime:
    """Return the time in whole milliseconds: receipts have no more than that."""
    at = timezone.now()
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def receipt_facts(signature: Signature) -> dict[str, Any]:
    """Return the readable values of the receipt of a signature."""
    submission = signature.submission
    return {
        "receipt": signature.receipt,
        "lei": submission.lei,
        "period": str(submission.period),
        "sha256": signature.sha256,
        "records": submission.records,
        "signedAt": _time_text(signature.signed_at),
    }


def make_claims(signature: Signature, *, issued_at: datetime) -> dict[str, Any]:
    """Return what the receipt of a signature certifies. It never names the signer or the file."""
    submission = signature.submission
    site, own = chain.find_head_of_site(), chain.find_head_of_submission(submission)
    return {
        **receipt_facts(signature),
        "bytes": submission.size,
        "editsVerified": {
            "quality": submission.quality_verified if submission.quality_exists else None,
            "macro": submission.macro_verified if submission.macro_exists else None,
        },
        **make_rules_claims(submission),
        "issuer": settings.PUBLIC_URL,
        "issuedAt": _time_text(issued_at),
        "auditChain": {
            **site._asdict(),
            "submissionEntries": own.entries,
            "submissionHash": own.hash,
        },
    }


def sign_claims(content: Mapping[str, Any], key: SigningKey) -> str:
    """Return claims as a compact JWS, signed with a key."""
    return PyJWS().encode(
        proofs.write_canonical_json(content, sort=True),
        key.private,
        algorithm=proofs.ALGORITHM,
        headers=proofs.make_proof_header(key.kid),
    )


def write_receipt_file(receipt: SignedReceipt) -> bytes:
    """Return the receipt file of a signed receipt."""
    return proofs.join_receipt_file(receipt_facts(receipt.signature), receipt.jws)


def write_file_of_signature(signature: Signature) -> bytes:
    """Return the receipt file of a signature; its proof is null until one is issued."""
    if receipt := getattr(signature, "signed_receipt", None):
        return write_receipt_file(receipt)
    return proofs.write_canonical_json({**receipt_facts(signature), proofs.PROOF: None})


def name_receipt_file(signature: Signature) -> str:
    """Return the name under which a receipt file is saved."""
    return f"receipt-{signature.submission}.json"


def _time_text(at: datetime) -> str:
    """Return a time as receipts have it: ISO 8601 with milliseconds."""
    return at.isoformat(timespec="milliseconds")


def make_rules_claims(submission: Submission) -> dict[str, Any]:
    """Return which rules checked a submission, as its receipt names them.

    rulebook: their year; null where no edit was run, because the period had no rules.
    """
    try:
        period = submission.rules_period
    except NoRulebookError:
        return {"rulesVersion": f"{settings.VERSION}+none", "rulebook": None}
    return {"rulesVersion": find_rules_version(period), "rulebook": period.year}


@cache
def find_rules_version(period: Period) -> str:
    """Return the release of the service and a hash of the edits of a period.

    The hash is over kind, level, code, fields, text and rule of each edit, so releases with the
    same edits have the same hash.
    """
    digest = hashlib.sha256()
    for edit in catalogue.list_edits(period):
        parts = (edit.kind.value, edit.level.value, edit.code, *edit.fields, edit.text, edit.rule)
        digest.update("\x1f".join(parts).encode() + b"\x1e")
    return f"{settings.VERSION}+{digest.hexdigest()[:16]}"


def issue_receipt(signature: Signature) -> SignedReceipt | None:
    """Return the new signed receipt of a signature; none if there is no key to sign it with.

    A filing never fails for a key: the receipt is then issued later, by `issue_missing_receipts`.
    Call this in the transaction of the signature, after all that the audit log says about it.
    """
    try:
        return _issue(signature)
    except NoUsableKey as error:
        log.error("Receipt %s is not signed yet: %s", signature, error)
        return None


def issue_missing_receipts(limit: int | None = None) -> int:
    """Issue the receipts of signatures that have none, the oldest first; return how many.

    limit: how many at most.

    Raises: NoUsableKey.
    """
    issued = 0
    for pk in list(find_signatures_without_receipt().values_list("pk", flat=True)[:limit]):
        signature = Signature.objects.select_related(
            "submission__filing__institution", "submission__filing__period"
        ).get(pk=pk)
        try:
            with transaction.atomic():
                _issue(signature)
        except IntegrityError:  # another process has just issued it
            if not SignedReceipt.objects.filter(signature=pk).exists():
                raise
        else:
            issued += 1
    return issued


def catch_up_receipts() -> None:
    """Issue missing receipts, as many as fit into a turn; log why that is not possible."""
    try:
        if issued := issue_missing_receipts(PER_TURN):
            log.info("Issued %s signed receipts that were missing", issued)
    except NoUsableKey as error:
        log.error("Receipts cannot be signed: %s", error)


def find_signatures_without_receipt() -> models.QuerySet[Signature]:
    """Return the signatures without a signed receipt, the oldest first."""
    return Signature.objects.filter(signed_receipt=None).order_by("pk")


def _issue(signature: Signature) -> SignedReceipt:
    key = keys.require_signing_key()
    row = keys.record_key(key)
    sealing.seal_entries()  # so that the receipt names a head that covers the signature
    issued_at = now_in_milliseconds()
    jws = sign_claims(make_claims(signature, issued_at=issued_at), key)
    return SignedReceipt.objects.create(signature=signature, key=row, jws=jws, issued_at=issued_at)
