"""The endpoints of filings, submissions and uploads, and the events of a submission."""

from __future__ import annotations

import json
import platform
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from filing import access, submissions
from filing.access import Right
from filing.api.openapi import filings as openapi
from filing.api.public import AnyAccept, PublicView
from filing.api.serializers.filings import (
    FilingBody,
    InstitutionFilings,
    RightsOfCaller,
    SubmissionBody,
)
from filing.api.views import base
from filing.api.views.base import FilingView, show_paging
from filing.api.views.idempotent import ReceivedOnce, idempotent, receive_once
from filing.errors import MissingParent, NotFound, NotReady
from filing.files import responses
from filing.models import Submission
from filing.periods import filings
from filing.requests import select_page
from filing.statuses import Status
from filing.submissions import results, tus, uploads, watching
from filing.submissions.watching import SubmissionChange

PAUSE_SHARE = 1 / 4  # of the time for which a status has not changed, until the next call
LONGEST_PAUSE = 15  # seconds


class FilingRootView(FilingView):
    """Start a filing; get it with its submissions."""

    @openapi.get_filing
    def get(self, request: Request, **where: Any) -> Response:
        filing = filings.find_filing(lei=self.lei, period=self.period)
        submissions_of_filing = results.list_submissions(self.lei, self.period)
        if request.query_params.get("page") == "0":
            return Response(
                FilingBody({"filing": filing, "submissions": submissions_of_filing}).data,
            )
        current_page = select_page(request.query_params.get("page"), submissions_of_filing.count())
        body = FilingBody(
            {"filing": filing, "submissions": submissions_of_filing[current_page.rows]}
        ).data
        return Response({**body, **show_paging(current_page, self.address)})

    @openapi.start_filing
    @idempotent()
    def post(self, request: Request, **where: Any) -> Response:
        filing = filings.start_filing(lei=self.lei, period=self.period, by=self.caller)
        return Response(FilingBody({"filing": filing, "submissions": []}).data)


class SubmissionsView(FilingView):
    """Create a submission; list them."""

    @openapi.list_submissions
    def get(self, request: Request, **where: Any) -> Response:
        filings.find_filing(lei=self.lei, period=self.period)
        submissions_of_filing = results.list_submissions(self.lei, self.period)
        current_page = select_page(request.query_params.get("page"), submissions_of_filing.count())
        body = SubmissionBody(submissions_of_filing[current_page.rows], many=True).data
        return Response({"submissions": body, **show_paging(current_page, self.address)})

    @openapi.create_submission
    @idempotent()
    def post(self, request: Request, **where: Any) -> Response:
        submission = submissions.create_submission(lei=self.lei, period=self.period, by=self.caller)
        return Response(SubmissionBody(submission).data, status=201)


def _pause(submission: Submission) -> int:
    """Return the seconds until the status is worth another call: more, the longer it stays.

    On a busy day hundreds of files wait for minutes. Programs that ask each second all the while
    would take the machine from the workers.
    """
    still = (timezone.now() - submission.changed_at).total_seconds()
    return min(max(int(still * PAUSE_SHARE), 1), LONGEST_PAUSE)


class StatusView(FilingView):
    """The state of a submission, for clients that poll while it is processed."""

    def answer(self, request: Request, submission: Submission) -> HttpResponseBase:
        body = base.show_state(submission)
        etag = responses.make_etag(body)
        response = responses.answer_conditionally(request, etag, lambda: Response(body))
        if not submission.is_settled:
            response["Retry-After"] = str(_pause(submission))
        return response


class LatestSubmissionView(StatusView):
    """The latest submission."""

    only_files = False

    @openapi.latest_submission
    def get(self, request: Request, **where: Any) -> HttpResponseBase:
        return self.answer(request, results.find_latest_submission(self.lei, self.period))


