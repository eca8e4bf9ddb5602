"""The base class of tool pages that accept a file from anyone."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import View

from filing.errors import Refusal


# Without a CSRF token: these pages change nothing and need no sign-in, and looking for the token
# would read the file before its size is checked.
@method_decorator(csrf_exempt, name="dispatch")
class UploadPage(View):
    """Returns the result for an uploaded file, or the page with the reason for a refusal."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest) -> HttpResponseBase:
        try:
            return self.answer(request)
        except Refusal as refusal:
            return self.page(status=refusal.status, refusal=refusal.message)

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        """Return the result for the uploaded file.

        Raises: Refusal.
        """
        raise NotImplementedError

    def page(self, *, status: int = 200, **more: Any) -> HttpResponse:
        """Return the whole page."""
        raise NotImplementedError
