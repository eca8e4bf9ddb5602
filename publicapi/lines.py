"""Checks of a single line, a transmittal sheet or a loan: its JSON shapes and views."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drf_spectacular.utils import (
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
    extend_schema_field,
    inline_serializer,
)
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.public import PublicView
from filing.api.serializers.filings import ErrorBody, Text
from filing.api.serializers.findings import RowErrors
from filing.api.value_schemas import text_schema
from filing.api.views.base import ToolJSON
from filing.edits import engine
from filing.edits.edit import Edit, EditKind, EditLevel, EditNeed
from filing.edits.facts import EditFacts
from filing.lar import parser
from filing.lar.errors import LineErrors
from filing.lar.fields import ABOUT_LIMITS, INTEGERS, LAR, TRANSMITTAL_SHEET, Field, Parse
from filing.lar.formats import Record
from filing.lar.nested import nest_record
from filing.lar.years import Period
from filing.reference_data import registry
from publicapi import checks
from publicapi.openapi import CHECK, CHECKS_TAG, NO_ADDRESS
from publicapi.serializers import AboutRules

_KINDS = (EditKind.SYNTACTICAL, EditKind.VALIDITY, EditKind.QUALITY)
_ABOUT_LINES = (
    "Control characters, double quotes, blanks around a field, a byte order mark and one extra "
    "pipe at the end are ignored. "
    f"{ABOUT_LIMITS} "
)
_ABOUT_EDITS = (
    _ABOUT_LINES + "Runs every edit that needs only this line. Edits that compare with the panel, "
    "other lines or the whole file are left out. The year in the address selects the edits."
)
_ABOUT_SHEET = _ABOUT_LINES + "The LEI keeps its case."


@dataclass(frozen=True, slots=True)
class LineKind:
    """One of the two kinds of lines. key: its name in a request."""

    key: str
    level: EditLevel
    fields: tuple[Field, ...]
    _read: Callable[[bytes], Record | LineErrors]

    def read(self, text: str) -> Record | LineErrors:
        """Return the record of a line, or its formatting errors."""
        return self._read(text.encode())

    def nested(self, record: Record) -> dict[str, Any]:
        """Return a record as nested JSON."""
        return nest_record(record, self.fields)

    def failing(
        self, record: Record, period: Period, edits: Iterable[Edit]
    ) -> tuple[list[Edit], dict[str, str]]:
        """Return the edits of a period that a record triggers, and why others were not run.

        Edits of the other kind of line, or that compare with it, are left out.
        """
        is_sheet = self.level is EditLevel.TS
        facts = EditFacts(
            period,
            record if is_sheet else None,
            census=registry.find_census_without_database(period.year),
        )
        of_line = [
            edit
            for edit in edits
            if edit.level is self.level and (is_sheet or EditNeed.TS not in edit.needs)
        ]
        ready, unrun = engine.find_ready_edits(of_line, facts)
        failing = sorted(engine.check_record(record, ready, facts), key=lambda edit: edit.code)
        return failing, {edit.code: reason for edit, reason in unrun.items()}


SHEET = LineKind("ts", EditLevel.TS, TRANSMITTAL_SHEET, parser.parse_transmittal_sheet)
LOAN = LineKind("lar", EditLevel.LAR, LAR, parser.parse_loan)


def group_edits_by_kind(edits: list[Edit]) -> dict[str, Any]:
    """Return edits as JSON: a list for each kind, which may be empty."""
    return {
        kind.value: {
            "errors": [
                {"edit": edit.code, "description": edit.text} for edit in edits if edit.kind is kind
            ]
        }
        for kind in _KINDS
    }


def _line_schema(fields: Sequence[Field]) -> dict[str, Any]:
    return text_schema(rf"[^|]*(?:\|[^|]*){{{len(fields) - 1}}}")


@extend_schema_field(_line_schema(TRANSMITTAL_SHEET))
class SheetText(Text):
    """The line of a transmittal sheet."""


@extend_schema_field(_line_schema(LAR))
class LoanText(Text):
    """The line of a loan."""


class SheetLine(serializers.Serializer[Any]):
    """A transmittal sheet as a line of a file."""

    ts = SheetText(help_text="15 pipe-delimited fields.")


class LoanLine(serializers.Serializer[Any]):
    """A loan as a line of a file."""

    lar = LoanText(help_text="110 pipe-delimited fields.")


class FailedEdit(serializers.Serializer[Any]):
    """An edit that the line triggers."""

    edit = serializers.CharField()
    description = serializers.CharField(help_text="What a correct record must meet.")


class FailedEdits(serializers.Serializer[Any]):
    """The triggered edits of one kind, by code."""

    def get_fields(self) -> dict[str, Any]:
        # The framework also uses the name `errors`, so it cannot be an attribute of this class.
        return {**super().get_fields(), "errors": FailedEdit(many=True)}


class LineFindings(AboutRules):
    """The edits that the line triggers; three empty lists if there are none."""

    syntactical = FailedEdits()
    validity = FailedEdits()
    quality = FailedEdits()


def _parsed(name: str, fields: Sequence[Field]) -> serializers.Serializer[Any]:
    """Return the shape that `nest_record` gives records with these fields."""
    places: dict[str, Any] = {}
    for field in fields:
        *sections, key = field.json.split(".")
        place = places
        for section in sections:
            place = place.setdefault(section, {})
        place[key] = _value(field)
    return _section(name, places)


def _section(name: str, places: Mapping[str, Any]) -> serializers.Serializer[Any]:
    fields = {
        key: _section(name + key[0].upper() + key[1:], place) if isinstance(place, dict) else place
        for key, place in places.items()
    }
    return inline_serializer(name, fields)


def _value(field: Field) -> serializers.Field[Any, Any, Any, Any]:
    if field.parse in INTEGERS:
        return serializers.IntegerField(help_text=field.label)
    if field.parse is Parse.DECIMAL:
        return serializers.FloatField(help_text=field.label)
    return serializers.CharField(help_text=field.label)


PARSED_SHEET = _parsed("ParsedTransmittalSheet", TRANSMITTAL_SHEET)
PARSED_LOAN = _parsed("ParsedLoan", LAR)


def _operation(summary: str, line: Any, answer: Any, **options: Any) -> Any:
    refusal = PolymorphicProxySerializer(
        component_name="LineRefusal",
        serializers=[RowErrors, ErrorBody],
        resource_type_field_name=None,
    )
    return extend_schema(
        summary=summary,
        tags=[CHECKS_TAG],
        auth=[],
        request=line,
        responses={
            200: answer,
            400: OpenApiResponse(
                refusal,
                description="The formatting errors of the line, or why the request was refused.",
            ),
            413: OpenApiResponse(ErrorBody, description="The JSON is larger than one megabyte."),
            **({404: NO_ADDRESS} if answer is LineFindings else {}),
        },
        **options,
    )


parse_sheet_schema = _operation(
    "Parse a transmittal sheet", SheetLine, PARSED_SHEET, description=_ABOUT_SHEET
)
parse_sheet_by_short_path_schema = _operation(
    "Parse a transmittal sheet by the short path",
    SheetLine,
    PARSED_SHEET,
    description=f"The same as `/v2/public/ts/parse`. {_ABOUT_SHEET}",
)
validate_sheet_schema = _operation(
    "Validate a transmittal sheet",
    SheetLine,
    LineFindings,
    parameters=[CHECK],
    description=_ABOUT_EDITS,
)
parse_loan_schema = _operation(
    "Parse a loan",
    LoanLine,
    PARSED_LOAN,
    description=_ABOUT_LINES
    + "Blank codes are 0. The LEI is in upper case, the ULI keeps its case; numbers that may be NA "
    "or Exempt are texts.",
)
validate_loan_schema = _operation(
    "Validate a loan",
    LoanLine,
    LineFindings,
    parameters=[CHECK],
    description=_ABOUT_EDITS,
)


class LineView(PublicView):
    """The base of the views: reading the line, and answering one with formatting errors."""

    parser_classes = [ToolJSON]
    kind: LineKind
    shape: type[serializers.Serializer[Any]]

    def record(self) -> Record | LineErrors:
        return self.kind.read(self.read(self.shape)[self.kind.key])

    def parsed(self) -> Response:
        record = self.record()
        return (
            _unread(record)
            if isinstance(record, LineErrors)
            else Response(self.kind.nested(record))
        )

    def validated(self, year: str, quarter: str | None) -> Response:
        period = checks.read_period(year, quarter)
        edits = checks.select_edits(period, self.request.query_params.get("check"))
        record = self.record()
        if isinstance(record, LineErrors):
            return _unread(record)
        failing, unrun = self.kind.failing(record, period, edits)
        return Response(group_edits_by_kind(failing) | checks.describe_rules(period, unrun))


def _unread(errors: LineErrors) -> Response:
    return Response(RowErrors(errors).data, status=400)


class SheetView(LineView):
    """The base of the views of a transmittal sheet."""

    kind, shape = SHEET, SheetLine


class LoanView(LineView):
    """The base of the views of a loan."""

    kind, shape = LOAN, LoanLine


class ParseSheet(SheetView):
    """A transmittal sheet as JSON."""

    @parse_sheet_schema
    def post(self, request: Request) -> Response:
        return self.parsed()


class ParseSheetByShortPath(SheetView):
    """The same at the short address."""

    @parse_sheet_by_short_path_schema
    def post(self, request: Request) -> Response:
        return self.parsed()


class ValidateSheet(SheetView):
    """A transmittal sheet, checked with the edits of a period."""

    @validate_sheet_schema
    def post(self, request: Request, year: str, quarter: str | None = None) -> Response:
        return self.validated(year, quarter)


class ParseLoan(LoanView):
    """A loan as JSON."""

    @parse_loan_schema
    def post(self, request: Request) -> Response:
        return self.parsed()


class ValidateLoan(LoanView):
    """A loan, checked with the edits of a period."""

    @validate_loan_schema
    def post(self, request: Request, year: str, quarter: str | None = None) -> Response:
        return self.validated(year, quarter)
