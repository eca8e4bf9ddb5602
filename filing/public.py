"""What the addresses that anyone may use share, whatever they compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView

from filing import uploads
from filing.files import line_files
from filing.files.line_files import Pieces
from filing.views.base import ToolJSON

_WAY_OUT = "Save the list as UTF-8 text, one entry on each line, and upload that."


class PublicView(APIView):
    """An address where nobody is asked who they are, and nothing is kept of what they send."""

    authentication_classes = []
    permission_classes = [AllowAny]
    parser_classes = [MultiPartParser, ToolJSON]

    def finalize_response(self, request: Request, response: Any, *args: Any, **options: Any) -> Any:
        if response.status_code >= 400:
            uploads.drain(request)
        answer = super().finalize_response(request, response, *args, **options)
        answer["Cache-Control"] = "no-cache"
        return answer

    def read(self, shape: type[serializers.Serializer[Any]]) -> dict[str, Any]:
        """Return the body of the request in its shape."""
        asked = shape(data=self.request.data)
        asked.is_valid(raise_exception=True)
        return dict(asked.validated_data)


class ListView(PublicView):
    """An address that takes nothing but an uploaded list."""

    parser_classes = [MultiPartParser]


def brings_file(request: Request) -> bool:
    """Return whether a request that may be JSON or a form with a file is the latter."""
    return request._request.content_type == "multipart/form-data"


def list_answer(request: HttpRequest | Request, pieces: Pieces) -> line_files.Answer:
    """Receive the list of a request, and return the answer that `pieces` makes of its lines.

    Raises: BadInput, TooLarge; every sentence says what is wrong and what would be right.
    """
    if not isinstance(request, Request):
        request = Request(request, parsers=[MultiPartParser()])
    rules = uploads.Rules(settings.PUBLIC_UPLOAD_LIMIT, way_out=_WAY_OUT)
    return line_files.answer(uploads.received(request, rules), pieces)


def csv_file(
    request: HttpRequest | Request, pieces: Pieces, *, name: str | Callable[[str], str]
) -> StreamingHttpResponse:
    """Return what is made of an uploaded list, as a CSV file that a browser saves.

    name: of the file, or how the name of the uploaded one becomes it.
    Raises: BadInput, TooLarge.
    """
    answer = list_answer(request, pieces)
    response = StreamingHttpResponse(answer, content_type="text/csv; charset=UTF-8")
    saved_as = name if isinstance(name, str) else name(answer.name)
    response["Content-Disposition"] = content_disposition_header(True, saved_as) or ""
    return response
