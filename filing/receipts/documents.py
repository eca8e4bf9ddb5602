"""What a receipt says, its two forms, and how it is issued: at the signature, or later.

The forms are the proof (JWS) and the receipt file around it. Both are written in one way only, so
that any change of a byte can be seen: JSON in ASCII without spaces, the claims sorted by name and
the values of the file in the order of `proofs.FACTS`. A receipt names the year of the rules that
checked the file, and the version of their edits.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from django.conf import settings
from django.db import IntegrityError, models, transaction
from django.utils import timezone
from jwt import PyJWS

from filing import audit
from filing.access import SERVICE
from filing.audit import chain, keys, sealing
from filing.audit.keys import NoUsableKey, SigningKey
from filing.edits import catalogue
from filing.errors import NotFound
from filing.lar.years import NoRulebookError, Period
from filing.models import AuditEvent, Signature, SignedReceipt, Submission
from filing.models.columns import is_authentic_row
from filing.receipts import proofs

log = logging.getLogger(__name__)

CONTENT_TYPE = "application/json"
PER_TURN = 1000  # of the scheduled task


@dataclass(frozen=True, slots=True)
class ReceiptFact:
    """A value of a receipt under its label. code: whether it is set as code."""

    label: str
    value: str
    code: bool = False


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


def write_claims(signature: Signature, *, unchecked: Mapping[str, Any]) -> str:
    """Return what the receipt of a new signature certifies, as the signature stores it.

    It never names the signer or the file. Only the request that signs knows this first hand.

    unchecked: what it certifies of what was not checked.
    """
    submission = signature.submission
    claims = {
        **receipt_facts(signature),
        "bytes": submission.size,
        "editsVerified": {
            "quality": submission.quality_verified if submission.quality_exists else None,
            "macro": submission.macro_verified if submission.macro_exists else None,
        },
        **make_rules_claims(submission),
        **unchecked,
        "issuer": settings.PUBLIC_URL,
    }
    return proofs.write_canonical_json(claims, sort=True).decode()


def read_claims(signature: Signature) -> dict[str, Any] | None:
    """Return what the request that signed has stored; none if this service did not write it."""
    if not signature.claims or not is_authentic_row(signature):
        return None
    claims: dict[str, Any] = json.loads(signature.claims)
    return claims


def read_evident_claims(signature: Signature) -> dict[str, Any] | None:
    """Return the same of a signature without a receipt; none if it was not signed when it says."""
    return read_claims(signature) if sealing.is_evidence(signature) else None


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
        return _issue(signature, json.loads(signature.claims))
    except NoUsableKey as error:
        log.error("Receipt %s is not signed yet: %s", signature, error)
        return None


def issue_missing_receipts(limit: int | None = None) -> int:
    """Issue the receipts of signatures that have none, the oldest first; return how many.

    They say what the requests that signed have stored. A signature that this service did not write,
    or not at the time that it says, or that has none of this, is logged and gets no receipt.

    limit: how many at most.

    Raises: NoUsableKey.
    """
    issued = 0
    for pk in list(find_signatures_without_receipt().values_list("pk", flat=True)[:limit]):
        signature = _with_submission(Signature.objects.all()).get(pk=pk)
        if (claims := read_evident_claims(signature)) is None:
            log.error("Signature %s is not authentic; it gets no receipt.", signature)
            continue
        issued += _issue_once(signature, claims)
    return issued


def issue_unconfirmed_receipt(
    number: str, *, reason: str, describe_unchecked: Callable[[Submission], Mapping[str, Any]]
) -> int:
    """Issue the receipt of a signature from what the database says of it; return how many.

    Only for an operator who knows that it was signed: nothing authenticates these values.
    reason: for the audit log. describe_unchecked: returns what a receipt certifies of what was not
    checked.

    Raises: NotFound, NoUsableKey.
    """
    signature = _with_submission(find_signatures_without_receipt()).filter(receipt=number).first()
    if signature is None:
        raise NotFound(f"There is no signature {number} without a receipt.")
    unchecked = describe_unchecked(signature.submission)
    event = AuditEvent.UNCONFIRMED_RECEIPT_ISSUED
    audit.record_event(event, by=SERVICE, lei=signature.submission.lei, about=number, reason=reason)
    return _issue_once(signature, json.loads(write_claims(signature, unchecked=unchecked)))


def _issue_once(signature: Signature, claims: dict[str, Any]) -> int:
    try:
        with transaction.atomic():
            _issue(signature, claims)
    except IntegrityError:  # another process has just issued it
        if not SignedReceipt.objects.filter(signature=signature).exists():
            raise
        return 0
    return 1


def _with_submission(signatures: models.QuerySet[Signature]) -> models.QuerySet[Signature]:
    return signatures.select_related(
        "submission__filing__institution", "submission__filing__period"
    )


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


def _issue(signature: Signature, claims: dict[str, Any]) -> SignedReceipt:
    key = keys.require_signing_key()
    # So that the receipt names a head that covers the signature. And before the key is recorded:
    # who seals meanwhile records the key, too, and the two would wait for each other.
    sealing.seal_entries()
    row = keys.record_key(key)
    site = chain.find_head_of_site()
    submission = signature.submission_id
    own = chain.join_hashes(chain.hash_status_changes([submission])[submission])
    issued_at = now_in_milliseconds()
    content = {
        **claims,
        "issuedAt": _time_text(issued_at),
        "auditChain": {
            **site._asdict(),
            "submissionEntries": own.entries,
            "submissionHash": own.hash,
        },
    }
    jws = sign_claims(content, key)
    return SignedReceipt.objects.create(signature=signature, key=row, jws=jws, issued_at=issued_at)
