"""The pages that make a LAR from a spreadsheet: bring it, match columns, see and save the result.

Nothing is kept between them: the form carries what was chosen, and each button sends the file
again. A page is rendered whole, or for its script only the step that changed.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.generic import View
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from filing import access
from filing.errors import BadInput
from filing.files import responses
from filing.lar.fields import STATES
from filing.lar.setting_words import use_setting_words
from filing.lar.years import Period, describe_unsettled, unsettled_years
from filing.pages import tool_pages
from filing.pages.tool_pages import UploadPage
from filing.spreadsheets.confined_conversion import ConvertedFile, MatchedFile
from filing.spreadsheets.options import ANSWERS
from filing.submissions import ReceivedFile, overview, uploads
from publicapi import checks
from publicapi.forms import PeriodForm, find_year_filed_now
from publicapi.lar_tool import conversions, page_contents, panel_sheets
from publicapi.lar_tool.conversions import FileRefusal
from publicapi.lar_tool.page_contents import (
    SHEET_QUESTION,
    ResultContents,
    ask_for_check_digits,
)
from publicapi.lar_tool.page_forms import MATCHING, SETTING_WORDS, ToolState, WishesForm

CHOOSE_AGAIN = "Choose the file again: it was not kept. Everything else is still here."
OTHER_COLUMNS = "This file has other columns than the file before. Match them again."
AS_TYPED = frozenset({"typed", "xlsx", "editor"})  # with cells that were not understood
_FINDINGS = "findings.csv"
_TOO_LARGE = 413
_EDITOR_LINE_BYTES = 2_000  # of a record in the row editor, on average; most have 300
API = "/v2/public/lar"
STEPS = ("bring", "columns", "result")
TITLES = {"bring": "Choose a file", "columns": "Match the columns", "result": "Result"}


class BringFilePage(View):
    """The first page: a file, its period, and templates."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        return render_step(request, "bring", ToolState({}))


