"""Issues signed receipts: at the signature, or later where that was not possible."""

from __future__ import annotations

import logging

from django.db import IntegrityError, models, transaction

from filing.audit.chain import sealing
from filing.models import Signature, SignedReceipt
from filing.receipts import documents, keys
from filing.receipts.keys import NoUsableKey

log = logging.getLogger(__name__)

PER_TURN = 1000  # of the scheduled task


def issue(signature: Signature) -> SignedReceipt | None:
    """Return the new signed receipt of a signature; none if there is no key to sign it with.

    A filing never fails for a key: the receipt is then issued later, by `issue_missing`. Call this
    in the transaction of the signature, after all that the audit log says about it.
    """
    try:
        return _issue(signature)
    except NoUsableKey as error:
        log.error("Receipt %s is not signed yet: %s", signature, error)
        return None


def issue_missing(limit: int | None = None) -> int:
    """Issue the receipts of signatures that have none, the oldest first; return how many.

    limit: how many at most.

    Raises: NoUsableKey.
    """
    issued = 0
    for pk in list(missing().values_list("pk", flat=True)[:limit]):
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


def catch_up() -> None:
    """Issue missing receipts, as many as fit into a turn; log why that is not possible."""
    try:
        if issued := issue_missing(PER_TURN):
            log.info("Issued %s signed receipts that were missing", issued)
    except NoUsableKey as error:
        log.error("Receipts cannot be signed: %s", error)


def missing() -> models.QuerySet[Signature]:
    """Return the signatures without a signed receipt, the oldest first."""
    return Signature.objects.filter(signed_receipt=None).order_by("pk")


def _issue(signature: Signature) -> SignedReceipt:
    key = keys.signing()
    row = keys.recorded(key)
    sealing.seal()  # so that the receipt names a head that covers the signature
    issued_at = documents.now()
    jws = documents.proof(documents.claims(signature, issued_at=issued_at), key)
    return SignedReceipt.objects.create(signature=signature, key=row, jws=jws, issued_at=issued_at)
