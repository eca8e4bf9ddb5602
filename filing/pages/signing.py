"""Verifying edits, and certifying and signing a submission."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse

from filing import submissions
from filing.errors import BadInput, NotReady
from filing.pages.filer import SubmissionPage
from filing.pages.repeated_forms import sent_once
from filing.people import last_authentication
from filing.statuses import VERIFIABLE, Status
from filing.submissions import participants, results

LONGEST_REASON = 500  # characters
NOT_CERTIFIED = "Select the box to certify the data."
SIGN_IN_AGAIN = "To sign, sign in again. You signed in more than 15 minutes ago."


class Verify(SubmissionPage):
    """The page to verify quality or macro edits."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest, edits: str, **where: Any) -> HttpResponse:
        return self.show(
            "verify",
            kind=edits,
            edits=results.edit_summary(self.submission)[edits],
            verification=participants.verifications(self.submission).get(edits),
            is_verified=getattr(self.submission, f"{edits}_verified"),
            is_verifiable=self.submission.status in VERIFIABLE and not self.is_read_only,
            longest=LONGEST_REASON,
        )

    @sent_once
    def post(self, request: HttpRequest, edits: str, **where: Any) -> HttpResponse:
        """Verify the edits, or remove their verification.

        Raises: BadInput; what `submissions.verify` raises.
        """
        answer, reason = request.POST.get("verified"), request.POST.get("reason", "")
        if answer not in ("true", "false"):
            raise BadInput(f"verified is {answer or 'missing'}; send true or false.")
        if len(reason) > LONGEST_REASON:
            raise BadInput(
                f"The reason has {len(reason):,} characters; enter at most {LONGEST_REASON}."
            )
        is_verified = answer == "true"
        submissions.verify(
            self.submission, edits, verified=is_verified, by=self.caller, reason=reason
        )
        done = "verified" if is_verified else "no longer verified"
        messages.success(request, f"The {edits} edits are {done}.")
        return self.back()


class Sign(SubmissionPage):
    """The page to certify and sign."""

    http_method_names = ["get", "head", "post"]

    def open(self, **where: Any) -> None:
        if not settings.SIGNING_ENABLED:
            raise Http404
        super().open(**where)

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        if self.submission.status == Status.SIGNED:
            return self._receipt()
        submissions.require_signable(self.submission)
        if not self.is_read_only:
            submissions.require_signer(self.submission, self.caller)
        return self.form()

    @sent_once
    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        if self.submission.status == Status.SIGNED:
            return self._receipt()
        submissions.require_signable(self.submission)
        if not last_authentication.is_recent(request.session):
            return self.form(status=403)
        if request.POST.get("certified") != "on":
            return self.form(status=400, error=NOT_CERTIFIED)
        try:
            submissions.sign(self.submission, signed=True, by=self.caller)
        except NotReady:
            self.submission.refresh_from_db(fields=["status"])
            if self.submission.status != Status.SIGNED:  # signed by a simultaneous request
                raise
        return self._receipt()

    def form(self, *, status: int = 200, error: str = "") -> HttpResponse:
        """Return the page, with an error if there is one."""
        return self.show(
            "sign",
            status=status,
            error=error,
            caller=self.caller,
            verifications=participants.verifications(self.submission),
            must_sign_in=""
            if last_authentication.is_recent(self.request.session)
            else SIGN_IN_AGAIN,
        )

    def _receipt(self) -> HttpResponse:
        return self.go("filing-receipt", number=self.submission.sequence_number)
