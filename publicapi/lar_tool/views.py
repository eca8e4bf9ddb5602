"""The views of the LAR formatting tool. Nothing that is sent to them is kept.

The body of a call has the file, and the parts `map`, `sheet` and `options`, which are JSON.
Temporary files are removed before an answer is sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopFutureHandlers
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.public import AnyAccept, ListView
from filing.errors import BadInput
from filing.files import responses
from filing.lar.years import rulebook_member
from filing.spreadsheets import field_lists, written_files
from filing.spreadsheets.confined_conversion import ConvertedFile
from filing.storable_text import UNSTORABLE, Unstorable, decode_json
from filing.submissions import ReceivedFile, uploads
from publicapi import checks
from publicapi.forms import find_year_filed_now
from publicapi.lar_tool import conversions, openapi
from publicapi.lar_tool.conversions import FileRefusal, translate_refusals

ZIP = "application/zip"
PART_BYTES = 256 * 1024  # of one JSON part
PARTS = ("map", "sheet", "options")


def read_word(request: Request, name: str, words: Sequence[str]) -> str:
    """Return a parameter that is one of some words, the first by default. Raises: BadInput."""
    value = request.query_params.get(name, words[0])
    if value not in words:
        raise BadInput(f"The {name} {value!r} is unknown; enter one of {', '.join(words)}.")
    return value


def read_year(request: Request) -> int | None:
    """Return the year, if there is one. Raises: BadInput for a year without edits."""
    value = request.query_params.get("year")
    return None if value is None else checks.read_period(value, None).year


def read_year_and_quarter(request: Request) -> tuple[int | None, str]:
    """Return the year, if there is one, and the quarter, or a blank.

    Raises: BadInput for a period without edits.
    """
    quarter = request.query_params.get("quarter")
    if quarter is not None and quarter not in openapi.QUARTER_NAMES:
        raise BadInput(
            f"The quarter {quarter!r} is unknown; enter one of "
            f"{', '.join(openapi.QUARTER_NAMES)}, or leave it out for a whole year."
        )
    value = request.query_params.get("year")
    number = None if value is None else checks.read_period(value, quarter).year
    return number, quarter or ""


class LarToolView(ListView):
    """The base of the views. No browser or proxy may store an answer about a file."""

    content_negotiation_class = AnyAccept

    def finalize_response(self, request: Request, response: Any, *args: Any, **options: Any) -> Any:
        if request.method == "POST":
            response["Cache-Control"] = "no-store"
        return super().finalize_response(request, response, *args, **options)


class Fields(LarToolView):
    """The fields of a year."""

    @openapi.fields_schema
    def get(self, request: Request) -> Response:
        year = read_year(request) or find_year_filed_now()
        record = read_word(request, "record", openapi.RECORD_KINDS)
        fields = field_lists.list_fields(year, record)
        return Response({"year": year, "fields": fields, **rulebook_member(year)})


class Template(LarToolView):
    """An empty spreadsheet."""

    @openapi.template_schema
    def get(self, request: Request) -> HttpResponse:
        kind = read_word(request, "format", openapi.SPREADSHEET_FORMATS)
        names = read_word(request, "names", written_files.HEADING_NAMES)
        year = read_year(request) or find_year_filed_now()
        content = written_files.write_template(kind=kind, names=names, year=year)
        content_type = written_files.XLSX_TYPE if kind == "xlsx" else written_files.CSV_TYPE
        answer = HttpResponse(content, content_type=content_type)
        return responses.make_attachment(f"lar-{year}.{kind}", answer)


class Columns(LarToolView):
    """Which column of a spreadsheet is for which field."""

    @openapi.columns_schema
    def post(self, request: Request) -> Response:
        with receive_form(request) as body:
            wishes = conversions.read_wishes(mapping=body.part("map"), options=body.part("options"))
            return Response(_advised(conversions.match_columns(body.upload.path, wishes).columns))


def _advised(report: dict[str, Any]) -> dict[str, Any]:
    """Return columns or a report with how each question is answered in a call."""
    for question in report["questions"]:
        answer, field = question["choices"][0]["value"], question["field"]
        example = {question["kind"]: {field: answer} if field else answer}
        question["how"] = f"Send it in options, such as {json.dumps(example)}."
    return report


class Convert(LarToolView):
    """A spreadsheet as a LAR: the report, the file, or both in a zip."""

    @openapi.convert_schema
    def post(self, request: Request) -> HttpResponseBase:
        answer = read_word(request, "format", openapi.ANSWER_FORMATS)
        year, quarter = read_year_and_quarter(request)
        with receive_form(request) as body:
            wishes = conversions.read_wishes(
                mapping=body.part("map"), sheet=body.part("sheet"), options=body.part("options")
            )
            path = body.upload.path
            with conversions.convert_spreadsheet(
                path, wishes, year=year, quarter=quarter, packs=answer == "zip"
            ) as result:
                return _ANSWERS[answer](result)


def _report(result: ConvertedFile) -> HttpResponseBase:
    return Response(_advised(result.report))


def _text(result: ConvertedFile) -> HttpResponseBase:
    try:
        with translate_refusals():
            result.require_writable()
    except FileRefusal as refusal:
        return Response(_advised(refusal.report or {}), status=refusal.status)
    return conversions.answer_with_file(result.name, result.lar, responses.TEXT)


def _zip(result: ConvertedFile) -> HttpResponseBase:
    return conversions.answer_with_file(f"{Path(result.name).stem}.zip", result.packed, ZIP)


_ANSWERS = dict(zip(openapi.ANSWER_FORMATS, (_report, _text, _zip), strict=True))


class Spreadsheet(LarToolView):
    """A LAR as a spreadsheet."""

    @openapi.spreadsheet_schema
    def post(self, request: Request) -> HttpResponseBase:
        kind = read_word(request, "format", openapi.SPREADSHEET_FORMATS)
        names = read_word(request, "names", openapi.NAME_KINDS)
        with receive_form(request) as body:
            wishes = conversions.read_wishes(options=body.part("options"))
            with translate_refusals():
                wishes.options.require_none_of_cells("A LAR becomes a spreadsheet as it is")
            with conversions.write_spreadsheet(
                body.upload.path, kind=kind, names=names, with_sheet=wishes.options.with_sheet
            ) as result:
                return conversions.answer_with_file(result.name, result.path, result.content_type)


@dataclass(frozen=True, slots=True)
class ReceivedForm:
    """A file that was received, and the other fields of its form."""

    upload: ReceivedFile
    fields: Mapping[str, Any]

    def part(self, name: str) -> dict[str, Any]:
        """Return a JSON part; empty if it is missing or blank.

        Raises: BadInput, naming the part.
        """
        return read_json_object(name, self.fields.get(name, ""))


@contextmanager
def receive_form(request: HttpRequest | Request) -> Iterator[ReceivedForm]:
    """Receive a form with a spreadsheet or a pipe file, of up to PUBLIC_UPLOAD_LIMIT bytes.

    Raises: BadInput, TooLarge.
    """
    body = request if isinstance(request, Request) else Request(request, [MultiPartParser()])
    rules = uploads.UploadRules(settings.PUBLIC_UPLOAD_LIMIT, any_kind=True)
    with uploads.receive_form(body, rules, _JsonParts()) as (handler, fields):
        yield ReceivedForm(uploads.find_received_file(body, handler, fields), fields)


def read_json_object(name: str, content: Any) -> dict[str, Any]:
    """Return the JSON object of a part; empty if it is blank.

    content: its text, or the file that was sent as the part.
    Raises: BadInput, naming the part.
    """
    if isinstance(content, SimpleUploadedFile):
        content = content.read()
    if len(content) > PART_BYTES:
        raise BadInput(f"The part {name!r} is larger than {PART_BYTES} bytes, the most taken here.")
    if not content.strip():
        return {}
    try:
        value = decode_json(content)
    except Unstorable:
        raise BadInput(f"The part {name!r} holds {UNSTORABLE}; leave it out.") from None
    except ValueError:
        raise BadInput(f"The part {name!r} is not JSON; send a JSON object.") from None
    if not isinstance(value, dict):
        raise BadInput(f"The part {name!r} is not a JSON object; send one such as {{}}.")
    return value


class _JsonParts(FileUploadHandler):
    """Keeps JSON parts that have a file name in memory; the file itself is left to the others."""

    _content: bytearray | None = None

    def new_file(self, *args: Any, **options: Any) -> None:
        super().new_file(*args, **options)
        self._content = bytearray() if self.field_name in PARTS else None
        if self._content is not None:
            raise StopFutureHandlers

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        if self._content is None:
            return raw_data
        self._content += raw_data[: PART_BYTES + 1 - len(self._content)]
        return None

    def file_complete(self, file_size: int) -> SimpleUploadedFile | None:
        if self._content is None:
            return None
        content, self._content = bytes(self._content), None
        return SimpleUploadedFile(self.field_name or "", content)
