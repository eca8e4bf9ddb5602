"""Checks receipts: whether this service issued them, and whether they were changed.

Every byte counts. A receipt file is genuine only if it is, byte for byte, what the service wrote;
a proof only if its header, its encoding and its signature are. Receipts name heads of the audit
chain, which its verification reads here.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import models

from filing import standing
from filing.audit import chain, keys
from filing.audit.chain import ChainHead
from filing.audit.verification import Expectation
from filing.errors import BadInput, NotFound
from filing.lar.years import Period, YearRules
from filing.models import Signature, SignedReceipt
from filing.receipts import documents, proofs
from filing.receipts.proofs import NotGenuine

log = logging.getLogger(__name__)

FILE_BYTES = 64 * 1024  # a receipt file has about 1,200
RECEIPT_NUMBER = r"[A-Z0-9]{20}-[0-9]{4}(?:-Q[1-3])?-[0-9]{1,10}-[0-9]{1,16}"
_NUMBER = re.compile(RECEIPT_NUMBER)
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_ACCEPTED = (
    'Send a receipt file as it was downloaded, or {"sha256": "…"} with the 64 hexadecimal digits '
    "of a file's SHA-256."
)
RECENT = 200  # receipts whose heads the daily verification compares; a full one compares all
_AT_ONCE = 1000


@dataclass(frozen=True)
class ReceiptAnswer:
    """The result of a check. message: why the receipt is not genuine.

    The other values are those that the service signed; a receipt that is not genuine has none of
    them, except its number if that is well formed.
    """

    receipt: str | None
    genuine: bool
    lei: str | None = None
    period: str | None = None
    sha256: str | None = None
    records: int | None = None
    signed_at: str | None = None
    replaced_by: str | None = None
    rulebook: int | None = None
    message: str = ""

    @property
    def rules(self) -> str:
        """Which rules checked the file; blank if its receipt does not name them."""
        if not (self.rulebook and self.period):
            return ""
        return YearRules(Period.parse(self.period).year, self.rulebook).rules_in_words

    @property
    def signing_time(self) -> datetime | None:
        """When the filing was signed, for pages in their own time zone."""
        return datetime.fromisoformat(self.signed_at) if self.signed_at else None

    def as_json(self) -> dict[str, Any]:
        """Return the answer as the API gives it."""
        body = {
            "receipt": self.receipt,
            "genuine": self.genuine,
            "lei": self.lei,
            "period": self.period,
            "sha256": self.sha256,
            "records": self.records,
            "signedAt": self.signed_at,
            "replacedBy": self.replaced_by,
        }
        return body if self.genuine else {**body, "message": self.message}


def check_receipt(body: bytes) -> ReceiptAnswer:
    """Return the result for a receipt file, or for the JSON with the hash of a file.

    Raises: BadInput for anything else, NotFound for the hash of a file that was not filed here.
    """
    content, names = _read(body)
    if names == ["sha256"]:
        return check_file_hash(content["sha256"])
    if proofs.PROOF not in content:
        raise BadInput(f"The JSON has no {proofs.PROOF!r}. {_ACCEPTED}")
    try:
        return _genuine(proofs.verify_receipt_file(body, content, names, keys.find_public_key))
    except NotGenuine as reason:
        return ReceiptAnswer(_well_formed(content.get("receipt")), False, message=str(reason))


def find_proof(body: bytes) -> str:
    """Return the proof of a receipt file, which is genuine.

    Raises: BadInput for anything that is no receipt file; NotGenuine.
    """
    content, names = _read(body)
    proofs.verify_receipt_file(body, content, names, keys.find_public_key)
    return str(content[proofs.PROOF])


def check_receipt_number(number: str) -> ReceiptAnswer:
    """Return the result for a receipt number.

    Raises: NotFound for one that this service did not give.
    """
    signature = find_signature(number) if _NUMBER.fullmatch(number) else None
    if signature is None:
        raise NotFound(f"There is no receipt {number}")
    return _of_signature(signature)


def check_file_hash(sha256: Any) -> ReceiptAnswer:
    """Return the result for the hash of a file: the newest receipt for that file.

    Raises: NotFound if it was not filed here; BadInput for anything that is not a hash.
    """
    if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise BadInput("'sha256' must be the 64 hexadecimal digits of a SHA-256.")
    sha256 = sha256.lower()
    filed = _signatures().filter(submission__sha256=sha256, sha256=sha256)  # the first is indexed
    signature = filed.order_by("-signed_at", "-pk").first()
    if signature is None:
        raise NotFound(f"No file with the SHA-256 {sha256} was filed")
    return _of_signature(signature, sha256=sha256)


def verify_own_proof(jws: str) -> dict[str, Any]:
    """Return the claims of a proof. Raises: NotGenuine."""
    return proofs.verify_proof(jws, keys.find_public_key)


def _genuine(claims: dict[str, Any]) -> ReceiptAnswer:
    """Return the answer to claims with a valid signature, which count more than the database.

    Raises: NotGenuine if the request that signed has stored others.
    """
    # The submission is missing if the database was restored from an older backup.
    signature = find_signature(claims["receipt"])
    if signature is not None:
        _compare(claims, signature)
    return ReceiptAnswer(
        receipt=claims["receipt"],
        genuine=True,
        lei=claims["lei"],
        period=claims["period"],
        sha256=claims["sha256"],
        records=claims["records"],
        signed_at=claims["signedAt"],
        replaced_by=_replaced_by(signature) if signature else None,
        rulebook=claims.get("rulebook"),
    )


def _of_signature(signature: Signature, *, sha256: str = "") -> ReceiptAnswer:
    """Return the answer to a signature of the database, by its signed receipt if there is one."""
    receipt = getattr(signature, "signed_receipt", None)
    try:
        claims = (
            verify_own_proof(receipt.jws) if receipt else documents.read_evident_claims(signature)
        )
        if claims is None:
            raise NotGenuine("This service has not signed a receipt with this number.")
        if claims["receipt"] != signature.receipt or sha256 not in {"", claims["sha256"]}:
            raise NotGenuine("The signed receipt in the database is about another file.")
        return _genuine(claims)
    except NotGenuine as reason:
        log.error("Receipt %s in the database is not genuine: %s", signature, reason)
        return ReceiptAnswer(signature.receipt, False, message=str(reason))


def _compare(claims: dict[str, Any], signature: Signature) -> None:
    """Compare claims with what the database says.

    Raises: NotGenuine if they are not those that the request that signed has stored.
    """
    stored = documents.read_claims(signature)
    if stored is not None and any(stored[name] != claims[name] for name in proofs.FACTS):
        raise NotGenuine("This service has signed another receipt with this number.")
    if changed := _changed_facts(claims, signature):
        log.error("The database differs from signed receipt %s: %s", signature, changed)


def _changed_facts(claims: dict[str, Any], signature: Signature) -> str:
    row = documents.receipt_facts(signature)
    return ", ".join(name for name in proofs.FACTS if row[name] != claims[name])


def _replaced_by(signature: Signature) -> str | None:
    replacement = standing.find_replacement(signature.submission)
    return replacement.signature.receipt if replacement else None


def find_signature(number: str | None) -> Signature | None:
    """Return the signature with a receipt number, if there is one."""
    return _signatures().filter(receipt=number).first()


def _signatures() -> models.QuerySet[Signature]:
    return Signature.objects.select_related(
        "signed_receipt", "submission__filing__institution", "submission__filing__period"
    )


def _read(body: bytes) -> tuple[dict[str, Any], list[str]]:
    """Return the values of a JSON object, and their names as often as they are there.

    Raises: BadInput.
    """
    try:
        return proofs.read_receipt_values(body)
    except ValueError as error:
        raise BadInput(f"{error} {_ACCEPTED}") from None


def _well_formed(number: Any) -> str | None:
    return number if isinstance(number, str) and _NUMBER.fullmatch(number) else None


def find_heads_in_receipts(*, all_of_them: bool = False) -> Iterator[Expectation | str]:
    """Yield the heads in stored receipts, and a sentence for each that the database contradicts."""
    receipts = SignedReceipt.objects.order_by("-pk")
    remaining = receipts.iterator(_AT_ONCE) if all_of_them else iter(receipts[:RECENT])
    while some := list(islice(remaining, _AT_ONCE)):
        signatures = _signatures().in_bulk([each.signature_id for each in some])
        submissions = [each.submission_id for each in signatures.values()]
        hashes = chain.hash_status_changes(submissions)
        for receipt in some:
            try:
                claims = verify_own_proof(receipt.jws)
            except NotGenuine as reason:
                yield f"The stored receipt {receipt.pk} is not genuine: {reason}"
                continue
            yield _head_of(claims)
            if signature := signatures.get(receipt.signature_id):
                yield from _differences(claims, signature, hashes)
            else:
                yield f"The signature of receipt {claims['receipt']} is missing."


def _differences(
    claims: dict[str, Any], signature: Signature, hashes: dict[int, list[str]]
) -> Iterator[str]:
    """Yield how the database differs from a receipt. hashes: of status changes, by submission."""
    if changed := _changed_facts(claims, signature):
        yield f"The database differs from signed receipt {signature}: {changed}."
    named = claims["auditChain"]
    count, changes = named["submissionEntries"], hashes.get(signature.submission_id, [])
    is_of_this_release = bool(signature.claims)  # the former one had another hash
    if is_of_this_release and (count, named["submissionHash"]) != chain.join_hashes(
        changes[:count]
    ):
        yield f"The status changes of receipt {signature} are not those of when it was issued."


def find_head_in_file(path: Path) -> Expectation:
    """Return the head in a receipt file.

    Raises: OSError; ValueError for a file that is not a genuine receipt.
    """
    try:
        return _head_of(verify_own_proof(find_proof(path.read_bytes())))
    except NotGenuine as reason:
        raise ValueError(f"{path} is not a genuine receipt: {reason}") from reason


def _head_of(claims: dict[str, Any]) -> Expectation:
    named = claims["auditChain"]
    head = ChainHead(named["entries"], named["hash"])
    return Expectation(head, f"receipt {claims['receipt']}")
