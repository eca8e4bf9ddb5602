"""The endpoints of resumable uploads."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request

from filing.api.openapi import uploads as openapi
from filing.api.views.base import FilingView
from filing.api.views.idempotent import idempotent
from filing.submissions import tus


class _TusView(FilingView):
    """An endpoint whose requests and answers have the headers of the protocol."""

    def finalize_response(self, request: Request, response: Any, *args: Any, **options: Any) -> Any:
        response = super().finalize_response(request, response, *args, **options)
        tus.finish(response)
        return response

    def options(  # type: ignore[override]
        self, request: Request, *args: Any, **where: Any
    ) -> HttpResponse:
        """Return what the service offers."""
        return tus.options()


class Uploads(_TusView):
    """Begin a resumable upload."""

    @openapi.begin
    @idempotent(headers=tus.OF_CREATION)
    def post(self, request: Request, sequence_number: str, **where: Any) -> HttpResponse:
        submission = self.find_or_404(sequence_number)
        return tus.create(request._request, submission, by=self.caller)


class OneUpload(_TusView):
    """A resumable upload: its offset, further bytes, and its end."""

    @openapi.offset
    def head(self, request: Request, sequence_number: str, key: str, **where: Any) -> HttpResponse:
        submission = self.find_or_404(sequence_number)
        return tus.state(request._request, submission, key, by=self.caller)

    @openapi.append
    def patch(self, request: Request, sequence_number: str, key: str, **where: Any) -> HttpResponse:
        submission = self.find_or_404(sequence_number)
        return tus.append(request._request, submission, key, by=self.caller)

    @openapi.end
    def delete(
        self, request: Request, sequence_number: str, key: str, **where: Any
    ) -> HttpResponse:
        submission = self.find_or_404(sequence_number)
        return tus.end(request._request, submission, key, by=self.caller)
