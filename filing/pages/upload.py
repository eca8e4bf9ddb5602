"""Pages of the tools that take a file from anyone."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import View

from filing.errors import Refusal
from filing.submissions import uploads


# This changes nothing and needs no sign-in, so a form of another site may use it, too; and
# looking for the token of our own form would read the file before its size is known.
@method_decorator(csrf_exempt, name="dispatch")
class UploadPage(View):
    """Answers an uploaded file, or shows its page with the reason why it cannot."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest) -> HttpResponseBase:
        try:
            return self.answer(request)
        except Refusal as refusal:
            uploads.forget_body(request, known=request.user.is_authenticated)
            return self.page(status=refusal.status, refusal=refusal.message)

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        """Return the answer to the file of a request.

        Raises: Refusal.
        """
        raise NotImplementedError

    def page(self, *, status: int = 200, **more: Any) -> HttpResponse:
        """Return the whole page."""
        raise NotImplementedError
