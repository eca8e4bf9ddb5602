"""The authenticated filing API: a view finds, reads, calls one action, answers."""

from __future__ import annotations

import csv
import platform
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, cast

from django.http import HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from rest_framework import serializers as framework
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from filing import access, api, filings, findings, results, submissions, uploads
from filing import serializers as shapes
from filing.errors import MissingParent, NotFound, NotReady, Refusal
from filing.lar.period import Period
from filing.models import Submission
from filing.pagination import page
from filing.statuses import Status


class AnyJSON(JSONParser):
    """Reads JSON whatever the request calls it: a bare `curl -d` names it a form."""

    media_type = "*/*"


class FilingView(APIView):
    """What all addresses of one institution and period share."""

    parser_classes = [AnyJSON]
    only_files = True  # an administrator without the LEI may not

    def initial(self, request: Request, *args: Any, **where: Any) -> None:
        super().initial(request, *args, **where)
        self.lei: str = where["lei"]
        quarter = where.get("quarter")
        self.period = Period(int(where["year"]), int(quarter[1]) if quarter else None)
        allow = access.require_filer if self.only_files else access.require_reader
        allow(self.caller, self.lei)

    def finalize_response(self, *args: Any, **options: Any) -> Any:
        response = super().finalize_response(*args, **options)
        response["Cache-Control"] = "no-cache"
        return response

    @property
    def caller(self) -> access.Caller:
        """Who asks: the bearer of the token."""
        return cast(access.Caller, self.request.user)

    def find(self, number: str, refusal: Refusal | None = None) -> Submission:
        """Return the submission of the address; refuse in the endpoint's words if there is none."""
        asked = int(number)
        return results.submission(
            self.lei,
            self.period,
            asked,
            missing=refusal or results.missing(self.lei, self.period, asked),
        )

    def find_or_404(self, number: str) -> Submission:
        """Return the submission of the address, for the reads that answer 404 without one."""
        return self.find(number, results.not_found(self.lei, self.period, int(number)))

    def read(self, shape: type[framework.Serializer[Any]]) -> dict[str, Any]:
        """Return the body of the request in its shape."""
        asked = shape(data=self.request.data)
        asked.is_valid(raise_exception=True)
        return dict(asked.validated_data)

    def name_of(self, number: str) -> str:
        return submissions.name_of(lei=self.lei, period=self.period, number=int(number))

    @property
    def address(self) -> str:
        """The path of this request without the area's prefix, as `_links` shows it."""
        return self.request.path.removeprefix("/v2/filing").rstrip("/")


class FilingRoot(FilingView):
    """Start a filing; get it with its submissions."""

    @api.get_filing
    def get(self, request: Request, **where: Any) -> Response:
        filing = filings.find(lei=self.lei, period=self.period)
        listed = results.submissions(self.lei, self.period)
        if request.query_params.get("page") == "0":
            return Response(
                shapes.FilingBody({"filing": filing, "submissions": listed}).data,
            )
        shown = page(request.query_params.get("page"), listed.count())
        body = shapes.FilingBody({"filing": filing, "submissions": listed[shown.rows]}).data
        return Response({**body, **_paging(shown, self.address)})

    @api.start_filing
    def post(self, request: Request, **where: Any) -> Response:
        filing = filings.start(lei=self.lei, period=self.period, by=self.caller)
        return Response(shapes.FilingBody({"filing": filing, "submissions": []}).data)


class Submissions(FilingView):
    """Create a submission; list them."""

    @api.list_submissions
    def get(self, request: Request, **where: Any) -> Response:
        filings.find(lei=self.lei, period=self.period)
        listed = results.submissions(self.lei, self.period)
        shown = page(request.query_params.get("page"), listed.count())
        body = shapes.SubmissionBody(listed[shown.rows], many=True).data
        return Response({"submissions": body, **_paging(shown, self.address)})

    @api.create_submission
    def post(self, request: Request, **where: Any) -> Response:
        submission = submissions.create(lei=self.lei, period=self.period, by=self.caller)
        return Response(shapes.SubmissionBody(submission).data, status=201)


class StatusView(FilingView):
    """A submission as it is asked for again and again while workers are busy with it."""

    def answer(self, request: Request, submission: Submission) -> HttpResponseBase:
        rests = Status(submission.status).rests
        progress = None if rests else results.progress(submission)
        body = shapes.SubmissionState(submission, context={"progress": progress}).data
        etag = quote_etag(blake2b(repr(body).encode(), digest_size=12).hexdigest())
        response: HttpResponseBase = Response(body)
        conditional = get_conditional_response(request._request, etag=etag, response=None)
        if conditional is not None:
            response = conditional
        response["ETag"] = etag
        if not rests:
            response["Retry-After"] = "1"
        return response


