"""Verifying edits, certifying and signing a submission, and its receipt.

The receipt is a page to print and JSON; the filer can have it sent by email again.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse

from filing import day_hours, submissions
from filing.emails import outbox
from filing.errors import BadInput, Conflict, NotFound, NotReady
from filing.files import responses
from filing.lar.years import Period
from filing.models import Signature
from filing.pages import states
from filing.pages.filer import SubmissionPage
from filing.pages.forms import CertificationForm
from filing.pages.repeated_forms import once_per_form
from filing.people import sign_ins
from filing.periods import due_dates, filings
from filing.receipts import documents
from filing.statuses import VERIFIABLE, Status
from filing.submissions import interventions, ownership, refiling, results

SIGN_IN_AGAIN = "To sign, sign in again. You signed in more than 15 minutes ago."
RECEIPT_EMAIL_PAUSE = timedelta(minutes=1)  # between two emails of one receipt
RECEIPT_EMAIL_REASON = "Requested on the receipt page."


class VerifyEditsPage(SubmissionPage):
    """The page to verify quality or macro edits."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest, edits: str, **where: Any) -> HttpResponse:
        return self.show(
            "verify",
            kind=edits,
            edits=results.summarize_edits(self.submission)[edits],
            verification=results.find_verifications(self.submission).get(edits),
            is_verified=getattr(self.submission, f"{edits}_verified"),
            is_verifiable=self.submission.status in VERIFIABLE and not self.is_read_only,
            longest=submissions.LONGEST_REASON,
        )

    @once_per_form
    def post(self, request: HttpRequest, edits: str, **where: Any) -> HttpResponse:
        """Verify the edits, or remove their verification.

        Raises: BadInput; what `submissions.verify_edits` raises.
        """
        answer, reason = request.POST.get("verified"), request.POST.get("reason", "")
        if answer not in ("true", "false"):
            raise BadInput(f"verified is {answer or 'missing'}; send true or false.")
        submissions.normalize_reason(reason)  # refuses one that is too long
        is_verified = answer == "true"
        submissions.verify_edits(
            self.submission, edits, verified=is_verified, by=self.caller, reason=reason
        )
        state = "verified" if is_verified else "no longer verified"
        messages.success(request, f"The {edits} edits are {state}.")
        return self.back()


class SignSubmissionPage(SubmissionPage):
    """The page to certify and sign."""

    http_method_names = ["get", "head", "post"]

    def open(self, **where: Any) -> None:
        if not settings.SIGNING_ENABLED:
            raise Http404
        super().open(**where)

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        if self.submission.status == Status.SIGNED:
            return self._receipt()
        if self.notice:
            return self._notified(self.notice)
        filings.require_rules(self.period)
        if self._is_foreign() or self._waits():
            return self.form()  # which has no button to sign
        submissions.require_signable(self.submission)
        if not self.is_read_only:
            submissions.require_signer(self.submission, self.caller)
        return self.form()

    @once_per_form
    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        if self.submission.status == Status.SIGNED:
            return self._receipt()
        if self.notice:
            return self._notified(self.notice)
        submissions.require_signable(self.submission)
        if not sign_ins.is_recently_authenticated(request.session):
            return self.form(status=403)
        certification = self._certification(request.POST)
        if not certification.is_valid():
            return self.form(certification, status=400)
        reason = certification.cleaned_data.get("reason", "")
        try:
            submissions.sign_submission(self.submission, signed=True, by=self.caller, reason=reason)
        except Conflict:
            if not self._waits():
                raise
            return self.form(status=409)
        except NotReady:
            self.submission.refresh_from_db(fields=["status"])
            if self.submission.status != Status.SIGNED:  # signed by a simultaneous request
                raise
        return self._receipt()

    def _notified(self, notice: states.Notice) -> HttpResponse:
        """Return the page without its form: it says why the submission cannot be signed."""
        return self.show("sign", status=400 if notice.kind == states.CANCELED else 409)

    def form(
        self, certification: CertificationForm | None = None, *, status: int = 200
    ) -> HttpResponse:
        """Return the page, with the form as it was sent if it was."""
        return self.show(
            "sign",
            status=status,
            certification=certification or self._certification(),
            compare_url=self._compare_url(),
            refiling=refiling.summarize_refiling(
                self.submission,
                is_requested=self.request.GET.get("records") == "all",
                retries=not self.is_part,
            ),
            caller=self.caller,
            section=due_dates.find_deadline_section(self.period),
            verifications=results.find_verifications(self.submission),
            waits=self.halt.waits if self.halt else "",
            must_sign_in=""
            if sign_ins.is_recently_authenticated(self.request.session)
            else SIGN_IN_AGAIN,
        )

    def _is_foreign(self) -> bool:
        """Whether only the institution on the transmittal sheet keeps the file from a signature."""
        is_verified = self.submission.status == Status.VERIFIED
        return is_verified and ownership.find_foreign_lei(self.submission) is not None

    def _waits(self) -> bool:
        """Whether the file is verified, and waits for edits to be run."""
        return bool(self.halt and self.halt.waits)

    def _compare_url(self) -> str:
        """Return the address of the comparison with what counts; blank if nothing does."""
        if self.counting is None:
            return ""
        earlier, number = self.counting.sequence_number, self.submission.sequence_number
        return self.address("filing-compare", earlier=earlier, number=number)

    def _certification(self, *data: Any) -> CertificationForm:
        return CertificationForm(*data, is_refiling=self.counting is not None)

    def _receipt(self) -> HttpResponse:
        return self.go("filing-receipt", number=self.submission.sequence_number)


class ReceiptPage(SubmissionPage):
    """The receipt of a signed submission, and the next steps."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        signature = self.signature
        if request.GET.get("format") == "json":
            body = documents.write_file_of_signature(signature)
            answer = HttpResponse(body, content_type=documents.CONTENT_TYPE)
            return responses.make_attachment(documents.name_receipt_file(signature), answer)
        signed_receipt = getattr(signature, "signed_receipt", None)
        window = self.submission.filing.period
        return self.show(
            "receipt",
            signature=signature,
            signed_receipt=signed_receipt,
            filed=states.describe_filing_time(self.submission),
            reason=refiling.find_refiling_reason(self.submission),
            window=window,
            is_open=filings.is_period_open(window),
            is_closed=day_hours.today() > window.closes,
            corrections=due_dates.describe_corrections(
                window, filings.find_period(Period(window.year))
            )
            if self.period.is_quarterly
            else "",
        )

    @once_per_form
    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        """Send the receipt by email again, unless it is queued or was just sent.

        Raises: NotFound.
        """
        self.signature  # noqa: B018 -- raises if there is none
        try:
            interventions.send_receipt_again(
                self.submission,
                by=self.caller,
                reason=RECEIPT_EMAIL_REASON,
                pause=RECEIPT_EMAIL_PAUSE,
            )
        except NotReady as reason:
            messages.warning(request, reason.message)
        else:
            to = " and ".join(outbox.find_receipt_recipients(self.submission.signature))
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
