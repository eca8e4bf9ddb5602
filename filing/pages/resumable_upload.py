"""Resumable uploads by the script of the upload page, with the session of the page.

The addresses answer as those of the API do. A request needs the CSRF token in a header; its body is
never read for it.
"""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase

from filing.idempotency.claims import Answer
from filing.pages import repeated_forms
from filing.pages.filer import SubmissionPage
from filing.submissions import ownership, tus

_SIGNED_OUT = "Your session has ended. Sign in again."


class _TusAddress(SubmissionPage):
    """An address for the script: refusals are JSON."""

    is_for_staff = False

    def dispatch(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        response = super().dispatch(request, *args, **where)
        tus.finish(response)
        return response

    def handle_no_permission(self) -> HttpResponseBase:  # type: ignore[override]
        """Refuse: a script cannot sign in."""
        return _refusal(HTTPStatus.UNAUTHORIZED, _SIGNED_OUT)

    def show(self, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
        """Return a refusal."""
        return _refusal(status, context["text"])

    def options(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponse:
        """Return what the service offers."""
        return tus.options()


class Uploads(_TusAddress):
    """Begins an upload."""

    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        act = partial(tus.create, request, self.submission, by=self.caller)
        return repeated_forms.once(request, self.caller, act, _address_of, headers=tus.OF_CREATION)


class OneUpload(_TusAddress):
    """An upload: its offset, further bytes, and its end."""

    http_method_names = ["head", "patch", "delete", "options"]

    def head(self, request: HttpRequest, key: str, **where: Any) -> HttpResponse:
        misfit = ownership.misfit_of(self.submission)
        return tus.state(request, self.submission, key, by=self.caller, misfit=misfit)

    def patch(self, request: HttpRequest, key: str, **where: Any) -> HttpResponse:
        misfit = ownership.misfit_of(self.submission)
        return tus.append(request, self.submission, key, by=self.caller, misfit=misfit)

    def delete(self, request: HttpRequest, key: str, **where: Any) -> HttpResponse:
        return tus.end(request, self.submission, key, by=self.caller)


def _address_of(request: HttpRequest, response: HttpResponseBase) -> Answer:
    return Answer(response.status_code, location=response["Location"])


def _refusal(status: int, message: str) -> HttpResponse:
    return JsonResponse({"httpStatus": status, "message": message}, status=status)