class Latest(StatusView):
    """The submission that was created last."""

    only_files = False

    @api.latest_submission
    def get(self, request: Request, **where: Any) -> HttpResponseBase:
        return self.answer(request, results.latest(self.lei, self.period))


class OneSubmission(StatusView):
    """One submission; the upload of its file."""

    parser_classes = [MultiPartParser]

    def finalize_response(self, request: Request, response: Any, *args: Any, **options: Any) -> Any:
        if request.method == "POST" and response.status_code >= 400:
            uploads.drain(request)
        return super().finalize_response(request, response, *args, **options)

    @api.get_submission
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        return self.answer(request, self.find_or_404(sequence_number))

    @api.upload
    def post(self, request: Request, sequence_number: str, **where: Any) -> Response:
        refusal = NotReady(f"Submission {self.name_of(sequence_number)} not available for upload")
        submission = self.find(sequence_number, refusal)
        with submissions.receiving(submission, by=self.caller) as lease:
            uploads.read(
                request,
                lambda upload: submissions.receive(submission, lease, upload, by=self.caller),
            )
        return Response(shapes.SubmissionBody(submission).data, status=202)


class ParseErrors(FilingView):
    """The lines of the file that cannot be read."""

    @api.parse_errors
    def get(self, request: Request, sequence_number: str, **where: Any) -> Response:
        submission = self.find(sequence_number)
        shown = page(request.query_params.get("page"), submission.format_errors)
        lines = shapes.RowErrors(findings.format_errors(submission, shown), many=True).data
        return Response(
            {
                "transmittalSheetErrors": [line for line in lines if line["rowNumber"] == 1],
                "larErrors": [line for line in lines if line["rowNumber"] > 1],
                **_counts(shown),
                "status": shapes.SubmissionStatus(submission).data,
                "_links": shown.links(self.address),
            }
        )


class ParseErrorsCsv(FilingView):
    """The same as text, one line a value that cannot be read."""

    @api.parse_errors_csv
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        submission = self.find(sequence_number)
        header = ("Row Number", "Estimated ULI", "Field Name", "Input Value", "Valid Values")
        rows = (
            (error.line, error.estimated_uli, message.field, message.value, message.accepts)
            for error in findings.every_format_error(submission)
            for message in error.messages
        )
        return _download(f"parse-errors-{submission}.csv", header, rows, delimiter="|")


class Edits(FilingView):
    """All edits of a submission, by kind."""

    @api.edits
    def get(self, request: Request, sequence_number: str, **where: Any) -> Response:
        submission = self.find_or_404(sequence_number)
        by_kind = results.edit_summary(submission)
        lists: dict[str, dict[str, Any]] = {
            kind: {"edits": shapes.EditBody(items, many=True).data}
            for kind, items in by_kind.items()
        }
        lists["quality"]["verified"] = submission.quality_verified
        lists["macro"]["verified"] = submission.macro_verified
        return Response({**lists, "status": shapes.VerifiableStatus(submission).data})


class EditDetail(FilingView):
    """The records one edit found."""

    @api.edit_detail
    def get(self, request: Request, sequence_number: str, code: str, **where: Any) -> Response:
        submission = self.find_or_404(sequence_number)
        parts = findings.results_of(submission, code)
        shown = page(request.query_params.get("page"), findings.total(parts))
        rows = findings.edit_rows(submission, parts, shown)
        return Response(
            {
                "edit": code,
                "rows": shapes.EditRowBody(rows, many=True).data,
                **_paging(shown, self.address),
            }
        )


class EditsCsv(FilingView):
    """Every finding of a submission as text, one line a record and edit."""

    @api.edits_csv
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        submission = self.find_or_404(sequence_number)
        header: tuple[str, ...] = ("editType", "editId", "ULI", "editDescription")
        detailed = request.query_params.get("detail") == "true"
        if detailed:
            header += ("rowNumber", "fields")
        rows = (
            (result.kind.capitalize(), result.code, row.id, edit.text)
            + ((row.line or "", _joined(row.fields)) if detailed else ())
            for result, edit, row in findings.every_edit_row(submission)
        )
        return _download(f"edits-summary-{submission}.csv", header, rows)


