"""The public web page that generates and validates check digits, singly or by file."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.generic import View

from filing.api.public import answer_csv_file
from filing.errors import Refusal
from filing.pages import tool_pages
from filing.pages.tool_pages import UploadPage
from uliapi import batch

API = "/v2/public/uli"
LOAN_ID, DIGITS = "10Bx939c5543TqA1144M999143X", "38"
EXAMPLE = {
    "loan_id": LOAN_ID,
    "remainder": 98 - int(DIGITS),
    "digits": DIGITS,
    "uli": LOAN_ID + DIGITS,
}
LISTS: dict[str, batch.Answers] = {
    "generated": batch.generate_listed,
    "validated": batch.validate_listed,
}


class IdentifierForm(forms.Form):
    """One identifier. It is validated with the answer, not by the form."""

    identifier = forms.CharField(
        label="Loan identifier or ULI",
        help_text="A loan identifier has 21 to 43 letters and digits, a ULI has 23 to 45.",
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}
        ),
    )


class CheckDigitPage(View):
    """The base of the page, with or without an answer."""

    def page(self, *, status: int = 200, **more: Any) -> HttpResponse:
        """Return the whole page."""
        context = {
            "form": IdentifierForm(),
            "limit": settings.PUBLIC_UPLOAD_LIMIT,
            "example": EXAMPLE,
            "one_call": tool_pages.build_post_examples(f"{API}/checkDigit", {"loanId": LOAN_ID}),
            "list_call": tool_pages.build_upload_examples(
                f"{API}/checkDigit/csv", sent="loan-ids.txt", saved="check-digits.csv"
            ),
            **more,
        }
        return render(self.request, "uliapi/check_digit.html", context, status=status)


class CheckDigitAnswer(CheckDigitPage):
    """The page, with the answer for one identifier."""

    http_method_names = ["get", "post"]

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.page()

    def post(self, request: HttpRequest) -> HttpResponse:
        identifier = request.POST.get("identifier", "").strip()
        answer = _answer(identifier, generating=request.POST.get("do") != "validate")
        if "HX-Request" in request.headers:
            return render(request, "uliapi/answer.html", {"answer": answer})
        form = IdentifierForm(request.POST)
        if answer["kind"] == "refused":
            form.errors.pop("identifier", None)  # that there is none: the reason says it better
            form.add_error("identifier", answer["reason"])
            return self.page(form=form)
        return self.page(form=form, answer=answer)


class IdentifierFile(CheckDigitPage, UploadPage):
    """The upload of a list, answered with a file for spreadsheets named after it."""

    word = ""  # one of `LISTS`

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        pieces = partial(batch.stream_answers_csv, LISTS[self.word], for_spreadsheet=True)
        return answer_csv_file(request, pieces, name=self._name)

    def _name(self, sent: str) -> str:
        return f"{self.word}-{PurePath(sent).stem or 'list'}.csv"


def _answer(identifier: str, *, generating: bool) -> dict[str, Any]:
    """Return the answer of the page for one identifier."""
    try:
        if generating:
            return {"kind": "generated", **batch.generate_single(identifier)}
        kind = "valid" if batch.validate_single(identifier) else "invalid"
        return {"kind": kind, "uli": identifier}
    except Refusal as refusal:
        return {"kind": "refused", "reason": refusal.message}
