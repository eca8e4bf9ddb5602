"""The web page on which anyone generates and validates check digits, one or a file of them."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.generic import View

from filing.api.public import csv_file
from filing.errors import Refusal
from filing.pages import same_call
from filing.pages.upload import UploadPage
from uliapi import batch, openapi, single
from uliapi.forms import IdentifierForm

API = "/v2/public/uli"
EXAMPLE = {
    "loan_id": openapi.LOAN_ID,
    "remainder": 98 - int(openapi.DIGITS),
    "digits": openapi.DIGITS,
    "uli": openapi.ULI,
}
LISTS: dict[str, batch.Answers] = {"generated": batch.generated, "validated": batch.validated}


class CheckDigitPage(View):
    """The page, whatever it answers."""

    def page(self, *, status: int = 200, **more: Any) -> HttpResponse:
        """Answer the whole page."""
        shown = {
            "form": IdentifierForm(),
            "limit": settings.PUBLIC_UPLOAD_LIMIT,
            "example": EXAMPLE,
            "one_call": same_call.with_json(f"{API}/checkDigit", {"loanId": openapi.LOAN_ID}),
            "list_call": same_call.with_file(
                f"{API}/checkDigit/csv", sent="loan-ids.txt", saved="check-digits.csv"
            ),
            **more,
        }
        return render(self.request, "uliapi/check_digit.html", shown, status=status)


class CheckDigit(CheckDigitPage):
    """The page, and its answer about one identifier."""

    http_method_names = ["get", "post"]

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.page()

    def post(self, request: HttpRequest) -> HttpResponse:
        identifier = request.POST.get("identifier", "").strip()
        answer = _answer(identifier, generating=request.POST.get("do") != "validate")
        if "HX-Request" in request.headers:
            return render(request, "uliapi/answer.html", {"answer": answer})
        return self.page(form=IdentifierForm(request.POST), answer=answer)


class Listed(CheckDigitPage, UploadPage):
    """Takes a list and answers it as a file for a spreadsheet, named after it."""

    word = ""  # one of `LISTS`

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        pieces = partial(batch.csv, LISTS[self.word], for_spreadsheet=True)
        return csv_file(request, pieces, name=self._name)

    def _name(self, sent: str) -> str:
        return f"{self.word}-{PurePath(sent).stem or 'list'}.csv"


def _answer(identifier: str, *, generating: bool) -> dict[str, Any]:
    """Return what the page says of one identifier."""
    try:
        if generating:
            return {"kind": "generated", **single.generated(identifier)}
        kind = "valid" if single.is_valid(identifier) else "invalid"
        return {"kind": kind, "uli": identifier}
    except Refusal as refusal:
        return {"kind": "refused", "reason": refusal.message}
