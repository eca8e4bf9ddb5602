"""A submission: its steps, its upload, and its progress while the file is checked."""

from __future__ import annotations

import json
from typing import Any, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from filing import standing, submissions
from filing.emails import finished, outbox
from filing.errors import INVALID_FORMAT, NotReady, Refusal
from filing.idempotency import fingerprints
from filing.idempotency.claims import Answer, Claim
from filing.lar import foreign_files
from filing.models import ResumableUpload, Submission
from filing.pages import progress, repeated_forms
from filing.pages.filer import SubmissionPage
from filing.pages.repeated_forms import sent_once
from filing.periods import filings
from filing.statuses import Status
from filing.submissions import (
    event_stream,
    ownership,
    raw_files,
    reception,
    refiling,
    results,
    resumable_uploads,
    uploads,
)
from filing.submissions.uploads import PartUpload

# The statuses at which a corrected file can be uploaded as a new submission.
_CORRECTED_AFTER = (
    Status.PARSED_WITH_ERRORS,
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS,
    Status.QUALITY_ERRORS,
    Status.MACRO_ERRORS,
    Status.FAILED,
)


class OneSubmission(SubmissionPage):
    """The page of a submission; while the file is checked, its progress."""

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        if self.state.page or self.state.is_ended:  # no worker acts next
            return self._reload() if self.is_part else self._finished()
        current = progress.of(self.submission)
        context: dict[str, Any] = {
            "is_checking": True,
            "progress": current,
            "is_announced": self.is_part and request.GET.get("stage") != current.stage,
        }
        if self.is_part:
            return self.show("progress", **context)
        user = cast(User, request.user)
        return self.show(
            "submission",
            **context,
            open_upload=resumable_uploads.current(self.submission),
            is_reachable=outbox.is_address(user.email),
            is_notified=finished.is_requested(self.submission, by=user),
            notify_url=self.address("filing-notify", number=self.submission.sequence_number),
            events_url=self.address("filing-events", number=self.submission.sequence_number),
        )

    def _finished(self) -> HttpResponse:
        counts = {kind: len(items) for kind, items in results.edit_summary(self.submission).items()}
        return self.show(
            "submission",
            counts=counts,
            may_sign=settings.SIGNING_ENABLED,
            corrected_after=_CORRECTED_AFTER,
            last_refusal=_last_refusal(self.submission),
            is_same_as_counting=self._is_same_as_counting(),
            reason=refiling.refiling_reason(self.submission),
        )

    def _is_same_as_counting(self) -> bool:
        """Whether the file is, byte for byte, the one that counts, and may be signed again."""
        is_signed = self.submission.status == Status.SIGNED
        if is_signed or self.notice or self.counting is None:
            return False
        return standing.is_same_file(self.counting, self.submission)

    @staticmethod
    def _reload() -> HttpResponse:
        """Make the page that shows the progress reload: checking has finished."""
        return HttpResponse(headers={"HX-Refresh": "true"})


