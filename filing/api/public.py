"""What the addresses that anyone may use share, whatever they compute."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from django.conf import settings
from django.http import HttpRequest, StreamingHttpResponse
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView

from filing.api.views.base import ToolJSON
from filing.files import attachments, line_files
from filing.files.held_answers import HeldAnswer
from filing.files.line_files import Pieces
from filing.submissions import uploads

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


def list_answer(request: HttpRequest | Request, pieces: Pieces) -> HeldAnswer[bytes]:
    """Receive the list of a request, and return the answer that `pieces` makes of its lines.

    Raises: BadInput, TooLarge; every sentence says what is wrong and what would be right.
    """
    if not isinstance(request, Request):
        request = Request(request, parsers=[MultiPartParser()])
    rules = uploads.Rules(settings.PUBLIC_UPLOAD_LIMIT, way_out=_WAY_OUT)
    with ExitStack() as held:
        upload = held.enter_context(uploads.received(request, rules))
        line_files.require_text(upload.path)
        return HeldAnswer(lambda: pieces(line_files.lines(upload.path)), held, name=upload.name)


def csv_file(
    request: HttpRequest | Request, pieces: Pieces, *, name: str | Callable[[str], str]
) -> StreamingHttpResponse:
    """Return what is made of an uploaded list, as a CSV file that a browser saves.

    name: of the file, or how the name of the uploaded one becomes it.
    Raises: BadInput, TooLarge.
    """
    answer = list_answer(request, pieces)
    return attachments.streamed(name if isinstance(name, str) else name(answer.name), answer)
