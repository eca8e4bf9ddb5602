"""The receipt of a signed submission: a page to print, JSON, and sending it by email again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse

from filing import day_hours
from filing.errors import NotFound, NotReady
from filing.files import attachments
from filing.lar.period import Period
from filing.models import Signature
from filing.pages import states
from filing.pages.filer import SubmissionPage
from filing.pages.repeated_forms import sent_once
from filing.periods import due, filings
from filing.receipts import documents
from filing.submissions import interventions, refiling

PAUSE = timedelta(minutes=1)  # between two emails of one receipt
REASON = "Requested on the receipt page."


class Receipt(SubmissionPage):
    """The receipt of a signed submission, and the next steps."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        signature = self.signature
        if request.GET.get("format") == "json":
            body = documents.file_of_signature(signature)
            answer = HttpResponse(body, content_type=documents.CONTENT_TYPE)
            return attachments.saved_as(documents.file_name(signature), answer)
        signed_receipt = getattr(signature, "signed_receipt", None)
        window = self.submission.filing.period
        return self.show(
            "receipt",
            signature=signature,
            signed_receipt=signed_receipt,
            filed=states.when_filed(self.submission),
            reason=refiling.refiling_reason(self.submission),
            window=window,
            is_open=filings.is_open(window),
            is_closed=day_hours.today() > window.closes,
            corrections=due.describe_corrections(window, filings.find_period(Period(window.year)))
            if self.period.is_quarterly
            else "",
        )

    @sent_once
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
