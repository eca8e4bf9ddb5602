"""The public web pages that check a few lines, or a file, before filing."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.generic import View
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from filing.edits import examples
from filing.edits.check import csv
from filing.edits.examples.pairs import LEI
from filing.errors import Refusal
from filing.files import attachments
from filing.files.streamed_answers import StreamedAnswer
from filing.lar.period import Period
from filing.lar.years import describe_unsettled
from filing.pages import call_examples
from filing.pages.call_examples import Example
from filing.pages.upload import UploadPage
from filing.submissions import uploads
from publicapi import checks, findings
from publicapi.forms import LinesForm, PeriodForm, newest_year

API = "/v2/public"
_TABLES = {
    "error_columns": ["Line", "ULI", "Field", "Value", "Accepted"],
    "shown_lines": findings.SHOWN_LINES,
}


class CheckLine(View):
    """The page that checks a few lines."""

    http_method_names = ["get", "post"]

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.page()

    def post(self, request: HttpRequest) -> HttpResponse:
        form = LinesForm(request.POST)
        if not form.is_valid():
            return self.page(status=400, form=form)
        lines = form.cleaned_data["lines"]
        try:
            period = checks.period(form.cleaned_data["year"], form.cleaned_data["quarter"])
            line_findings = findings.of_lines(lines, period, checks.edits(period, None))
        except Refusal as refusal:
            form.add_error(None, refusal.message)
            return self.page(status=refusal.status, form=form)
        return self.page(
            form=form,
            findings=line_findings,
            period=period,
            lines=len(lines),
            notices=describe_unsettled([period.year]),
        )

    def page(self, *, status: int = 200, **more: Any) -> HttpResponse:
        """Return the whole page."""
        context = {"form": LinesForm(), "calls": _line_calls(newest_year()), **_TABLES, **more}
        return render(self.request, "publicapi/check_line.html", context, status=status)


class CheckFile(UploadPage):
    """The page that checks a file, with the findings on the page or as CSV."""

    http_method_names = ["get", "post"]

    def setup(self, request: HttpRequest, *args: Any, **where: Any) -> None:
        super().setup(request, *args, **where)
        self._form = PeriodForm()

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.page()

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        body = Request(request, parsers=[MultiPartParser()])
        with ExitStack() as stack:
            rules = uploads.Rules(settings.PUBLIC_UPLOAD_LIMIT)
            upload = stack.enter_context(uploads.received(body, rules))
            # The fields of the form come with the file.
            sent = {name: str(body.data.get(name, "")) for name in ("year", "quarter", "format")}
            self._form = PeriodForm(initial=sent)
            period = checks.period(sent["year"], sent["quarter"])
            edits = findings.edits_of_file(period)
            checked = stack.enter_context(findings.checked_file(upload.path, period, edits))
            if sent["format"] == "csv":
                name = f"findings-{PurePath(upload.name).stem}.csv"
                return attachments.streamed(name, StreamedAnswer(lambda: csv(checked), stack))
            return self.page(
                findings=findings.of_file(checked),
                period=period,
                notices=describe_unsettled([period.year]),
                name=upload.name,
            )

    def page(self, *, status: int = 200, **more: Any) -> HttpResponse:
        """Return the whole page, or to its script only the answer."""
        live = "HX-Request" in self.request.headers
        context = {
            "form": self._form,
            "live": live,
            "limit": settings.PUBLIC_UPLOAD_LIMIT,
            "calls": call_examples.upload_file(
                f"{API}/disclosure/validate/{newest_year()}", sent="lar.txt", saved="findings.json"
            ),
            **_TABLES,
            **more,
        }
        if live:
            return render(self.request, "publicapi/file_answer.html", context)
        return render(self.request, "publicapi/check_file.html", context, status=status)


def _line_calls(year: int) -> list[Example]:
    line = examples.line(examples.correct_loan(Period(year), LEI))
    return call_examples.post_json(f"{API}/lar/validate/{year}", {"lar": line})
