"""The bases of the endpoints of an institution, with a period or not, and the JSON they share."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import Any, cast

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, JSONParser
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from filing import access, requests, standing, submissions
from filing.access import Right
from filing.api.serializers.filings import ProgressBody, SubmissionState, SubmissionStatus
from filing.api.serializers.findings import (
    EditBody,
    RowErrors,
    Rulebook,
    UnrunEdit,
    VerifiableStatus,
)
from filing.api.serializers.signing import SummarySubmission, TransmittalSheetBody
from filing.errors import NotFound, Refusal, TooLarge
from filing.lar.years import NoRulebookError, Period
from filing.models import Submission
from filing.requests import ListPage
from filing.storable_text import is_storable
from filing.submissions import findings, results, rules_run
from filing.submissions.results import StageProgress

JSON_BYTES = 1 << 20
_TOO_DEEP = "JSON parse error - it is nested too deeply."
_UNSTORABLE = (
    "The JSON holds a NUL character or half a surrogate pair (\\u0000, \\ud800 to \\udfff); "
    "send text without them."
)


class AnyJSON(BaseParser):
    """Reads JSON whatever content type the request has: a bare `curl -d` says it is a form.

    Not itself a parser of the framework for JSON: to such a one it gives a body that it has read
    whole, and a large one is an error then.
    """

    media_type = "*/*"
    is_stored = True  # whether the values are stored, so the text must be storable

    def parse(self, stream: Any, *args: Any, **options: Any) -> Any:
        """Return the JSON value. Valid bodies are far smaller than the limit.

        Raises: ParseError, TooLarge.
        """
        length = getattr(stream, "META", {}).get("CONTENT_LENGTH") or "0"
        is_long = length.isdecimal() and int(length) > JSON_BYTES  # before any of it is read
        body = b"" if is_long else stream.read(JSON_BYTES + 1)
        if is_long or len(body) > JSON_BYTES:
            raise TooLarge(f"The JSON is larger than {JSON_BYTES} bytes, the most taken here.")
        try:
            value = self.value_of(body, *args, **options)
        except RecursionError:
            raise ParseError(_TOO_DEEP) from None
        if self.is_stored and not is_storable(value):
            raise ParseError(_UNSTORABLE)
        return value

    def value_of(self, body: bytes, *args: Any, **options: Any) -> Any:
        """Return the value of a JSON text. Raises: ParseError."""
        return JSONParser().parse(BytesIO(body), *args, **options)


class ToolJSON(AnyJSON):
    """Reads JSON for the tools, which store nothing and report invalid characters themselves.

    In a LAR line, control characters, NUL included, make no difference.
    """

    is_stored = False


class DescribedView(APIView):
    """An endpoint whose answers to GET name the parameters that its description does not have."""

    def finalize_response(self, request: Request, response: Any, *args: Any, **options: Any) -> Any:
        final_response = super().finalize_response(request, response, *args, **options)
        if request.method in ("GET", "HEAD") and request.query_params:
            known = self._described_parameters()
            unknown = requests.find_unknown_parameters(request.query_params, known)
            if unknown:
                header = requests.encode_unknown_parameters(unknown)
                final_response.headers[requests.UNKNOWN_PARAMETERS_HEADER] = header
        return final_response

    def read(self, shape: type[serializers.Serializer[Any]]) -> dict[str, Any]:
        """Return the validated body of the request."""
        serializer = shape(data=self.request.data)
        serializer.is_valid(raise_exception=True)
        return dict(serializer.validated_data)

    def _described_parameters(self) -> set[str]:
        """Return the query parameters of GET in the OpenAPI document.

        The method is described, or the class if it has no method of its own.
        """
        of_method: Any = getattr(getattr(self, "get", None), "kwargs", {}).get("schema")
        described: Any = of_method or type(self.schema)
        if described is api_settings.DEFAULT_SCHEMA_CLASS:
            return set(self.request.query_params)  # without a description nothing is unknown
        schema = described()
        schema.view = self
        return {
            parameter.name
            for parameter in schema.get_override_parameters()
            if parameter.location == OpenApiParameter.QUERY
        }


class InstitutionView(DescribedView):
    """An endpoint of one institution."""

    parser_classes = [AnyJSON]
    only_files = True  # for filers with the LEI only, not for administrators without it
    reading_needs = Right.READ
    changing_needs = Right.PREPARE
    period: Period | None = None

    def initial(self, request: Request, *args: Any, **where: Any) -> None:
        super().initial(request, *args, **where)
        self.lei: str = where["lei"]
        if not self.only_files:
            access.require_reader(self.caller, self.lei, self.period)
            return
        is_reading = request.method in SAFE_METHODS
        right = self.reading_needs if is_reading else self.changing_needs
        access.require_right(self.caller, right, self.lei, self.period)

    def finalize_response(self, *args: Any, **options: Any) -> Any:
        response = super().finalize_response(*args, **options)
        response["Cache-Control"] = "no-cache"
        return response

    @property
    def caller(self) -> access.Caller:
        """The owner of the token."""
        return cast(access.Caller, self.request.user)

    @property
    def address(self) -> str:
        """The path of this request without the area's prefix, as `_links` shows it."""
        return self.request.path.removeprefix("/v2/filing").rstrip("/")


