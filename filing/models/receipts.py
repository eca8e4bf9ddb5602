"""Signed receipts, and the public keys that prove them. Rows of both are never changed."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone

from filing.models.audit_log import WrittenOnce
from filing.models.submissions import Signature


class ReceiptKey(WrittenOnce):
    """The public part of a key that signs receipts. It is kept for good: receipts outlive keys.

    Private keys are never in the database.
    """

    kid = models.CharField(
        "key ID", max_length=43, unique=True, help_text="The thumbprint of RFC 7638."
    )
    x = models.CharField(max_length=43, help_text="The public Ed25519 key, base64url (RFC 8037).")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.kid

    @property
    def jwk(self) -> dict[str, Any]:
        """The key as it is published, a JSON Web Key."""
        return {
            "kty": "OKP",
            "crv": "Ed25519",
            "alg": "EdDSA",
            "use": "sig",
            "kid": self.kid,
            "x": self.x,
            "created": self.created_at.isoformat(timespec="milliseconds"),
        }


class SignedReceipt(WrittenOnce):
    """The signed receipt of a submission, as it was issued."""

    signature = models.OneToOneField(Signature, models.PROTECT, related_name="signed_receipt")
    key = models.ForeignKey(ReceiptKey, models.PROTECT, related_name="receipts")
    jws = models.TextField("proof", help_text="A compact JSON Web Signature (RFC 7515).")
    issued_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return str(self.signature)
