"""A submission: its steps, its upload, its progress while the file is checked, and discarding it.

A file is uploaded by a form, or in resumable parts by the script of the page, with its session.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from filing import idempotency, standing, submissions
from filing.access import Right
from filing.emails import finished, outbox
from filing.errors import INVALID_FORMAT, Conflict, NotReady, Refusal
from filing.idempotency import KeyClaim, StoredAnswer
from filing.lar import foreign_files
from filing.lar.setting_words import use_setting_words
from filing.models import ResumableUpload, Submission
from filing.pages import progress, repeated_forms, states
from filing.pages.filer import READ_ONLY, PeriodPage, ScriptAddress, SubmissionPage
from filing.pages.repeated_forms import once_per_form
from filing.pages.tool_pages import SETTING_WORDS
from filing.people import sign_ins
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
# The statuses at which there is something to review.
_REVIEWED_AT = tuple(status for status in _CORRECTED_AFTER if status is not Status.FAILED)


_STEPS_NEED = {
    states.NEW_UPLOAD: Right.PREPARE,
    "filing-upload": Right.PREPARE,
    "filing-sign": Right.SIGN,
}


class SubmissionStepsPage(SubmissionPage):
    """The page of a submission; while the file is checked, its progress."""

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        if self.state.page or self.state.is_ended:  # no worker acts next
            return self._go_on() if self.is_part else self._finished()
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
            step=self._find_step(),
            takes_correction=self._takes_correction(),
            last_refusal=_last_refusal(self.submission),
            is_same_as_counting=self._is_same_as_counting(),
            reason=refiling.find_refiling_reason(self.submission),
        )

    def _find_step(self) -> tuple[str, str] | None:
        """Return the label and the address of the next step; None if the reader has none."""
        submission, page = self.submission, self.state.page
        needs = _STEPS_NEED.get(page)
        is_closed = page == "filing-sign" and not settings.SIGNING_ENABLED
        if self.state.is_ended or not page or is_closed or (needs and needs not in self.rights):
            return None
        if page == states.NEW_UPLOAD:
            return self.state.action, self.address(page)
        number = submission.sequence_number
        if page != "filing-submission":
            return self.state.action, self.address(page, number=number)
        for kind in submission.kinds_to_verify[:1]:
            return f"Review and verify {kind} edits", self.address("filing-edits", number=number)
        return None

    def _takes_correction(self) -> bool:
        """Return whether a corrected file is offered beside the next step."""
        is_corrected = self.submission.status in _CORRECTED_AFTER
        is_step = self.state.page == states.NEW_UPLOAD
        may_upload = Right.PREPARE in self.rights
        return is_corrected and may_upload and not (is_step or self.state.is_ended)

    def _is_same_as_counting(self) -> bool:
        """Whether the file is, byte for byte, the one that counts, and may be signed again."""
        is_signed = self.submission.status == Status.SIGNED
        if is_signed or self.notice or self.counting is None:
            return False
        return standing.is_same_file(self.counting, self.submission)

    def _go_on(self) -> HttpResponse:
        """Lead who watches the progress to what they review, else to this page as it is now."""
        step = self._find_step()
        if step and self.submission.status in _REVIEWED_AT:
            return HttpResponse(headers={"HX-Redirect": step[1]})
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
    changing_needs = Right.READ

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


class _UploadForm(PeriodPage):
    """The form to upload a file, for a submission that exists or for one that begins with it."""

    http_method_names = ["get", "head", "post"]
    reading_needs = Right.PREPARE

    def takes_a_file(self) -> bool:
        """Return whether a file that is sent now is received."""
        raise NotImplementedError

    def find_receiving(self) -> Submission | None:
        """Return the submission to which the file belongs, as it is now; None if there is none."""
        raise NotImplementedError

    def receiving(self) -> Submission:
        """Return the submission that receives the file. Raises: as its creation."""
        raise NotImplementedError

    def form(self, *, status: int = 200, refusal: str = "") -> HttpResponse:
        """Return the form, with the reason why a file was refused."""
        raise NotImplementedError

    def post(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        try:
            filings.require_rules(self.period)
            # Of a form that was sent before, only the fingerprint is needed.
            is_new = self.takes_a_file()
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
            return self._receive(request, handler, claim)
        finally:
            if claim:
                claim.forget()  # unless it has an answer

    def _receive(
        self, request: HttpRequest, handler: PartUpload, claim: KeyClaim | None
    ) -> HttpResponse:
        if not handler.stores:
            raise self.refuse_second_file()
        upload = uploads.find_received_file(request, handler, request.POST)
        ownership.require_fitting_file(upload.path, lei=self.lei, period=self.period)
        submission = self.receiving()
        page = self.go("filing-submission", number=submission.sequence_number)
        answer = repeated_forms.keep_redirect(request, page)
        if open_upload := resumable_uploads.find_open_upload(submission):
            resumable_uploads.end_upload(open_upload, "Another upload replaced it.", by=self.caller)
        reception = submissions.Reception(submission, by=self.caller, claim=claim)
        with reception.opened():
            reception.store(upload, answer=lambda: answer)
        return page

    def refuse_second_file(self) -> Refusal:
        """Return the refusal of a file while the submission has one."""
        submission = self.find_receiving()
        if submission:
            submissions.require_not_discarded(submission)
        return NotReady(f"Submission {submission} already has a file.")

    def _is_arriving(self) -> bool:
        """Return whether a file arrives for the submission now: its upload has a lease."""
        submission = self.find_receiving()
        if submission is None:
            return False
        is_open = resumable_uploads.find_open_upload(submission) is not None
        return submission.status == Status.UPLOADING and not is_open

    def show_form(
        self, counting: Submission | None, *, status: int, refusal: str, **context: Any
    ) -> HttpResponse:
        """Return the page with what its script needs. counting: what counts as filed."""
        name = uploads.make_lar_upload_rules().name_fault("{name}")
        return self.show(
            "upload",
            status=status,
            refusal=refusal.removeprefix(f"{INVALID_FORMAT}: "),
            limit=settings.UPLOAD_LIMIT,
            refusals=json.dumps({**foreign_files.list_foreign_kinds(), "name": name}),
            filed=json.dumps(_describe_filed_file(counting)),
            login_hint=sign_ins.name_login_hint(cast(User, self.request.user)),
            **context,
        )


def _is_waiting_for_file(submission: Submission) -> bool:
    """Return whether a submission waits for a file, or for the rest of one."""
    if submission.discarded_at:
        return False
    is_open = resumable_uploads.find_open_upload(submission) is not None
    return submission.status == Status.CREATED or is_open


def _describe_filed_file(counting: Submission | None) -> dict[str, Any]:
    """Return size and hash of the file that counts, with a warning; empty if there is none."""
    if counting is None:
        return {}
    return {
        "size": counting.size,
        "sha256": counting.sha256,
        "warning": f"You filed this file in submission {counting.sequence_number}. You do "
        "not need to file it again; if you do, you are asked for the reason before you sign.",
    }


# The CSRF token is checked second: first the size of the body is checked and its file stored.
# Origin and session are checked before the body is read.
@method_decorator(csrf_exempt, name="dispatch")
class UploadLarPage(_UploadForm, SubmissionPage):
    """The page to upload the file of a submission that waits for it."""

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        if self.takes_a_file() and not self.is_read_only:
            filings.require_rules(self.period)
            return self.form()
        if self.is_part:  # the script asks before it sends a file
            return HttpResponse(status=409)
        return self.back()

    def takes_a_file(self) -> bool:
        return _is_waiting_for_file(self.submission)

    def find_receiving(self) -> Submission:
        self.submission.refresh_from_db(fields=["status"])
        return self.submission

    def receiving(self) -> Submission:
        return self.submission

    def form(self, *, status: int = 200, refusal: str = "") -> HttpResponse:
        number = self.submission.sequence_number
        open_upload = resumable_uploads.find_open_upload(self.submission)
        return self.show_form(
            self.counting,
            status=status,
            refusal=refusal,
            last_refusal=_last_refusal(self.submission),
            uploads_url=self.address("filing-uploads", number=number),
            open_upload=open_upload,
            open_upload_url=self._address_of(open_upload) if open_upload else "",
        )

    def _address_of(self, upload: ResumableUpload) -> str:
        number = self.submission.sequence_number
        return self.address("filing-upload-part", number=number, key=upload.key)


class _NewSubmission(PeriodPage):
    """A submission that begins with its file.

    The address of the form names the newest submission of its time: a file that someone else has
    sent since is not followed by a second one unseen.
    """

    def takes_a_file(self) -> bool:
        newest, known = self.find_receiving(), self.request.GET.get("after")
        if newest is None or known is None or newest.discarded_at or _is_waiting_for_file(newest):
            return True
        return str(newest.sequence_number) == known

    def find_receiving(self) -> Submission | None:
        return results.list_submissions(self.lei, self.period).first()

    def receiving(self) -> Submission:
        newest = self.find_receiving()
        is_waiting = newest is not None and _is_waiting_for_file(newest)
        return newest if newest and is_waiting else self.find_or_create_submission()


@method_decorator(csrf_exempt, name="dispatch")
class NewUploadPage(_NewSubmission, _UploadForm):
    """The page to upload a file in a new submission, which begins when the file is sent."""

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        if self.is_part and not self.takes_a_file():  # the script asks before it sends a file
            return HttpResponse(status=409)
        if self.is_read_only or not self.due.is_open or self.due.is_cancelled:
            return self.go("filing-period")
        filings.require_rules(self.period)
        newest = self.find_receiving()
        if newest and _is_waiting_for_file(newest) and not self.is_part:
            return self.go("filing-upload", number=newest.sequence_number)
        return self.form()

    def form(self, *, status: int = 200, refusal: str = "") -> HttpResponse:
        newest = self.find_receiving()
        after = f"?after={newest.sequence_number if newest else 0}"
        return self.show_form(
            self.due.counting,
            status=status,
            refusal=refusal,
            action=self.address(states.NEW_UPLOAD) + after,
            uploads_url=self.address("filing-new-uploads") + after,
            steps=states.list_steps(None, states.NOT_STARTED),
        )


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
    reading_needs = Right.PREPARE
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


class _TusAddress(ScriptAddress, PeriodPage):
    """An address of uploads in parts, for the script."""

    is_for_staff = False
    reading_needs = Right.PREPARE

    def dispatch(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        response = super().dispatch(request, *args, **where)
        tus.add_tus_headers(response)
        return response

    def options(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponse:
        """Return what the service offers."""
        return tus.answer_options()


class ResumableUploadsAddress(_TusAddress, SubmissionPage):
    """Begins an upload."""

    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        act = partial(tus.answer_creation, request, self.submission, by=self.caller)
        return repeated_forms.answer_form_once(
            request, self.caller, act, _keep_address, headers=tus.CREATION_HEADERS
        )


class NewResumableUploadsAddress(_NewSubmission, _TusAddress):
    """Begins an upload in a new submission. A refused beginning leaves no submission."""

    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        return repeated_forms.answer_form_once(
            request, self.caller, self._begin, _keep_address, headers=tus.CREATION_HEADERS
        )

    @transaction.atomic
    def _begin(self) -> HttpResponseBase:
        if not self.takes_a_file():
            raise Conflict("Someone else has uploaded a file for this filing meanwhile.")
        submission = self.receiving()
        address = self.address("filing-uploads", number=submission.sequence_number)
        return tus.answer_creation(self.request, submission, by=self.caller, address=address)


class ResumableUploadAddress(_TusAddress, SubmissionPage):
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
