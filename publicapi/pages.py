"""The public web pages that check a few lines, or a file, before filing."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.generic import View
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from filing.edits import examples
from filing.edits.examples.pairs import LEI
from filing.edits.file_checks import stream_csv
from filing.errors import InvalidFormat, Refusal
from filing.files import responses
from filing.files.responses import StreamedAnswer
from filing.lar import first_line, foreign_files
from filing.lar.years import Period, describe_unsettled
from filing.pages import tool_pages
from filing.pages.tool_pages import CallExample, UploadPage
from filing.submissions import uploads
from publicapi import checks, findings
from publicapi.forms import LinesForm, PeriodForm, find_year_filed_now

API = "/v2/public"
_TABLES = {
    "error_columns": ["Line", "ULI", "Field", "Value", "Accepted"],
    "shown_lines": findings.SHOWN_LINES,
}


class CheckLinePage(View):
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
            period = checks.read_period(form.cleaned_data["year"], form.cleaned_data["quarter"])
            line_findings = findings.collect_line_findings(
                lines, period, checks.select_edits(period, None)
            )
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
        context = {
            "form": LinesForm(),
            "calls": _line_calls(find_year_filed_now()),
            **_TABLES,
            **more,
        }
        return render(self.request, "publicapi/check_line.html", context, status=status)


class CheckFilePage(UploadPage):
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
            rules = uploads.UploadRules(settings.PUBLIC_UPLOAD_LIMIT, any_kind=True)
            upload = stack.enter_context(uploads.receive_file(body, rules))
            # The fields of the form come with the file.
            values = {name: str(body.data.get(name, "")) for name in ("year", "quarter", "format")}
            self._form = PeriodForm(initial=values)
            beginning = first_line.read_beginning(upload.path)
            if spreadsheet := foreign_files.name_spreadsheet(beginning):
                return self._carry_on(spreadsheet, upload.name)
            if fault := foreign_files.find_foreign_content(upload.path):
                raise InvalidFormat(fault)
            period = checks.read_period(values["year"], values["quarter"])
            edits = findings.select_file_edits(period)
            checked = stack.enter_context(findings.check_with_edits(upload.path, period, edits))
            if values["format"] == "csv":
                findings.require_listable(checked.scan, checked.triggered())
                name = f"findings-{PurePath(upload.name).stem}.csv"
                return responses.stream_attachment(
                    name, StreamedAnswer(lambda: stream_csv(checked), stack)
                )
            return self.page(
                findings=findings.collect_file_findings(checked),
                period=period,
                notices=describe_unsettled([period.year]),
                name=upload.name,
            )

    def _carry_on(self, spreadsheet: str, name: str) -> HttpResponse:
        """Send a spreadsheet on to the LAR tool. spreadsheet: its kind, in words.

        A browser sends the file again to where it is redirected. The script of the page could not
        show what comes there: it gets a button that sends the form, with the file, to the tool.
        """
        if "HX-Request" in self.request.headers:
            return self.page(spreadsheet=spreadsheet, name=name)
        return HttpResponseRedirect(reverse("lar-columns"), preserve_request=True)

    def page(self, *, status: int = 200, **more: Any) -> HttpResponse:
        """Return the whole page, or to its script only the answer."""
        live = "HX-Request" in self.request.headers
        context = {
            "form": self._form,
            "live": live,
            "limit": settings.PUBLIC_UPLOAD_LIMIT,
            "calls": tool_pages.build_upload_examples(
                f"{API}/disclosure/validate/{find_year_filed_now()}",
                sent="lar.txt",
                saved="findings.json",
            ),
            **_TABLES,
            **more,
        }
        if live:
            return render(self.request, "publicapi/file_answer.html", context)
        return render(self.request, "publicapi/check_file.html", context, status=status)


def _line_calls(year: int) -> list[CallExample]:
    line = examples.write_record_line(examples.correct_loan(Period(year), LEI))
    return tool_pages.build_post_examples(f"{API}/lar/validate/{year}", {"lar": line})