class RowEditorPage(View):
    """The page with the row editor, which is a script."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        context = {
            "form": PeriodForm(auto_id="editor-%s"),
            "most_loans": settings.LAR_EDITOR_LOANS,
            "states": " ".join(sorted(STATES)),
            "addresses": editor_addresses(),
            "tables": [("ts", "Transmittal Sheet"), ("lar", "Loan Application Register")],
        }
        return render(request, "publicapi/lar_tool/edit.html", context)


class ToolFormPage(UploadPage):
    """The base of the pages that a form with the file is sent to."""

    def setup(self, request: HttpRequest, *args: Any, **where: Any) -> None:
        super().setup(request, *args, **where)
        self.state = ToolState({})

    def post(self, request: HttpRequest) -> HttpResponseBase:
        with use_setting_words(SETTING_WORDS):
            answer = super().post(request)
        answer["Cache-Control"] = "no-store"
        return answer

    def page(self, *, status: int = 200, refusal: str = "", **more: Any) -> HttpResponse:
        """Return the page that the form came from, with the reason why it was refused."""
        step = self.state.step
        return render_step(self.request, step, self.state, status=status, refusal=refusal, **more)

    @contextmanager
    def received(self, request: HttpRequest) -> Iterator[ReceivedFile]:
        """Receive the form, and give its file, which is deleted at the end.

        Raises: Refusal; the other fields of the form are known by then.
        """
        body = Request(request, parsers=[MultiPartParser()])
        rules = uploads.UploadRules(settings.PUBLIC_UPLOAD_LIMIT, any_kind=True)
        with uploads.receive_form(body, rules) as (handler, fields):
            self.state = ToolState.of(fields)
            if not (handler.upload or handler.refusal or handler.size):
                raise BadInput(CHOOSE_AGAIN)
            yield uploads.find_received_file(body, handler, fields)

    def matched(self, upload: ReceivedFile, *, is_another: bool = False) -> HttpResponse:
        """Return the page with the columns of a file, matched as the form says.

        Another file than the one before is matched without what was chosen for that.
        """
        _period(self.state)  # a wrong one is reported before anything is matched
        matching = None if is_another else self._match(upload)
        warning = ""
        if matching is None or self._has_other_columns(matching.columns):
            self.state, warning = self.state.without_file(), OTHER_COLUMNS
            matching = cast(MatchedFile, self._match(upload))
        return render_step(
            self.request,
            "columns",
            self.state,
            matching=matching.columns,
            sheet_values=matching.transmittal_sheet,
            warning=warning,
        )

    def _has_other_columns(self, columns: Mapping[str, Any]) -> bool:
        return page_contents.has_other_columns(self.state.matching, columns)

    def _match(self, upload: ReceivedFile) -> MatchedFile | None:
        """Return the columns of a file; None if it has not those that were matched before.

        Raises: Refusal.
        """
        options = self.state.table_options | {
            key: value for key, value in self.state.options.items() if key in ANSWERS
        }
        wishes = conversions.read_wishes(mapping=self.state.mapping, options=options)
        try:
            return conversions.match_columns(upload.path, wishes)
        except FileRefusal:
            if not self.state.matching:
                raise
            return None


class MatchColumnsPage(ToolFormPage):
    """The page that matches columns to fields, and asks for the transmittal sheet."""

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        with self.received(request) as upload:
            if self.state.value("again"):  # another sheet or header row has other columns
                self.state = self.state.without_columns()
            return self.matched(upload)


class ConversionResultPage(ToolFormPage):
    """The page with changes and findings, and the files that can be saved."""

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        with ExitStack() as stack:
            upload = stack.enter_context(self.received(request))
            save = self.state.value("save")
            as_typed = save in AS_TYPED
            try:
                conversion = open_conversion(
                    self.state, upload, as_typed=as_typed, packs=save == "findings"
                )
                result = stack.enter_context(conversion)
            except FileRefusal as refusal:
                if refusal.status == _TOO_LARGE:  # and would be as large once more
                    raise
                matching = self._match(upload)
                if matching and not self._has_other_columns(matching.columns):
                    raise
                return self._matched_again(upload)
            if self._has_other_columns(result.report):
                return self._matched_again(upload)
            try:
                return answer_download(save, result) or self._shown(result)
            except FileRefusal as refusal:
                if refusal.report is None:
                    raise
                return self._shown(result, status=refusal.status, refusal=refusal.message)

    def _matched_again(self, upload: ReceivedFile) -> HttpResponse:
        """Return the page with the columns of another file, or of a sheet that was chosen."""
        sheet = self.state.value(SHEET_QUESTION)
        is_another = sheet in ("", self.state.matching.get("sheet"))
        if not is_another:
            self.state = self.state.without_columns()
        return self.matched(upload, is_another=is_another)

    def _shown(
        self, result: ConvertedFile, *, status: int = 200, refusal: str = ""
    ) -> HttpResponse:
        return render_step(
            self.request,
            "result",
            self.state,
            status=status,
            refusal=refusal,
            result=page_contents.build_result(result),
            period=_period(self.state),
            notices=describe_unsettled([_period(self.state).year]),
        )


def open_conversion(
    state: ToolState, upload: ReceivedFile, *, as_typed: bool = False, packs: bool = False
) -> AbstractContextManager[ConvertedFile]:
    """Return the conversion that a form asks for, as a context.

    as_typed: whether the file is written although some cells were not understood. packs: whether
    the zip of all files is written.
    Raises: Refusal.
    """
    options = {**state.options, **({"asTyped": True} if as_typed else {})}
    wishes = conversions.read_wishes(mapping=state.mapping, sheet=state.sheet, options=options)
    return conversions.convert_spreadsheet(
        upload.path,
        wishes,
        year=_period(state).year,
        quarter=state.value("quarter"),
        packs=packs,
    )


def _period(state: ToolState) -> Period:
    """Return the period that was chosen. Raises: BadInput."""
    return checks.read_period(state.value("year"), state.value("quarter"))


def answer_download(save: str, result: ConvertedFile) -> HttpResponseBase | None:
    """Return a file that the browser saves, or None for the page.

    save: `txt`, `typed`, `findings`, `xlsx`, or `editor` for the records as JSON.
    Raises: FileRefusal, with the report if cells keep the file from being written.
    """
    answer = _DOWNLOADS.get(save)
    return answer(result) if answer else None


def _lar(result: ConvertedFile) -> HttpResponseBase:
    with conversions.translate_refusals():
        result.require_writable()
    return conversions.answer_with_file(result.name, result.lar, responses.TEXT)


def _findings(result: ConvertedFile) -> HttpResponseBase:
    with zipfile.ZipFile(result.packed) as archive:
        path = Path(archive.extract(_FINDINGS, result.lar.parent))
    name = f"findings-{Path(result.name).stem}.csv"
    return conversions.answer_with_file(name, path, responses.CSV)


def _spreadsheet(result: ConvertedFile) -> HttpResponseBase:
    with conversions.write_spreadsheet(result.lar, kind="xlsx", names="label") as workbook:
        return conversions.answer_with_file(workbook.name, workbook.path, workbook.content_type)


def _records(result: ConvertedFile) -> JsonResponse:
    """Return what the row editor opens: the lines, and the findings in them."""
    most = settings.LAR_EDITOR_LOANS
    report = result.report
    if report["file"]["lines"] - 1 > most or result.lar.stat().st_size > most * _EDITOR_LINE_BYTES:
        raise BadInput(
            f"The row editor holds at most {most:,} loans. Correct them in the spreadsheet, or "
            "save the file."
        )
    findings = [finding for finding in report["findings"]["first"] if finding["line"]]
    return JsonResponse({"text": result.lar.read_text("utf-8"), "findings": findings})


_DOWNLOADS: dict[str, Callable[[ConvertedFile], HttpResponseBase]] = {
    "txt": _lar,
    "typed": _lar,
    "findings": _findings,
    "xlsx": _spreadsheet,
    "editor": _records,
}


def render_step(
    request: HttpRequest,
    step: str,
    state: ToolState,
    *,
    status: int = 200,
    refusal: str = "",
    warning: str = "",
    **more: Any,
) -> HttpResponse:
    """Return a step of the tool. more: what came of the file, if it was read."""
    live = "HX-Request" in request.headers
    context = {
        "step": step,
        "step_template": f"publicapi/lar_tool/{step}.html",
        "number": STEPS.index(step) + 1,
        "steps": len(STEPS),
        "step_title": TITLES[step],
        "state": state,
        "form": state.period_form,
        "live": live,
        "refusal": refusal,
        "warning": warning,
        "limit": settings.PUBLIC_UPLOAD_LIMIT,
        "rows": settings.SPREADSHEET_ROWS,
        "shown": conversions.SHOWN,
        **_of_step(request, step, state, more),
        **more,
    }
    if live:
        return render(request, "publicapi/lar_tool/step.html", context)
    context["calls"] = tool_pages.build_upload_examples(
        f"{API}/convert?year={find_year_filed_now()}", sent="loans.xlsx", saved="report.json"
    )
    return render(request, "publicapi/lar_tool/tool.html", context, status=status)


def editor_addresses() -> str:
    """Return the addresses that the row editor calls, as JSON."""
    names = {"fields": "lar-fields", "convert": "lar-convert", "edits": "edits"}
    addresses = {key: reverse(f"publicapi:{name}").rstrip("/") for key, name in names.items()}
    lines = {key: f"/v2/public/{key}/validate" for key in ("ts", "lar")}
    return json.dumps({**addresses, **lines})


def _of_step(
    request: HttpRequest, step: str, state: ToolState, more: Mapping[str, Any]
) -> dict[str, Any]:
    is_signed_in = request.user.is_authenticated
    if step == "bring":
        beta = [rules for rules in unsettled_years() if rules.is_beta]
        own = panel_sheets.list_own_institutions(cast(User, request.user)) if is_signed_in else []
        return {"template_year": find_year_filed_now(), "beta_years": beta, "own_institutions": own}
    if step == "columns":
        matching = more.get("matching") or state.matching
        columns = page_contents.list_column_rows(matching, state)
        sheet_values = more.get("sheet_values", {})
        if is_signed_in:
            known = panel_sheets.describe_filer(
                cast(User, request.user), state, page_contents.find_leis(matching, sheet_values)
            )
            sheet_values = known | sheet_values
        sheet = page_contents.list_sheet_inputs(matching, sheet_values, state)
        sections = page_contents.list_missing_fields(matching, state)
        questions = page_contents.list_question_inputs(matching.get("questions"), state)
        return {
            "matching": matching,
            "matching_name": MATCHING,
            "matching_json": page_contents.write_matching(matching),
            "columns": columns,
            "field_options": page_contents.list_field_options(),
            "columns_summary": page_contents.summarize_columns(columns),
            "attention": [column for column in columns if column.needs_attention],
            "settled": [column for column in columns if not column.needs_attention],
            "sections": sections,
            "sheet": sheet,
            "sheet_is_complete": all(entry.value for entry in sheet),
            "has_wishes": bool(sections) or any(map(state.value, WishesForm.base_fields)),
            "questions": questions,
            "asks_for_sheet": any(entry.id == SHEET_QUESTION for entry in questions),
            "wishes_form": state.wishes_form,
        }
    filings = list_open_filings(cast(User, request.user)) if is_signed_in else []
    return {"filings": filings, **_next_step(more.get("result"), filings, state)}


def _next_step(
    result: ResultContents | None, filings: list[dict[str, str]], state: ToolState
) -> dict[str, Any]:
    """Return the questions that are open, and which button is the next step."""
    if result is None:
        return {"next_step": "again"}
    report = result.report
    questions = [
        *page_contents.list_question_inputs(report["questions"], state, is_open=True),
        *([] if report["file"]["kind"] == "pipe" else ask_for_check_digits(result, state)),
    ]
    kinds = report["findings"]["byKind"]
    is_ready = report["canWrite"] and not any(
        kinds[kind] for kind in ("format", "syntactical", "validity")
    )
    next_step = ("file" if filings else "save") if is_ready else "again"
    if result.waits_for_columns and not questions:
        next_step = "columns"
    return {"questions": questions, "next_step": next_step}


def list_open_filings(user: User) -> list[dict[str, str]]:
    """Return the filings of a user that accept a file now, each with the value of its choice."""
    dues = overview.find_due_filings(access.find_leis(access.caller_of(user)))
    return [
        {
            "value": f"{due.institution.lei}/{due.period.period}",
            "label": f"{due.institution.name} ({due.institution.lei}), {due.period.period}",
        }
        for due in dues
        if due.is_open and not due.is_cancelled
    ]
