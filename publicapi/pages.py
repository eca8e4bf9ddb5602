"""The web pages on which anyone checks a few lines, or a file, before filing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.utils.http import content_disposition_header
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import View
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from filing import same_call, uploads
from filing.edits import sample
from filing.edits.check import Checked, csv
from filing.errors import Refusal
from filing.lar.period import Period
from filing.same_call import Example
from publicapi import checks, findings
from publicapi.examples import LEI
from publicapi.forms import LinesForm, PeriodForm, newest_year

API = "/v2/public"
_TABLES = {
    "error_columns": ["Line", "ULI", "Field", "Value", "Accepted"],
    "shown_lines": findings.SHOWN_LINES,
}


class CheckLine(View):
    """The page, and what it says of a few lines."""

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
            found = findings.of_lines(lines, period, checks.edits(period, None))
        except Refusal as refusal:
            form.add_error(None, refusal.message)
            return self.page(status=refusal.status, form=form)
        return self.page(form=form, found=found, period=period, lines=len(lines))

    def page(self, *, status: int = 200, **more: Any) -> HttpResponse:
        """Answer the whole page."""
        shown = {"form": LinesForm(), "calls": _line_calls(newest_year()), **_TABLES, **more}
        return render(self.request, "publicapi/check_line.html", shown, status=status)


# This changes nothing and asks nobody who they are, so a form of another site may use it, too; and
# looking for the sign of our own form would read the file before its size is known.
@method_decorator(csrf_exempt, name="dispatch")
class CheckFile(View):
    """The page, and what it says of a file: in the page, or as CSV."""

    http_method_names = ["get", "post"]

    def setup(self, request: HttpRequest, *args: Any, **where: Any) -> None:
        super().setup(request, *args, **where)
        self._form = PeriodForm()

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.page()

    def post(self, request: HttpRequest) -> HttpResponseBase:
        asked = Request(request, parsers=[MultiPartParser()])
        try:
            return self._answer(asked)
        except Refusal as refusal:
            uploads.forget_body(request, known=request.user.is_authenticated)
            return self.page(status=refusal.status, refusal=refusal.message)

    def _answer(self, asked: Request) -> HttpResponseBase:
        with ExitStack() as held:
            rules = uploads.Rules(settings.PUBLIC_UPLOAD_LIMIT)
            upload = held.enter_context(uploads.received(asked, rules))
            # The file's fields came with it.
            sent = {name: str(asked.data.get(name, "")) for name in ("year", "quarter", "format")}
            self._form = PeriodForm(initial=sent)
            period = checks.period(sent["year"], sent["quarter"])
            wanted = findings.edits_of_file(period)
            checked = held.enter_context(findings.checked_file(upload.path, period, wanted))
            if sent["format"] == "csv":
                return _saved(Csv(checked, held), f"findings-{PurePath(upload.name).stem}.csv")
            return self.page(
                found=findings.of_file(checked),
                period=period,
                name=upload.name,
            )

    def page(self, *, status: int = 200, **more: Any) -> HttpResponse:
        """Answer the whole page, or to its script the answer alone, whatever it is."""
        live = "HX-Request" in self.request.headers
        shown = {
            "form": self._form,
            "live": live,
            "limit": settings.PUBLIC_UPLOAD_LIMIT,
            "calls": same_call.with_file(
                f"{API}/disclosure/validate/{newest_year()}", sent="lar.txt", saved="findings.json"
            ),
            **_TABLES,
            **more,
        }
        if live:
            return render(self.request, "publicapi/file_answer.html", shown)
        return render(self.request, "publicapi/check_file.html", shown, status=status)


class Csv:
    """The findings as CSV, in pieces; the file is gone when it is closed."""

    def __init__(self, checked: Checked, held: ExitStack) -> None:
        self._checked, self._held = checked, held.pop_all()

    def __iter__(self) -> Iterator[bytes]:
        return csv(self._checked)

    def close(self) -> None:
        """Remove the file and all that was found out about it."""
        self._held.close()


def _saved(pieces: Csv, name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(pieces, content_type="text/csv; charset=UTF-8")
    response["Content-Disposition"] = content_disposition_header(True, name) or ""
    return response


def _line_calls(year: int) -> list[Example]:
    line = sample.line(sample.correct_loan(Period(year), LEI))
    return same_call.with_json(f"{API}/lar/validate/{year}", {"lar": line})
