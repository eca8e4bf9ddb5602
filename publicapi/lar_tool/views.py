"""The views of the LAR formatting tool. Nothing that is sent to them is kept.

Temporary files are removed before an answer is sent.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.negotiation import AnyAccept
from filing.api.public import ListView
from filing.files import attachments
from filing.lar.years import rulebook_member
from filing.spreadsheets import field_lists, templates
from filing.spreadsheets.conversion import Conversion
from publicapi.lar_tool import answers, bodies, conversions, openapi, queries
from publicapi.lar_tool.conversions import FileRefusal, known_refusals

ZIP = "application/zip"


class LarToolView(ListView):
    """The base of the views. No browser or proxy may store an answer about a file."""

    content_negotiation_class = AnyAccept

    def finalize_response(self, request: Request, response: Any, *args: Any, **options: Any) -> Any:
        if request.method == "POST":
            response["Cache-Control"] = "no-store"
        return super().finalize_response(request, response, *args, **options)


class Fields(LarToolView):
    """The fields of a year."""

    @openapi.fields
    def get(self, request: Request) -> Response:
        year = queries.year(request) or queries.newest_year()
        record = queries.word(request, "record", queries.RECORDS)
        fields = field_lists.fields(year, record)
        return Response({"year": year, "fields": fields, **rulebook_member(year)})


class Template(LarToolView):
    """An empty spreadsheet."""

    @openapi.template
    def get(self, request: Request) -> HttpResponse:
        kind = queries.word(request, "format", queries.SPREADSHEETS)
        names = queries.word(request, "names", templates.NAMES)
        year = queries.year(request) or queries.newest_year()
        content = templates.template(kind=kind, names=names, year=year)
        content_type = templates.XLSX_TYPE if kind == "xlsx" else templates.CSV_TYPE
        answer = HttpResponse(content, content_type=content_type)
        return attachments.saved_as(f"lar-{year}.{kind}", answer)


class Columns(LarToolView):
    """Which column of a spreadsheet is for which field."""

    @openapi.columns
    def post(self, request: Request) -> Response:
        with bodies.received(request) as body:
            wishes = conversions.wishes(mapping=body.part("map"), options=body.part("options"))
            return Response(conversions.matched(body.upload.path, wishes).as_json())


class Convert(LarToolView):
    """A spreadsheet as a LAR: the report, the file, or both in a zip."""

    @openapi.convert
    def post(self, request: Request) -> HttpResponseBase:
        answer = queries.word(request, "format", queries.ANSWERS)
        year, quarter = queries.period(request)
        with bodies.received(request) as body:
            wishes = conversions.wishes(
                mapping=body.part("map"), sheet=body.part("sheet"), options=body.part("options")
            )
            path = body.upload.path
            with conversions.converted(path, wishes, year=year, quarter=quarter) as result:
                return _ANSWERS[answer](result)


def _report(result: Conversion) -> HttpResponseBase:
    return Response(result.report())


def _text(result: Conversion) -> HttpResponseBase:
    try:
        with known_refusals():
            result.require_writable()
    except FileRefusal as refusal:
        return Response(refusal.report, status=refusal.status)
    return answers.unlinked(result.name, result.lar, attachments.TEXT)


def _zip(result: Conversion) -> HttpResponseBase:
    path = result.lar.with_name("answer.zip")
    with known_refusals(), path.open("wb") as file:
        result.write_zip(file)
    return answers.unlinked(f"{Path(result.name).stem}.zip", path, ZIP)


_ANSWERS = dict(zip(queries.ANSWERS, (_report, _text, _zip), strict=True))


class Spreadsheet(LarToolView):
    """A LAR as a spreadsheet."""

    @openapi.spreadsheet
    def post(self, request: Request) -> HttpResponseBase:
        kind = queries.word(request, "format", queries.SPREADSHEETS)
        names = queries.word(request, "names", queries.NAMES)
        with bodies.received(request) as body:
            wishes = conversions.wishes(options=body.part("options"))
            with conversions.written_back(
                body.upload.path, kind=kind, names=names, with_sheet=wishes.options.with_sheet
            ) as result:
                return answers.unlinked(result.name, result.path, result.content_type)
