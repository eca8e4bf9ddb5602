"""Discarding a submission that is not signed: a question, and what it does."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse

from filing import submissions
from filing.pages.filer import READ_ONLY, SubmissionPage
from filing.pages.repeated_forms import sent_once


class Discard(SubmissionPage):
    """The page that asks whether to discard a submission."""

    http_method_names = ["get", "head", "post"]
    is_for_staff = False
    staff_refusal = READ_ONLY

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        if self.submission.discarded_at:
            return self.back()
        submissions.require_discardable(self.submission)
        return self.show("discard", longest=submissions.LONGEST_REASON)

    @sent_once
    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        """Discard the submission.

        Raises: BadInput; what `submissions.discard_submission` raises.
        """
        reason = submissions.one_line(request.POST.get("reason", ""))
        submissions.discard_submission(self.submission, by=self.caller, reason=reason)
        number = self.submission.sequence_number
        messages.success(request, f"Submission {number} was discarded. Its history is kept.")
        return self.go("filing-period")