class FilingView(InstitutionView):
    """An endpoint of one institution and period."""

    period: Period

    def initial(self, request: Request, *args: Any, **where: Any) -> None:
        quarter = where.get("quarter")
        self.period = Period(int(where["year"]), int(quarter[1]) if quarter else None)
        super().initial(request, *args, **where)

    def find(self, number: str, refusal: Refusal | None = None) -> Submission:
        """Return the submission of the address; without one, raise the endpoint's refusal."""
        sequence_number = int(number)
        return results.find_submission(
            self.lei,
            self.period,
            sequence_number,
            missing=refusal
            or results.refuse_unknown_submission(self.lei, self.period, sequence_number),
        )

    def find_or_404(self, number: str) -> Submission:
        """Return the submission of the address, for endpoints that return 404 without one."""
        return self.find(
            number, results.refuse_submission_not_found(self.lei, self.period, int(number))
        )

    def name_of(self, number: str) -> str:
        return submissions.name_submission(lei=self.lei, period=self.period, number=int(number))


def show_state(submission: Submission) -> dict[str, Any]:
    """Return the state of a submission, with its progress while it is processed."""
    progress = None if submission.is_settled else results.find_progress(submission)
    return show_state_with(submission, progress)


def show_state_with(submission: Submission, progress: StageProgress | None) -> dict[str, Any]:
    """Return the state of a submission whose progress is known."""
    body: dict[str, Any] = dict(_state_shape().to_representation(submission))
    body["progress"] = ProgressBody(progress).data if progress else None
    if replacement := standing.find_replacement(submission):
        body["replacedBy"] = replacement.signature.receipt
    return body


@cache
def _state_shape() -> SubmissionState:
    """Return one serializer for all states: to make one takes longer than to use it."""
    return SubmissionState()


def count_rows(current_page: ListPage) -> dict[str, int]:
    """Return the numbers of rows on the page and in total."""
    return {"count": current_page.count, "total": current_page.total}


def show_paging(current_page: ListPage, address: str) -> dict[str, Any]:
    """Return what a paged response has besides its rows."""
    return {**count_rows(current_page), "_links": current_page.links(address)}


def show_parse_errors(
    submission: Submission, current_page: ListPage, address: str
) -> dict[str, Any]:
    """Return a page of the lines with formatting errors."""
    lines = RowErrors(findings.read_format_errors(submission, current_page), many=True).data
    return {
        "transmittalSheetErrors": [line for line in lines if line["rowNumber"] == 1],
        "larErrors": [line for line in lines if line["rowNumber"] > 1],
        **count_rows(current_page),
        "status": SubmissionStatus(submission).data,
        "_links": current_page.links(address),
    }


def show_edits(submission: Submission) -> dict[str, Any]:
    """Return all edits that were triggered, by kind."""
    lists: dict[str, dict[str, Any]] = {
        kind: {"edits": EditBody(items, many=True).data}
        for kind, items in results.summarize_edits(submission).items()
    }
    lists["quality"]["verified"] = submission.quality_verified
    lists["macro"]["verified"] = submission.macro_verified
    return {
        **lists,
        "notRun": UnrunEdit(rules_run.find_unrun_edits(submission), many=True).data,
        "rulebook": _rulebook(submission),
        "status": VerifiableStatus(submission).data,
    }


def _rulebook(submission: Submission) -> dict[str, Any] | None:
    """Return the rules of a submission; none for a period without any, where nothing is checked."""
    try:
        return dict(Rulebook(submission).data)
    except NoRulebookError:
        return None


def show_receipt(submission: Submission, caller_email: str) -> dict[str, Any]:
    """Return the receipt; before the signature, one without a number and time."""
    body = SummarySubmission(submission).data
    is_signed = hasattr(submission, "signature")
    return {
        "email": submission.signature.signer_email if is_signed else caller_email,
        "timestamp": body["end"],
        "receipt": body["receipt"],
        "status": body["status"],
        "signerUsername": body["signerUsername"] or None,
    }


def show_summary(submission: Submission) -> dict[str, Any]:
    """Return the submission with its transmittal sheet.

    Raises: NotFound before the sheet was read.
    """
    if submission.transmittal_sheet is None:
        raise NotFound("Transmittal Sheet not found")
    return {
        "submission": SummarySubmission(submission).data,
        "ts": TransmittalSheetBody(submission.transmittal_sheet).data,
    }
