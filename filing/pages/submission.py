"""A submission: its steps, its upload, its progress while the file is checked, and discarding it.

A file is uploaded by a form, or in resumable parts by the script of the page, with its session.
"""

from __future__ import annotations

import json
from functools import partial
from http import HTTPStatus
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from filing import idempotency, standing, submissions
from filing.emails import finished, outbox
from filing.errors import INVALID_FORMAT, NotReady, Refusal
from filing.idempotency import KeyClaim, StoredAnswer
from filing.lar import foreign_files
from filing.lar.setting_words import use_setting_words
from filing.models import ResumableUpload, Submission
from filing.pages import progress, repeated_forms
from filing.pages.filer import READ_ONLY, SubmissionPage
from filing.pages.repeated_forms import once_per_form
from filing.pages.tool_pages import SETTING_WORDS
from filing.periods import filings
from filing.statuses import Status
from filing.submissions import (
    downloads,
    ownership,
    reception,
    refiling,
    results,
    resumable_uploads,
    tus,
    uploads,
    watching,
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
_SIGNED_OUT = "Your session has ended. Sign in again."


class SubmissionStepsPage(SubmissionPage):
    """The page of a submission; while the file is checked, its progress."""

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        if self.state.page or self.state.is_ended:  # no worker acts next
            return self._reload() if self.is_part else self._finished()
        current = progress.describe_progress(self.submission)
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
            open_upload=resumable_uploads.find_open_upload(self.submission),
            is_reachable=outbox.is_email_address(user.email),
            is_notified=finished.is_finished_email_requested(self.submission, by=user),
            notify_url=self.address("filing-notify", number=self.submission.sequence_number),
            events_url=self.address("filing-events", number=self.submission.sequence_number),
        )

    def _finished(self) -> HttpResponse:
        counts = {
            kind: len(items) for kind, items in results.summarize_edits(self.submission).items()
        }
        return self.show(
            "submission",
            counts=counts,
            may_sign=settings.SIGNING_ENABLED,
            corrected_after=_CORRECTED_AFTER,
            last_refusal=_last_refusal(self.submission),
            is_same_as_counting=self._is_same_as_counting(),
            reason=refiling.find_refiling_reason(self.submission),
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


class SubmissionEvents(SubmissionPage):
    """Server-sent events for the page that shows the progress: when to refresh it."""

    http_method_names = ["get"]
    is_for_staff = False

    def get(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        last_id = request.headers.get("Last-Event-ID")
        return watching.stream_events(self.submission, lambda change: "changed", last_id=last_id)


class NotifyWhenFinishedPage(SubmissionPage):
    """Requests or cancels an email to the user when checking finishes."""

    http_method_names = ["post"]

    @property
    def next_address(self) -> str:
        return self.request.path.removesuffix("notify/")

    @once_per_form
    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        user = cast(User, request.user)
        if request.POST.get("wanted") == "true":
            finished.request_finished_email(self.submission, by=user)
        else:
            finished.withdraw_finished_email(self.submission, by=user)
        return self.back()


# The CSRF token is checked second: first the size of the body is checked and its file stored.
# Origin and session are checked before the body is read.
@method_decorator(csrf_exempt, name="dispatch")
class UploadLarPage(SubmissionPage):
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
            rules = uploads.make_lar_upload_rules()
            with (
                use_setting_words(SETTING_WORDS),
                uploads.handle_body(request, rules, stores=is_new) as handler,
            ):
                return self._received(request, handler)
        except Refusal as refusal:
            return self.form(status=refusal.status, refusal=refusal.message)

    @method_decorator(csrf_protect)
    def _received(self, request: HttpRequest, handler: PartUpload) -> HttpResponse:
        claim = repeated_forms.claim_form(
            request,
            self.caller,
            fingerprint=idempotency.fingerprint_form(request.POST, handler.parts),
            may_take_over=lambda: not self._is_arriving(),
        )
        if isinstance(claim, StoredAnswer):
            return repeated_forms.repeat_answer(request, claim)
        try:
            self._receive(request, handler, claim)
        finally:
            if claim:
                claim.forget()  # unless it has an answer
        return self.back()

    def _receive(self, request: HttpRequest, handler: PartUpload, claim: KeyClaim | None) -> None:
        submissions.require_not_discarded(self.submission)
        if not handler.stores:
            raise NotReady(f"Submission {self.submission} already has a file.")
        answer = repeated_forms.keep_redirect(request, self.back())
        upload = uploads.find_received_file(request, handler, request.POST)
        ownership.require_fitting_file(upload.path, lei=self.lei, period=self.period)
        if open_upload := resumable_uploads.find_open_upload(self.submission):
            resumable_uploads.end_upload(open_upload, "Another upload replaced it.", by=self.caller)
        reception = submissions.Reception(self.submission, by=self.caller, claim=claim)
        with reception.opened():
            reception.store(upload, answer=lambda: answer)

    def _is_arriving(self) -> bool:
        """Return whether a file arrives for the submission now: its upload has a lease."""
        self.submission.refresh_from_db(fields=["status"])
        is_open = resumable_uploads.find_open_upload(self.submission) is not None
        return self.submission.status == Status.UPLOADING and not is_open

    def _takes_a_file(self) -> bool:
        """Return whether the submission waits for a file, or for the rest of one."""
        if self.submission.discarded_at:
            return False
        is_open = resumable_uploads.find_open_upload(self.submission) is not None
        return self.submission.status == Status.CREATED or is_open

    def _address_of(self, upload: ResumableUpload) -> str:
        number = self.submission.sequence_number
        return self.address("filing-upload-part", number=number, key=upload.key)

    def form(self, *, status: int = 200, refusal: str = "") -> HttpResponse:
        """Return the form, with the reason why a file was refused."""
        number = self.submission.sequence_number
        open_upload = resumable_uploads.find_open_upload(self.submission)
        name = uploads.make_lar_upload_rules().name_fault("{name}")
        refusals = {**foreign_files.list_foreign_kinds(), "name": name}
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
    refusal = reception.find_last_refusal(submission)
    return refusal.reason.removeprefix(f"{INVALID_FORMAT}: ") if refusal else ""


class FiledFileDownload(SubmissionPage):
    """The download of the uploaded file."""

    is_for_staff = False

    def get(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        return downloads.download_raw_file(
            request,
            self.submission,
            name=f"{self.submission}.txt",
            reason="Downloaded by the institution.",
            by=self.caller,
        )


class DiscardSubmissionPage(SubmissionPage):
    """The page that asks whether to discard a submission."""

    http_method_names = ["get", "head", "post"]
    is_for_staff = False
    staff_refusal = READ_ONLY

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        if self.submission.discarded_at:
            return self.back()
        submissions.require_discardable(self.submission)
        return self.show("discard", longest=submissions.LONGEST_REASON)

    @once_per_form
    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        """Discard the submission.

        Raises: BadInput; what `submissions.discard_submission` raises.
        """
        reason = submissions.normalize_reason(request.POST.get("reason", ""))
        submissions.discard_submission(self.submission, by=self.caller, reason=reason)
        number = self.submission.sequence_number
        messages.success(request, f"Submission {number} was discarded. Its history is kept.")
        return self.go("filing-period")


class _TusAddress(SubmissionPage):
    """An address for the script: refusals are JSON."""

    is_for_staff = False

    def dispatch(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        response = super().dispatch(request, *args, **where)
        tus.add_tus_headers(response)
        return response

    def handle_no_permission(self) -> HttpResponseBase:  # type: ignore[override]
        """Refuse: a script cannot sign in."""
        return _refusal(HTTPStatus.UNAUTHORIZED, _SIGNED_OUT)

    def show(self, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
        """Return a refusal."""
        return _refusal(status, context["text"])

    def options(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponse:
        """Return what the service offers."""
        return tus.answer_options()


class ResumableUploadsAddress(_TusAddress):
    """Begins an upload."""

    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        act = partial(tus.answer_creation, request, self.submission, by=self.caller)
        return repeated_forms.answer_form_once(
            request, self.caller, act, _keep_address, headers=tus.CREATION_HEADERS
        )


class ResumableUploadAddress(_TusAddress):
    """An upload: its offset, further bytes, and its end."""

    http_method_names = ["head", "patch", "delete", "options"]

    def head(self, request: HttpRequest, key: str, **where: Any) -> HttpResponse:
        misfit = ownership.make_misfit_check(self.submission)
        return tus.answer_offset(request, self.submission, key, by=self.caller, misfit=misfit)

    def patch(self, request: HttpRequest, key: str, **where: Any) -> HttpResponse:
        misfit = ownership.make_misfit_check(self.submission)
        return tus.answer_append(request, self.submission, key, by=self.caller, misfit=misfit)

    def delete(self, request: HttpRequest, key: str, **where: Any) -> HttpResponse:
        return tus.answer_end(request, self.submission, key, by=self.caller)


def _keep_address(request: HttpRequest, response: HttpResponseBase) -> StoredAnswer:
    return StoredAnswer(response.status_code, location=response["Location"])


def _refusal(status: int, message: str) -> HttpResponse:
    return JsonResponse({"httpStatus": status, "message": message}, status=status)
