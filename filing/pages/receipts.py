"""The receipt of a signed submission: a page, a PDF to keep, and JSON as proof.

The page and the PDF have the same facts. The filer can have the receipt sent by email again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from filing import access, day_hours
from filing.access import Right
from filing.emails import outbox
from filing.errors import NotFound, NotReady
from filing.files import responses
from filing.lar.years import Period
from filing.models import FilingPeriod, Signature, Submission
from filing.pages import states
from filing.pages.filer import SubmissionPage, wants_format
from filing.pages.repeated_forms import once_per_form
from filing.periods import due_dates, filings
from filing.receipts import documents, printing
from filing.receipts.documents import ReceiptFact
from filing.submissions import interventions, receipt_description, refiling, totals
from filing.submissions.receipt_description import ReceiptDescription

RECEIPT_EMAIL_PAUSE = timedelta(minutes=1)  # between two emails of one receipt
RECEIPT_EMAIL_REASON = "Requested on the receipt page."
_ISSUER = "HMDA filing service"


@dataclass(frozen=True, slots=True)
class ReceiptFacts:
    """What a receipt says. main: what a person looks for; file: what was filed; proof: its hash."""

    main: list[ReceiptFact]
    file: list[ReceiptFact]
    proof: list[ReceiptFact]


def list_receipt_facts(signature: Signature) -> ReceiptFacts:
    """Return what the receipt of a signature says, on the page and in its PDF."""
    submission = signature.submission
    description = receipt_description.describe_receipt(signature)
    main = [
        ReceiptFact("Receipt number", signature.receipt, code=True),
        ReceiptFact("State", _describe_state(submission, description)),
        *([replaced] if (replaced := description.replaced_by) else []),
        ReceiptFact(
            "Institution", f"{submission.filing.institution.name}, LEI {submission.lei}".strip(", ")
        ),
        ReceiptFact("Filing period", str(submission.period)),
        ReceiptFact("Signed by", access.person_with_email(signature)),
        ReceiptFact("Signed", day_hours.moment_in_words(signature.signed_at, seconds=True)),
    ]
    contents = f"{submission.size:,} bytes, {submission.records:,} records"
    file = [ReceiptFact("File", f"{submission.file_name}, {contents}")]
    if loans := totals.find_totals(submission):
        file.append(ReceiptFact("Total loan amount", f"${loans.amount:,.0f}"))
    if reason := refiling.find_refiling_reason(submission):
        file.append(ReceiptFact("Reason for filing again", reason))
    file += description.list_checks()
    return ReceiptFacts(main, file, [ReceiptFact("SHA-256", signature.sha256, code=True)])


def _describe_state(submission: Submission, description: ReceiptDescription) -> str:
    """Return when a submission was filed, whether that was timely, and whether it is in force."""
    filed = states.describe_filing_time(submission)
    return f"{filed}. {description.state}" if description.state else filed


def write_pdf(signature: Signature) -> bytes:
    """Return the receipt of a signature as PDF."""
    facts = list_receipt_facts(signature)
    check = f"{settings.PUBLIC_URL}{reverse('check-receipt')}"
    return printing.write_receipt_pdf(
        [*facts.main, *facts.file, *facts.proof],
        title=f"HMDA filing receipt, {signature.submission.period}",
        summary=next(fact.value for fact in facts.main if fact.label == "State"),
        note="Keep this copy for your records. The proof is the receipt file (JSON), which you "
        f"download on the page of the receipt. Anyone can check it at {check}.",
        issuer=_ISSUER,
        at=signature.signed_at,
    )


class ReceiptPage(SubmissionPage):
    """The receipt of a signed submission, and the next steps."""

    http_method_names = ["get", "head", "post"]
    changing_needs = Right.READ

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        signature = self.signature
        if wants_format(request, "pdf"):
            answer = HttpResponse(write_pdf(signature), content_type=printing.CONTENT_TYPE)
            return responses.make_attachment(f"receipt-{self.submission}.pdf", answer)
        if wants_format(request, "json"):
            body = documents.write_file_of_signature(signature)
            answer = HttpResponse(body, content_type=documents.CONTENT_TYPE)
            return responses.make_attachment(documents.name_receipt_file(signature), answer)
        signed_receipt = getattr(signature, "signed_receipt", None)
        window = self.submission.filing.window
        return self.show(
            "receipt",
            signature=signature,
            signed_receipt=signed_receipt,
            facts=list_receipt_facts(signature),
            window=window,
            is_open=filings.is_period_open(window),
            is_closed=day_hours.today() > window.closes,
            corrections=due_dates.describe_corrections(window, self._find_annual(window.year))
            if self.period.is_quarterly
            else "",
        )

    def _find_annual(self, year: int) -> FilingPeriod | None:
        annual = filings.find_period(Period(year))
        return annual.of_institution(self.lei) if annual else None

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