class SubmissionView(StatusView):
    """One submission; the upload of its file."""

    parser_classes = [MultiPartParser]

    @openapi.get_submission
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        return self.answer(request, self.find_or_404(sequence_number))

    @openapi.discard
    def delete(self, request: Request, sequence_number: str, **where: Any) -> Response:
        submission = self.find_or_404(sequence_number)
        discarded = submissions.discard_submission(submission, by=self.caller)
        return Response(base.show_state(discarded))

    @openapi.upload
    def post(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        refusal = NotReady(f"Submission {self.name_of(sequence_number)} not available for upload")

        def receive(once: ReceivedOnce) -> Response:
            submission = self.find(sequence_number, refusal)
            reception = submissions.Reception(submission, by=self.caller, claim=once.claim)
            with reception.opened(), uploads.receive_file(request, once.rules) as upload:
                reception.store(upload, answer=lambda: once.answer(_accepted(submission)))
            return _accepted(submission)

        def is_arriving() -> bool:
            return self.find(sequence_number, refusal).status == Status.UPLOADING

        return receive_once(self, request, receive, is_arriving=is_arriving)


def _accepted(submission: Submission) -> Response:
    # The name is known to later calls: programs expect a blank in this answer.
    body = {**SubmissionBody(submission).data, "fileName": ""}
    return Response(body, status=202)


class InstitutionYearView(FilingView):
    """An institution with its filings of a year, or of one quarter."""

    @openapi.institution
    def get(self, request: Request, **where: Any) -> Response:
        try:
            institution = filings.find_institution(lei=self.lei, period=self.period)
        except MissingParent:
            raise NotFound(f"Institution: {self.lei} does not exist") from None
        of_period = filings.find_filings(institution, quarter=self.period.quarter_name or None)
        keys = [(self.lei, each.filing.period.period) for each in of_period]
        rights = access.find_rights_of_filings(self.caller, keys)
        of_period = [
            each for each, key in zip(of_period, keys, strict=True) if Right.READ in rights[key]
        ]
        return Response(InstitutionFilings({"institution": institution, "filings": of_period}).data)


class RightsView(FilingView):
    """What the caller may do for the institution in the period."""

    @openapi.get_rights
    def get(self, request: Request, **where: Any) -> Response:
        rights = access.find_rights(self.caller, self.lei, self.period)
        content = {
            "lei": self.lei,
            "period": str(self.period),
            "rights": [right.value for right in Right if right in rights],
            "limits": access.describe_limits(self.caller, rights, self.lei, self.period),
        }
        return Response(RightsOfCaller(content).data)


class HealthView(PublicView):
    """A sign that the service is running."""

    @openapi.health
    def get(self, request: Request) -> Response:
        return Response(
            {
                "status": "OK",
                "service": "hmda-filing-api",
                "time": timezone.now().isoformat(),
                "host": platform.node(),
            }
        )


class ProgressEventsView(FilingView):
    """The state of a submission now, and after each change, until processing has finished."""

    content_negotiation_class = AnyAccept

    @openapi.progress
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        submission = self.find_or_404(sequence_number)
        return watching.stream_events(
            submission, _data, last_id=request.headers.get("Last-Event-ID")
        )


def _data(change: SubmissionChange) -> str:
    progress = None if change.is_last else change.progress
    return json.dumps(base.show_state_with(change.submission, progress))


class _TusView(FilingView):
    """An endpoint whose requests and answers have the headers of the protocol."""

    def finalize_response(self, request: Request, response: Any, *args: Any, **options: Any) -> Any:
        response = super().finalize_response(request, response, *args, **options)
        tus.add_tus_headers(response)
        return response

    def options(  # type: ignore[override]
        self, request: Request, *args: Any, **where: Any
    ) -> HttpResponse:
        """Return what the service offers."""
        return tus.answer_options()


class UploadsView(_TusView):
    """Begin a resumable upload."""

    @openapi.begin
    @idempotent(headers=tus.CREATION_HEADERS)
    def post(self, request: Request, sequence_number: str, **where: Any) -> HttpResponse:
        submission = self.find_or_404(sequence_number)
        return tus.answer_creation(request._request, submission, by=self.caller)


class UploadView(_TusView):
    """A resumable upload: its offset, further bytes, and its end."""

    @openapi.offset
    def head(self, request: Request, sequence_number: str, key: str, **where: Any) -> HttpResponse:
        submission = self.find_or_404(sequence_number)
        return tus.answer_offset(request._request, submission, key, by=self.caller)

    @openapi.append
    def patch(self, request: Request, sequence_number: str, key: str, **where: Any) -> HttpResponse:
        submission = self.find_or_404(sequence_number)
        return tus.answer_append(request._request, submission, key, by=self.caller)

    @openapi.end
    def delete(
        self, request: Request, sequence_number: str, key: str, **where: Any
    ) -> HttpResponse:
        submission = self.find_or_404(sequence_number)
        return tus.answer_end(request._request, submission, key, by=self.caller)
