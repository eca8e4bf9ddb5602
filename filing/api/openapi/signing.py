"""The operations of verifying and signing, and the summary of a submission."""

from __future__ import annotations

from typing import Any

from filing.api.openapi import (
    CLOSED,
    DISCARDED,
    FOREIGN_FILE,
    IN_WORK,
    LEI,
    NO_INSTITUTION,
    NO_SUBMISSION,
    operation,
    refused,
)
from filing.api.serializers.signing import (
    SignedReceiptFile,
    SignReceipt,
    SignRequest,
    SubmissionSummary,
    Verification,
    VerifyRequest,
)

LATER_SIGNED = (
    f"Submission {LEI}-2024-3 cannot be signed: the later submission {LEI}-2024-4 was signed, "
    f"receipt number {LEI}-2024-4-1741000100000. To file this data, upload the file again in a new "
    "submission."
)
SAME_FILE = (
    f"This file is already filed, receipt number {LEI}-2024-2-1741000100000. To file the same file "
    "again, give a reason."
)
EDITS_NOT_RUN = (
    "Not run: V625-2, V626 (the census tracts of the year are not loaded). The file can be signed "
    "once these edits are run. You need not upload it again: they are run as soon as the data are "
    "loaded."
)


def _verify(kind: str) -> Any:
    return operation(
        f"Verify {kind} edits",
        {
            200: Verification,
            400: refused(f"Submission {LEI}-2024-3 is not ready to be verified", NO_SUBMISSION),
            409: refused(IN_WORK, FOREIGN_FILE, DISCARDED),
        },
        request=VerifyRequest,
        takes_key=True,
    )


verify_quality = _verify("quality")
verify_macro = _verify("macro")
sign = operation(
    "Sign a submission",
    {
        200: SignReceipt,
        400: refused(
            f"Submission {LEI}-2024-3 is not ready to be signed",
            "Illegal argument: signed = false",
            CLOSED,
        ),
        409: refused(IN_WORK, FOREIGN_FILE, DISCARDED, LATER_SIGNED, SAME_FILE, EDITS_NOT_RUN),
    },
    request=SignRequest,
    takes_key=True,
    description=(
        "Signing again replaces what was filed before, so no submission is signed after a later "
        "one of its filing. The very file that is filed already is signed again only with a "
        "`reason`. A file whose edits could not all be run, such as without a census, waits where "
        "its filing year says so: `notRun` of the edits lists them, with what is missing."
    ),
)
get_receipt = operation(
    "Get the receipt",
    {200: SignReceipt, 400: refused(NO_SUBMISSION)},
)
receipt_file = operation(
    "Download the signed receipt",
    {
        200: SignedReceiptFile,
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
        200: SubmissionSummary,
        400: refused(NO_INSTITUTION),
        404: refused(f"Submission {LEI}-2024-3 not available", "Transmittal Sheet not found"),
    },
)