class Events(SubmissionPage):
    """Server-sent events for the page that shows the progress: when to refresh it."""

    http_method_names = ["get"]
    is_for_staff = False

    def get(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        last_id = request.headers.get("Last-Event-ID")
        return event_stream.answer(self.submission, lambda change: "changed", last_id=last_id)


class Notify(SubmissionPage):
    """Requests or cancels an email to the user when checking finishes."""

    http_method_names = ["post"]

    @property
    def next_address(self) -> str:
        return self.request.path.removesuffix("notify/")

    @sent_once
    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        user = cast(User, request.user)
        if request.POST.get("wanted") == "true":
            finished.request(self.submission, by=user)
        else:
            finished.withdraw(self.submission, by=user)
        return self.back()


# The CSRF token is checked second: first the size of the body is checked and its file stored.
# Origin and session are checked before the body is read.
@method_decorator(csrf_exempt, name="dispatch")
class Upload(SubmissionPage):
    """The page to upload a file."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        if self._takes_a_file() and not self.is_read_only:
            filings.require_rules(self.period)
            return self.form()
        if self.is_part:  # the script asks before it sends a file
            return HttpResponse(status=409)
        return self.back()

    def post(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        try:
            filings.require_rules(self.period)
            # Of a form that was sent before, only the fingerprint is needed.
            is_new = self._takes_a_file()
            with uploads.handling(request, uploads.lar_rules(), stores=is_new) as handler:
                return self._received(request, handler)
        except Refusal as refusal:
            return self.form(status=refusal.status, refusal=refusal.message)

    @method_decorator(csrf_protect)
    def _received(self, request: HttpRequest, handler: PartUpload) -> HttpResponse:
        found = repeated_forms.claim(
            request,
            self.caller,
            fingerprint=fingerprints.of_form(request.POST, handler.parts),
            may_take_over=lambda: not self._is_arriving(),
        )
        if isinstance(found, Answer):
            return repeated_forms.again(request, found)
        try:
            self._receive(request, handler, found)
        finally:
            if found:
                found.forget()  # unless it has an answer
        return self.back()

    def _receive(self, request: HttpRequest, handler: PartUpload, found: Claim | None) -> None:
        submissions.require_not_discarded(self.submission)
        if not handler.stores:
            raise NotReady(f"Submission {self.submission} already has a file.")
        answer = repeated_forms.redirect_of(request, self.back())
        upload = uploads.received_file(request, handler, request.POST)
        ownership.require_fitting(upload.path, lei=self.lei, period=self.period)
        if open_upload := resumable_uploads.current(self.submission):
            resumable_uploads.end(open_upload, "Another upload replaced it.", by=self.caller)
        reception = submissions.Reception(self.submission, by=self.caller, claim=found)
        with reception.opened():
            reception.store(upload, answer=lambda: answer)

    def _is_arriving(self) -> bool:
        """Return whether a file arrives for the submission now: its upload has a lease."""
        self.submission.refresh_from_db(fields=["status"])
        is_open = resumable_uploads.current(self.submission) is not None
        return self.submission.status == Status.UPLOADING and not is_open

    def _takes_a_file(self) -> bool:
        """Return whether the submission waits for a file, or for the rest of one."""
        if self.submission.discarded_at:
            return False
        is_open = resumable_uploads.current(self.submission) is not None
        return self.submission.status == Status.CREATED or is_open

    def _address_of(self, upload: ResumableUpload) -> str:
        number = self.submission.sequence_number
        return self.address("filing-upload-part", number=number, key=upload.key)

    def form(self, *, status: int = 200, refusal: str = "") -> HttpResponse:
        """Return the form, with the reason why a file was refused."""
        number = self.submission.sequence_number
        open_upload = resumable_uploads.current(self.submission)
        name = uploads.lar_rules().name_fault("{name}")
        refusals = {**foreign_files.table(), "name": name}
        return self.show(
            "upload",
            status=status,
            refusal=refusal.removeprefix(f"{INVALID_FORMAT}: "),
            last_refusal=_last_refusal(self.submission),
            uploads_url=self.address("filing-uploads", number=number),
            open_upload=open_upload,
            open_upload_url=self._address_of(open_upload) if open_upload else "",
            limit=settings.UPLOAD_LIMIT,
            refusals=json.dumps(refusals),
            filed=json.dumps(self._filed()),
        )

    def _filed(self) -> dict[str, Any]:
        """Return size and hash of the file that counts, with a warning; empty if there is none."""
        if self.counting is None:
            return {}
        return {
            "size": self.counting.size,
            "sha256": self.counting.sha256,
            "warning": f"You filed this file in submission {self.counting.sequence_number}. You do "
            "not need to file it again; if you do, you are asked for the reason before you sign.",
        }


def _last_refusal(submission: Submission) -> str:
    """Return why the last upload did not succeed, without the words that programs match."""
    return reception.last_refusal(submission).removeprefix(f"{INVALID_FORMAT}: ")


class FiledFile(SubmissionPage):
    """The download of the uploaded file."""

    is_for_staff = False

    def get(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        return raw_files.download(
            request,
            self.submission,
            name=f"{self.submission}.txt",
            reason="Downloaded by the institution.",
            by=self.caller,
        )
