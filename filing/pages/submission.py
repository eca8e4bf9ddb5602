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

from filing import submissions
from filing.emails import finished, outbox
from filing.errors import NotReady, Refusal
from filing.lar import foreign_files
from filing.pages import progress
from filing.pages.filer import SubmissionPage
from filing.statuses import Status
from filing.submissions import event_stream, raw_files, results, uploads
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
        if Status(self.submission.status).is_settled:
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
        )

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
        if self.submission.status == Status.CREATED and not self.is_read_only:
            return self.form()
        if self.is_part:  # the script asks before it sends a file
            return HttpResponse(status=409)
        return self.back()

    def post(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        try:
            if self.submission.status != Status.CREATED:
                raise NotReady(f"Submission {self.submission} already has a file.")
            with uploads.handling(request, uploads.lar_rules()) as handler:
                return self._received(request, handler)
        except Refusal as refusal:
            uploads.drop_body(request, known=True)
            return self.form(status=refusal.status, refusal=refusal.message)

    @method_decorator(csrf_protect)
    def _received(self, request: HttpRequest, handler: PartUpload) -> HttpResponse:
        upload = uploads.received_file(request, handler, request.POST)
        with submissions.receiving(self.submission, by=self.caller) as lease:
            submissions.receive(self.submission, lease, upload, by=self.caller)
        return self.back()

    def form(self, *, status: int = 200, refusal: str = "") -> HttpResponse:
        """Return the form, with the reason why a file was refused."""
        name = uploads.lar_rules().name_fault("{name}")
        refusals = {**foreign_files.table(), "name": name}
        return self.show(
            "upload",
            status=status,
            refusal=refusal.removeprefix(f"{uploads.INVALID}: "),
            limit=settings.UPLOAD_LIMIT,
            refusals=json.dumps(refusals),
        )


class FiledFile(SubmissionPage):
    """The download of the uploaded file."""

    is_for_staff = False

    def get(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        stored = raw_files.download(
            self.submission, reason="Downloaded by the institution.", by=self.caller
        )
        return raw_files.answer(request, stored, f"{self.submission}.txt")