class Verify(FilingView):
    """Say that the edits of a kind were reviewed and the data is correct."""

    kind = ""

    def verify(self, sequence_number: str) -> Response:
        submission = self.find(sequence_number)
        submissions.require_verifiable(submission)
        verified = self.read(shapes.VerifyRequest)["verified"]
        submission = submissions.verify(submission, self.kind, verified=verified, by=self.caller)
        return Response({"verified": verified, "status": shapes.SubmissionStatus(submission).data})


class VerifyQuality(Verify):
    """Verify the quality edits."""

    kind = "quality"

    @api.verify_quality
    def post(self, request: Request, sequence_number: str, **where: Any) -> Response:
        return self.verify(sequence_number)


class VerifyMacro(Verify):
    """Verify the macro edits."""

    kind = "macro"

    @api.verify_macro
    def post(self, request: Request, sequence_number: str, **where: Any) -> Response:
        return self.verify(sequence_number)


class Sign(FilingView):
    """Sign a submission; get its receipt."""

    @api.get_receipt
    def get(self, request: Request, sequence_number: str, **where: Any) -> Response:
        submission = self.find(sequence_number)
        return Response(self.receipt(submission, self.caller.email))

    @api.sign
    def post(self, request: Request, sequence_number: str, **where: Any) -> Response:
        not_ready = NotReady(
            f"Submission {self.name_of(sequence_number)} is not ready to be signed"
        )
        submission = self.find(sequence_number, not_ready)
        submissions.require_signable(submission)
        signed = self.read(shapes.SignRequest)["signed"]
        submissions.sign(submission, signed=signed, by=self.caller)
        return Response(self.receipt(submission, self.caller.email))

    def receipt(self, submission: Submission, caller_email: str) -> dict[str, Any]:
        body = shapes.SummarySubmission(submission).data
        is_signed = hasattr(submission, "signature")
        return {
            "email": submission.signature.signer_email if is_signed else caller_email,
            "timestamp": body["end"],
            "receipt": body["receipt"],
            "status": body["status"],
            "signerUsername": body["signerUsername"] or None,
        }


class Summary(FilingView):
    """A submission with its transmittal sheet."""

    only_files = False

    @api.summary
    def get(self, request: Request, sequence_number: str, **where: Any) -> Response:
        unknown = NotFound(f"Submission {self.name_of(sequence_number)} not available")
        submission = self.find(sequence_number, unknown)
        if submission.transmittal_sheet is None:
            raise NotFound("Transmittal Sheet not found")
        return Response(
            {
                "submission": shapes.SummarySubmission(submission).data,
                "ts": shapes.TransmittalSheetBody(submission.transmittal_sheet).data,
            }
        )


class InstitutionYear(FilingView):
    """An institution with its filings of a year, or of one quarter."""

    @api.institution
    def get(self, request: Request, **where: Any) -> Response:
        try:
            institution = filings.institution(lei=self.lei, period=self.period)
        except MissingParent:
            raise NotFound(f"Institution: {self.lei} does not exist") from None
        owed = filings.of_institution(institution, quarter=self.period.quarter_name or None)
        return Response(
            shapes.InstitutionFilings({"institution": institution, "filings": owed}).data
        )


class Health(APIView):
    """That the service answers."""

    authentication_classes = []
    permission_classes = [AllowAny]

    @api.health
    def get(self, request: Request) -> Response:
        return Response(
            {
                "status": "OK",
                "service": "hmda-filing-api",
                "time": timezone.now().isoformat(),
                "host": platform.node(),
            }
        )


class _Echo:
    """A file that gives back what is written to it, so that a csv writer can be streamed."""

    def write(self, line: str) -> str:
        return line


def _counts(shown: Any) -> dict[str, int]:
    return {"count": shown.count, "total": shown.total}


def _paging(shown: Any, address: str) -> dict[str, Any]:
    return {**_counts(shown), "_links": shown.links(address)}


def _joined(fields: list[tuple[str, str]]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in fields)


def _download(
    name: str, header: tuple[str, ...], rows: Iterator[tuple[Any, ...]], *, delimiter: str = ","
) -> StreamingHttpResponse:
    writer = csv.writer(_Echo(), delimiter=delimiter, lineterminator="\n")

    def lines() -> Iterator[str]:
        yield writer.writerow(header)
        for row in rows:
            yield writer.writerow(row)

    response = StreamingHttpResponse(lines(), content_type="text/csv; charset=UTF-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
