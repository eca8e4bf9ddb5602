"""The pages that make a LAR from a spreadsheet: bring it, match its columns, see the result.

Nothing is kept between them: the form carries what was chosen, and each button sends the file
again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.generic import View
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from filing.errors import BadInput
from filing.lar.fields import STATES
from filing.lar.period import Period
from filing.lar.years import describe_unsettled
from filing.pages.upload import UploadPage
from filing.spreadsheets.conversion import Conversion
from filing.submissions import Upload, uploads
from publicapi import checks
from publicapi.forms import PeriodForm
from publicapi.lar_tool import conversions, page_contents, page_downloads, page_rendering
from publicapi.lar_tool.conversions import FileRefusal
from publicapi.lar_tool.page_forms import State

CHOOSE_AGAIN = "Choose the file again: it was not kept. Everything else is still here."
OTHER_COLUMNS = "This file has other columns than the file before. Match them again."


class Bring(View):
    """The first page: a file, its period, and templates."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        return page_rendering.page(request, "bring", State({}))


class RowEditor(View):
    """The page with the row editor, which is a script."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        context = {
            "form": PeriodForm(auto_id="editor-%s"),
            "most_loans": settings.LAR_EDITOR_LOANS,
            "states": " ".join(sorted(STATES)),
            "addresses": page_rendering.editor_addresses(),
            "tables": [("ts", "Transmittal Sheet"), ("lar", "Loan Application Register")],
        }
        return render(request, "publicapi/lar_tool/edit.html", context)


class FormPage(UploadPage):
    """The base of the pages that a form with the file is sent to."""

    def setup(self, request: HttpRequest, *args: Any, **where: Any) -> None:
        super().setup(request, *args, **where)
        self.state = State({})

    def post(self, request: HttpRequest) -> HttpResponseBase:
        answer = super().post(request)
        answer["Cache-Control"] = "no-store"
        return answer

    def page(self, *, status: int = 200, refusal: str = "", **more: Any) -> HttpResponse:
        """Return the page that the form came from, with the reason why it was refused."""
        step = self.state.step
        return page_rendering.page(
            self.request, step, self.state, status=status, refusal=refusal, **more
        )

    @contextmanager
    def received(self, request: HttpRequest) -> Iterator[Upload]:
        """Receive the form, and give its file, which is deleted at the end.

        Raises: Refusal; the other fields of the form are known by then.
        """
        body = Request(request, parsers=[MultiPartParser()])
        rules = uploads.Rules(settings.PUBLIC_UPLOAD_LIMIT, any_kind=True)
        with uploads.received_form(body, rules) as (handler, fields):
            self.state = State.of(fields)
            if not (handler.upload or handler.refusal or handler.size):
                raise BadInput(CHOOSE_AGAIN)
            yield uploads.received_file(body, handler, fields)

    def matched(self, upload: Upload, *, warning: str = "") -> HttpResponse:
        """Return the page with the columns of a file, matched as the form says."""
        _period(self.state)  # a wrong one is reported before anything is matched
        options = self.state.table_options
        wishes = conversions.wishes(mapping=self.state.mapping, options=options)
        matching = conversions.matched(upload.path, wishes)
        return page_rendering.page(
            self.request,
            "columns",
            self.state,
            matching=matching.as_json(),
            found=matching.table.transmittal_sheet,
            warning=warning,
        )


class Columns(FormPage):
    """The page that matches columns to fields, and asks for the transmittal sheet."""

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        with self.received(request) as upload:
            if self.state.value("again"):  # another sheet or header row has other columns
                self.state = self.state.without_columns()
            return self.matched(upload)


class Result(FormPage):
    """The page with changes and findings, and the files that can be saved."""

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        with ExitStack() as stack:
            upload = stack.enter_context(self.received(request))
            save = self.state.value("save")
            as_typed = save in page_downloads.AS_TYPED
            result = stack.enter_context(conversion_of(self.state, upload, as_typed=as_typed))
            if page_contents.has_other_columns(self.state.matching, result.report(first=0)):
                self.state = self.state.without_columns()
                return self.matched(upload, warning=OTHER_COLUMNS)
            try:
                return page_downloads.download(save, result) or self._shown(result)
            except FileRefusal as refusal:
                if refusal.report is None:
                    raise
                text = page_contents.in_words(refusal.message)
                return self._shown(result, status=refusal.status, refusal=text)

    def _shown(self, result: Conversion, *, status: int = 200, refusal: str = "") -> HttpResponse:
        return page_rendering.page(
            self.request,
            "result",
            self.state,
            status=status,
            refusal=refusal,
            result=page_contents.result(result),
            period=_period(self.state),
            notices=describe_unsettled([_period(self.state).year]),
        )


def conversion_of(
    state: State, upload: Upload, *, as_typed: bool = False
) -> AbstractContextManager[Conversion]:
    """Return the conversion that a form asks for, as a context.

    as_typed: whether the file is written although some cells were not understood.
    Raises: Refusal.
    """
    options = {**state.options, **({"asTyped": True} if as_typed else {})}
    wishes = conversions.wishes(mapping=state.mapping, sheet=state.sheet, options=options)
    return conversions.converted(
        upload.path, wishes, year=_period(state).year, quarter=state.value("quarter")
    )


def _period(state: State) -> Period:
    """Return the period that was chosen. Raises: BadInput."""
    return checks.period(state.value("year"), state.value("quarter"))
