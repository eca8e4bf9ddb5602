"""The base of the public endpoints, which anyone may use."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import AllowAny
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from filing.api.views.base import DescribedView, ToolJSON
from filing.files import line_files, responses
from filing.files.line_files import Pieces
from filing.files.responses import StreamedAnswer
from filing.submissions import uploads

_WAY_OUT = "Save the list as UTF-8 text, one entry on each line, and upload that."


class PublicView(DescribedView):
    """An endpoint without sign-in, which stores nothing that users send."""

    authentication_classes = []
    permission_classes = [AllowAny]
    parser_classes = [MultiPartParser, ToolJSON]

    def finalize_response(self, request: Request, response: Any, *args: Any, **options: Any) -> Any:
        final_response = super().finalize_response(request, response, *args, **options)
        final_response.headers.setdefault("Cache-Control", "no-cache")
        return final_response

    def options(self, request: Request, *args: Any, **where: Any) -> HttpResponseBase:  # type: ignore[override]
        """Return that it may be called. Preflights never come here."""
        return HttpResponse("OPTIONS", content_type="text/plain; charset=UTF-8")


class ListView(PublicView):
    """An endpoint that accepts only an uploaded list."""

    parser_classes = [MultiPartParser]


def has_file(request: Request) -> bool:
    """Return whether the request is a form with a file rather than JSON."""
    return request._request.content_type == "multipart/form-data"


def answer_list(request: HttpRequest | Request, pieces: Pieces) -> StreamedAnswer[bytes]:
    """Receive an uploaded list, and return the response that `pieces` makes of its lines.

    Raises: BadInput, TooLarge.
    """
    if not isinstance(request, Request):
        request = Request(request, parsers=[MultiPartParser()])
    rules = uploads.UploadRules(settings.PUBLIC_UPLOAD_LIMIT, way_out=_WAY_OUT)
    with ExitStack() as resources:
        upload = resources.enter_context(uploads.receive_file(request, rules))
        line_files.require_utf8(upload.path)
        return StreamedAnswer(
            lambda: pieces(line_files.read_lines(upload.path)), resources, name=upload.name
        )


def answer_csv_file(
    request: HttpRequest | Request, pieces: Pieces, *, name: str | Callable[[str], str]
) -> StreamingHttpResponse:
    """Return the response to an uploaded list as a CSV file to save.

    name: the name of the file, or a function from the name of the uploaded file.
    Raises: BadInput, TooLarge.
    """
    answer = answer_list(request, pieces)
    return responses.stream_attachment(name if isinstance(name, str) else name(answer.name), answer)


class AnyAccept(DefaultContentNegotiation):
    """Refusals are JSON, and `format` in the address is a parameter of the call."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return JSONRenderer(), JSONRenderer.media_type
