"""Checks of an uploaded file: its views, and answers in pieces; the file is removed at the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from filing.api.public import ListView, has_file
from filing.edits.edit import Edit
from filing.edits.file_checks import CheckedFile, stream_format_errors_json, stream_json_members
from filing.errors import BadInput
from filing.files import responses
from filing.files.responses import StreamedAnswer
from filing.lar import parser
from filing.lar.blocks import NotText
from filing.lar.errors import LineErrors
from filing.lar.parser import FormatErrors
from filing.lar.years import Period
from filing.submissions import downloads, uploads
from publicapi import checks, findings, openapi

Errors = Iterable[LineErrors]
Result = TypeVar("Result")


def stream_formatting_errors(
    request: Request, render: Callable[[Errors], Iterator[str]]
) -> StreamedAnswer[str]:
    """Receive the file of a request, and return its formatting errors as `render` writes them.

    Raises: BadInput, TooLarge; the message says what is wrong and what is accepted.
    """
    return _answer(request, _read_format_errors, render)


def stream_findings(request: Request, period: Period, edits: Sequence[Edit]) -> StreamedAnswer[str]:
    """Receive the file of a request, and return its formatting errors and findings of the edits.

    Raises: BadInput, TooLarge; the message says what is wrong and what is accepted.
    """
    check = partial(_check_with_edits, period=period, edits=edits)
    return _answer(request, check, partial(_findings, period=period))


@contextmanager
def _read_format_errors(path: Path) -> Iterator[FormatErrors]:
    with parser.read_format_errors(path) as errors:
        findings.require_listable(errors.scan)
        yield errors


@contextmanager
def _check_with_edits(path: Path, period: Period, edits: Sequence[Edit]) -> Iterator[CheckedFile]:
    with findings.check_with_edits(path, period, edits) as checked:
        findings.require_listable(checked.scan, checked.triggered())
        yield checked


def _answer(
    request: Request,
    open_result: Callable[[Path], AbstractContextManager[Result]],
    render: Callable[[Result], Iterator[str]],
) -> StreamedAnswer[str]:
    with ExitStack() as stack:
        rules = uploads.UploadRules(settings.PUBLIC_UPLOAD_LIMIT)
        upload = stack.enter_context(uploads.receive_file(request, rules))
        try:
            result = stack.enter_context(open_result(upload.path))
        except NotText as error:
            raise BadInput(str(error)) from None
        return StreamedAnswer(lambda: render(result), stack)


def write_json_list(errors: Errors) -> Iterator[str]:
    """Yield formatting errors as the JSON object of the file check."""
    yield '{"validated": ['
    yield from stream_format_errors_json(errors)
    yield "]}"


def _findings(checked: CheckedFile, period: Period) -> Iterator[str]:
    yield "{"
    yield from stream_json_members(checked)
    unrun = {outcome.edit.code: outcome.reason for outcome in checked.not_run()}
    for name, value in checks.describe_rules(period, unrun).items():
        yield f', "{name}": {json.dumps(value)}'
    yield "}"


class ParseFile(ListView):
    """The formatting errors of a file."""

    @openapi.parse_file_schema
    def post(self, request: Request) -> HttpResponseBase:
        pieces = stream_formatting_errors(request, write_json_list)
        return StreamingHttpResponse(pieces, content_type="application/json")

    def options(  # type: ignore[override]  # answers with a stream
        self, request: Request, *args: Any, **where: Any
    ) -> HttpResponseBase:
        """Do the same as `post`: the published method of this call. Preflights never come here.

        A request without a body asks for the allowed methods.
        """
        if has_file(request) or request.META.get("CONTENT_LENGTH") not in {None, "", "0"}:
            return self.post(request)
        return super().options(request, *args, **where)


class ParseFileAsCsv(ListView):
    """The formatting errors of a file, as CSV."""

    @openapi.parse_file_csv_schema
    def post(self, request: Request) -> HttpResponseBase:
        pieces = stream_formatting_errors(request, downloads.write_format_errors_csv)
        return responses.stream_attachment("parsing-errors.csv", pieces)


class ValidateFile(ListView):
    """A whole file, checked with the edits of a period."""

    @openapi.validate_file_schema
    def post(self, request: Request, year: str, quarter: str | None = None) -> HttpResponseBase:
        period = checks.read_period(year, quarter)
        edits = checks.select_edits(period, request.query_params.get("check"))
        pieces = stream_findings(request, period, edits)
        return StreamingHttpResponse(pieces, content_type="application/json")


@extend_schema(exclude=True)
class ParseFileByOlderName(ParseFile):
    """The same at the older address, left out of the API reference."""


@extend_schema(exclude=True)
class ParseFileAsCsvByOlderName(ParseFileAsCsv):
    """The same at the older address, left out of the API reference."""


@extend_schema(exclude=True)
class ValidateFileByOlderName(ValidateFile):
    """The same at the older address, left out of the API reference."""
