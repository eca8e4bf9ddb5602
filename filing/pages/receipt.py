"""The receipt of a signed submission: a page to print, JSON, and sending it by email again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse

from filing.errors import NotFound, NotReady
from filing.files import attachments
from filing.models import Signature
from filing.pages.filer import SubmissionPage
from filing.submissions import interventions

PAUSE = timedelta(minutes=1)  # between two emails of one receipt
REASON = "Requested on the receipt page."


class Receipt(SubmissionPage):
    """The receipt of a signed submission, and the next steps."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        signature = self.signature
        if request.GET.get("format") == "json":
            name = f"receipt-{self.submission}.json"
            return attachments.saved_as(name, JsonResponse(self._facts(signature)))
        return self.show("receipt", signature=signature)

    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        """Send the receipt by email again, unless it is queued or was just sent.

        Raises: NotFound.
        """
        self.signature  # noqa: B018 -- raises if there is none
        try:
            interventions.send_receipt_again(
                self.submission, by=self.caller, reason=REASON, pause=PAUSE
            )
        except NotReady as reason:
            messages.warning(request, reason.message)
        else:
            to = " and ".join(interventions.receipt_recipients(self.submission))
            messages.success(request, f"The receipt will be sent to {to}.")
        return self.go("filing-receipt", number=self.submission.sequence_number)

    @property
    def signature(self) -> Signature:
        """The signature of the submission.

        Raises: NotFound.
        """
        signature = getattr(self.submission, "signature", None)
        if signature is None:
            raise NotFound(f"Submission {self.submission} is not signed, so it has no receipt.")
        return signature

    def _facts(self, signature: Signature) -> dict[str, Any]:
        return {
            "receipt": signature.receipt,
            "lei": self.lei,
            "period": str(self.period),
            "sha256": signature.sha256,
            "records": self.submission.lines - 1,
            "signedAt": signature.signed_at.isoformat(timespec="milliseconds"),
        }
