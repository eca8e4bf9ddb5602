"""Verifying edits, and certifying and signing a submission."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse

from filing import submissions
from filing.access import Right
from filing.errors import BadInput, Conflict, NotReady
from filing.pages import states
from filing.pages.filer import SubmissionPage
from filing.pages.forms import CertificationForm
from filing.pages.repeated_forms import once_per_form
from filing.people import sign_ins
from filing.periods import due_dates, filings
from filing.previews import PreviewChanged, digest_preview
from filing.statuses import Status
from filing.submissions import ownership, refiling, results, reviews, totals

SIGN_IN_AGAIN = "To sign, sign in again. You signed in more than 15 minutes ago."


class VerifyEditsPage(SubmissionPage):
    """Verifies quality edits, macro edits, or all; the worklist of edits has its forms."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest, edits: str, **where: Any) -> HttpResponse:
        is_verified = getattr(self.submission, f"{edits}_verified", False)
        return self.go_to_edits("#verify" if is_verified else "")

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
        kinds: Sequence[str] = [edits]
        if edits == "all":
            exist = [
                kind for kind in reviews.REVIEWABLE if getattr(self.submission, f"{kind}_exists")
            ]
            kinds = exist or list(reviews.REVIEWABLE)
        for kind in kinds:
            self.submission = submissions.verify_edits(
                self.submission, kind, verified=is_verified, by=self.caller, reason=reason
            )
        state = "verified" if is_verified else "no longer verified"
        name = " and ".join(kinds)
        messages.success(request, f"The {name} edits are {state}.")
        return self._next()

    def _next(self) -> HttpResponse:
        """Lead to the signature if the caller can sign now, else to what is left to verify."""
        if self.submission.status != Status.VERIFIED or not settings.SIGNING_ENABLED:
            return self.go_to_edits("#verify")
        if Right.SIGN not in self.rights:
            return self.back()
        if settings.SIGNER_DIFFERS and results.has_taken_part(self.submission, self.caller):
            return self.back()
        return self.go("filing-sign", number=self.submission.sequence_number)


class SignSubmissionPage(SubmissionPage):
    """The page to certify and sign."""

    http_method_names = ["get", "head", "post"]
    changing_needs = Right.SIGN

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
        if Right.SIGN in self.rights:
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
            submissions.sign_submission(
                self.submission,
                signed=True,
                by=self.caller,
                reason=reason,
                digest=request.POST.get("digest"),
            )
        except PreviewChanged as changed:
            return self.form(certification, status=409, changed=changed.message)
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
        self,
        certification: CertificationForm | None = None,
        *,
        status: int = 200,
        changed: str = "",
    ) -> HttpResponse:
        """Return the page, with the form as it was sent if it was.

        changed: says that something else is shown than before.
        """
        return self.show(
            "sign",
            status=status,
            certification=certification or self._certification(),
            changed=changed,
            digest=digest_preview(*submissions.list_signing_facts(self.submission)),
            compare_url=self._compare_url(),
            refiling=refiling.summarize_refiling(
                self.submission,
                is_requested=self.request.GET.get("records") == "all",
                retries=not self.is_part,
            ),
            caller=self.caller,
            section=due_dates.find_deadline_section(self.period),
            verifications=results.find_verifications(self.submission),
            reasons=[
                each for each in reviews.find_reviews(self.submission).values() if each.reason
            ],
            totals=totals.find_totals(self.submission),
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
