"""The rate spread API: one loan as JSON, a file of loans, and the tables.

JSON is read with the digits of numbers as sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_field,
)
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.openapi import refused
from filing.api.public import ListView, PublicView, answer_csv_file
from filing.api.views.base import ToolJSON
from filing.errors import BadInput, NotFound
from filing.files import responses
from ratespread import apor, calculator
from ratespread.calculator import LOAN_FAULTS
from ratespread.models import TERMS, AporKind

_QUADRILLION = 10**15
_BELOW_A_QUADRILLION = {
    "minimum": -_QUADRILLION,
    "exclusiveMinimum": True,
    "maximum": _QUADRILLION,
    "exclusiveMaximum": True,
}
_ACCEPTED = {fault.name: fault.reason for fault in reversed(LOAN_FAULTS[:-1])}
_PROBLEMS = {
    "required": "This key is missing.",
    "null": "It is null.",
    "kind": "It is neither a number nor a text.",
}
RATE_SPREAD_TAG = "Rate spread"
_LINE = "1,30,FixedRate,6.0,2023-11-20,2"
_FILE = {
    "type": "string",
    "format": "binary",
    "description": "Without a header: action taken, term, amortization type, APR, lock-in date, "
    "reverse mortgage; additional columns are kept. Cells may be in quotes, and separated by "
    "commas, semicolons or tabs.",
}


class ExactNumber(str):
    """A JSON number, as written."""

    __slots__ = ()


class ExactJSON(ToolJSON):
    """Reads JSON without converting its numbers to binary fractions."""

    def value_of(self, body: bytes, *args: Any, **options: Any) -> Any:
        """Return the value of a JSON text, each number as an `ExactNumber`.

        Raises: ParseError.
        """
        try:
            return json.loads(
                body.decode("utf-8-sig"),
                parse_int=ExactNumber,
                parse_float=ExactNumber,
                parse_constant=_refuse,
            )
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from None


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number.")


class TextField(serializers.Field):
    """A number or a text, as the text that was sent; its value is checked later."""

    default_error_messages = {"kind": "It is neither a number nor a text."}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):  # numbers arrive as texts; true, lists and objects do not
            self.fail("kind")
        # A lone surrogate is not a character, and no column of texts accepts it.
        return data.encode(errors="replace").decode()


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": 8})
class ActionField(TextField):
    """A whole number, also accepted in quotes, like the other numbers."""


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": TERMS})
class TermField(TextField):
    """A number of whole years."""


@extend_schema_field({"type": "integer", "enum": [1, 2, 1111]})
class CodeField(TextField):
    """A code: yes, no or exempt."""


@extend_schema_field({"type": "number", "format": "double", **_BELOW_A_QUADRILLION})
class NumberField(TextField):
    """A number of which every digit counts, also accepted in quotes."""


@extend_schema_field(OpenApiTypes.DATE)
class DayField(TextField):
    """A date, as text."""


@extend_schema_field({"type": "string", "enum": ["FixedRate", "VariableRate"]})
class WordField(TextField):
    """One of several words."""


def _field(kind: type[TextField], name: str, help_text: str) -> Any:
    accepted = f"{_ACCEPTED[name][0].upper()}{_ACCEPTED[name][1:]}."
    messages: Any = {key: f"{problem} {accepted}" for key, problem in _PROBLEMS.items()}
    return kind(help_text=help_text, error_messages=messages)


class RateSpreadRequest(serializers.Serializer[Any]):
    """The loan to compute a rate spread for."""

    actionTakenType = _field(
        ActionField, "actionTakenType", "1, 2 and 8 have a rate spread; 3 to 7 give `NA`."
    )
    loanTerm = _field(
        TermField,
        "loanTerm",
        "In years, 1 to 50; for a variable rate, the years to its first adjustment.",
    )
    amortizationType = _field(WordField, "amortizationType", "The table to use.")
    apr = _field(NumberField, "apr", "Annual percentage rate in percent.")
    lockInDate = _field(DayField, "lockInDate", "The date the rate was set.")
    reverseMortgage = _field(
        CodeField, "reverseMortgage", "2: no. 1 (yes) and 1111 (exempt) give `NA`."
    )


class AporSource(serializers.Serializer[Any]):
    """A load of rates."""

    id = serializers.IntegerField()
    sha256 = serializers.CharField()
    loadedAt = serializers.DateTimeField(source="loaded_at")
    demo = serializers.BooleanField(
        source="is_demo", help_text="Made up, for trying out the service only."
    )

    def get_fields(self) -> dict[str, Any]:
        # The framework also uses the name `source`, so it cannot be an attribute of this class.
        source = serializers.CharField(help_text="File name or address.")
        return {**super().get_fields(), "source": source}


class AporCorrection(serializers.Serializer[Any]):
    """A rate that was in use until it was corrected."""

    apor = serializers.CharField()
    load = AporSource()
    until = serializers.DateTimeField()


class AporRate(serializers.Serializer[Any]):
    """The average prime offer rate used, in percent."""

    table = serializers.ChoiceField(["fixed", "variable"])
    week = serializers.DateField(help_text="The Monday of the week.")
    term = serializers.IntegerField(help_text="In years.")
    apor = serializers.CharField()
    load = AporSource()
    corrections = AporCorrection(many=True, help_text="Earlier rates of the same week and term.")


class Explanation(serializers.Serializer[Any]):
    """How an answer was computed."""

    text = serializers.CharField()
    rate = AporRate(allow_null=True, help_text="Null for `NA`.")


class RateSpread(serializers.Serializer[Any]):
    """The rate spread in percent with three decimals, or `NA`."""

    rateSpread = serializers.CharField(source="rate_spread")


class ExplainedRateSpread(RateSpread):
    """The rate spread and, with `explain=true`, how it was computed."""

    explanation = Explanation(source="*", required=False)


def _operation(summary: str, responses: dict[Any, Any], **options: Any) -> Any:
    return extend_schema(
        summary=summary, tags=[RATE_SPREAD_TAG], auth=[], responses=responses, **options
    )


rate_spread_schema = _operation(
    "Compute a rate spread",
    {
        200: ExplainedRateSpread,
        400: refused(
            "loanTerm '99' is not accepted: loan term must be 1 to 50.",
            "There is no average prime offer rate for 2016-01-06, the week of 2016-01-04: "
            "the table of fixed rates has weeks from 2017-01-02 to 2023-10-23.",
        ),
        413: refused("The JSON is larger than 1048576 bytes, the most taken here."),
    },
    request=RateSpreadRequest,
    parameters=[
        OpenApiParameter(
            "explain", bool, description="`true` adds the week, table, rate and load used."
        )
    ],
    description=(
        "The annual percentage rate less the average prime offer rate (APOR) for the term, in the "
        "ISO week of the lock-in date, in exact decimals, halves rounded away from zero. `NA` for "
        "actions taken 3 to 7 and for reverse mortgages 1 and 1111. Numbers may be in quotes."
    ),
)
rate_spread_list_schema = _operation(
    "Compute rate spreads, as CSV",
    {
        (200, "text/csv"): OpenApiTypes.STR,
        400: refused("Send the file as multipart/form-data, in one part named 'file'."),
        413: refused("The file is larger than 52428800 bytes, the most taken here."),
    },
    request={
        "multipart/form-data": {
            "type": "object",
            "properties": {"file": _FILE},
            "required": ["file"],
        }
    },
    description=(
        "Each line as received, with the spread, `NA`, or `error: ` and a reason in one more "
        "column, after the separator of the line; an error in a line does not affect others. Cells "
        "may be in quotes, and separated by commas, semicolons or tabs. The answer has a header "
        f"only if the file has one that begins with `action`. A file has lines such as `{_LINE}`."
    ),
)
apor_table_schema = _operation(
    "Download an APOR table",
    {
        (200, "text/csv"): OpenApiResponse(OpenApiTypes.STR, description="One line per week."),
        404: refused("There is no table 'other'; the tables are fixed and variable."),
    },
    parameters=[
        OpenApiParameter(
            "kind",
            str,
            OpenApiParameter.PATH,
            enum=["fixed", "variable"],
            description="Which table.",
        )
    ],
    description="Average prime offer rates in percent by week (its Monday) and term in years.",
)


class RateSpreadView(PublicView):
    """The rate spread of one loan."""

    parser_classes = [ExactJSON]

    @rate_spread_schema
    def post(self, request: Request) -> Response:
        explain = request.query_params.get("explain", "false").lower()
        if explain not in ("true", "false"):
            raise BadInput(f"explain is {explain[:20]!r}; enter true or false.")
        answer = calculator.compute_rate_spread(
            self.read(RateSpreadRequest), apor.read_current_tables()
        )
        if explain == "true":
            return Response(ExplainedRateSpread(answer).data)
        return Response(RateSpread(answer).data)


class RateSpreadListView(ListView):
    """The rate spreads of a file of loans."""

    @rate_spread_list_schema
    def post(self, request: Request) -> HttpResponseBase:
        pieces = partial(calculator.answer_file, apor=apor.read_current_tables())
        return answer_csv_file(request, pieces, name="rate-spreads.csv")


class AporTableView(PublicView):
    """One of the two tables, as CSV."""

    @apor_table_schema
    def get(self, request: Request, kind: str) -> HttpResponseBase:
        if kind not in AporKind.values:
            raise NotFound(
                f"There is no table {kind[:20]!r}; the tables are {' and '.join(AporKind.values)}."
            )
        table = apor.write_table_lines(AporKind(kind))
        pieces: Iterator[bytes] = (line.encode() for line in table)
        return responses.stream_attachment(f"apor-{kind}.csv", pieces)
