"""The endpoints to verify edits and to sign, and the summary of a submission."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from filing import submissions
from filing.access import Right
from filing.api.openapi import signing as openapi
from filing.api.serializers.filings import SubmissionStatus
from filing.api.serializers.signing import SignRequest, VerifyRequest
from filing.api.views import base
from filing.api.views.base import FilingView
from filing.api.views.idempotent import idempotent
from filing.errors import NotFound, NotReady
from filing.receipts import documents


class VerifyView(FilingView):
    """Verify the edits of a kind: they were reviewed, and the data is accurate."""

    kind = ""

    def verify(self, sequence_number: str) -> Response:
        submission = self.find(sequence_number)
        submissions.require_verifiable(submission)
        verified = self.read(VerifyRequest)["verified"]
        submission = submissions.verify_edits(
            submission, self.kind, verified=verified, by=self.caller
        )
        return Response({"verified": verified, "status": SubmissionStatus(submission).data})


class VerifyQualityView(VerifyView):
    """Verify the quality edits."""

    kind = "quality"

    @openapi.verify_quality
    @idempotent()
    def post(self, request: Request, sequence_number: str, **where: Any) -> Response:
        return self.verify(sequence_number)


class VerifyMacroView(VerifyView):
    """Verify the macro edits."""

    kind = "macro"

    @openapi.verify_macro
    @idempotent()
    def post(self, request: Request, sequence_number: str, **where: Any) -> Response:
        return self.verify(sequence_number)


class SignView(FilingView):
    """Sign a submission; get its receipt."""

    changing_needs = Right.SIGN

    @openapi.get_receipt
    def get(self, request: Request, sequence_number: str, **where: Any) -> Response:
        submission = self.find(sequence_number)
        return Response(base.show_receipt(submission, self.caller.email))

    @openapi.sign
    @idempotent()
    def post(self, request: Request, sequence_number: str, **where: Any) -> Response:
        not_ready = NotReady(
            f"Submission {self.name_of(sequence_number)} is not ready to be signed"
        )
        submission = self.find(sequence_number, not_ready)
        submissions.require_signable(submission)
        body = self.read(SignRequest)
        submissions.sign_submission(
            submission, signed=body["signed"], by=self.caller, reason=body.get("reason", "")
        )
        return Response(base.show_receipt(submission, self.caller.email))


class ReceiptFileView(FilingView):
    """The receipt file of a signed submission."""

    @openapi.receipt_file
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponse:
        submission = self.find(sequence_number)
        signature = getattr(submission, "signature", None)
        if signature is None:
            raise NotFound(f"Submission {submission} is not signed, so it has no receipt.")
        receipt = getattr(signature, "signed_receipt", None)
        if receipt is None:
            raise NotFound(f"The receipt of submission {submission} is not issued yet.")
        body = documents.write_receipt_file(receipt)  # as bytes, of which each one counts
        return HttpResponse(body, content_type=documents.CONTENT_TYPE)


class SummaryView(FilingView):
    """A submission with its transmittal sheet."""

    only_files = False

    @openapi.summary
    def get(self, request: Request, sequence_number: str, **where: Any) -> Response:
        unknown = NotFound(f"Submission {self.name_of(sequence_number)} not available")
        submission = self.find(sequence_number, unknown)
        return Response(base.show_summary(submission))
