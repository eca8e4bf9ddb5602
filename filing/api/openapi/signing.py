"""The operations of verifying and signing, and the summary of a submission."""

from __future__ import annotations

from typing import Any

from filing.api import serializers as shapes
from filing.api.openapi import LEI, refused
from filing.api.openapi.operations import (
    CLOSED,
    NO_INSTITUTION,
    NO_SUBMISSION,
    operation,
)


def _verify(kind: str) -> Any:
    return operation(
        f"Verify {kind} edits",
        {
            200: shapes.Verification,
            400: refused(f"Submission {LEI}-2024-3 is not ready to be verified", NO_SUBMISSION),
        },
        request=shapes.VerifyRequest,
        takes_key=True,
    )


verify_quality = _verify("quality")
verify_macro = _verify("macro")
sign = operation(
    "Sign a submission",
    {
        200: shapes.SignReceipt,
        400: refused(
            f"Submission {LEI}-2024-3 is not ready to be signed",
            "Illegal argument: signed = false",
            CLOSED,
        ),
    },
    request=shapes.SignRequest,
    takes_key=True,
)
get_receipt = operation(
    "Get the receipt",
    {200: shapes.SignReceipt, 400: refused(NO_SUBMISSION)},
)
receipt_file = operation(
    "Download the signed receipt",
    {
        200: shapes.SignedReceiptFile,
        400: refused(NO_SUBMISSION),
        404: refused(f"Submission {LEI}-2024-3 is not signed, so it has no receipt."),
    },
    description=(
        "The receipt file, which anyone can check at `/receipts/check/`. Save it byte for byte: a "
        "check finds every change. The receipt of an older signature is issued within a day."
    ),
)
summary = operation(
    "Get the summary of a submission",
    {
        200: shapes.SubmissionSummary,
        400: refused(NO_INSTITUTION),
        404: refused(f"Submission {LEI}-2024-3 not available", "Transmittal Sheet not found"),
    },
)
