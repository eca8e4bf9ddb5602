"""The JSON shapes of the rate spread."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from ratespread.calculator import FAULTS
from ratespread.models import TERMS

_QUADRILLION = 10**15
_BELOW_A_QUADRILLION = {
    "minimum": -_QUADRILLION,
    "exclusiveMinimum": True,
    "maximum": _QUADRILLION,
    "exclusiveMaximum": True,
}
_ACCEPTED = {fault.name: fault.reason for fault in reversed(FAULTS[:-1])}


class Text(serializers.Field):
    """A number or a text, as the text that was sent; its value is checked later."""

    default_error_messages = {"kind": "It is neither a number nor a text."}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):  # numbers arrive as texts; true, lists and objects do not
            self.fail("kind")
        # A lone surrogate is not a character, and no column of texts accepts it.
        return data.encode(errors="replace").decode()


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": 8})
class Action(Text):
    """A whole number, also accepted in quotes, like the other numbers."""


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": TERMS})
class Term(Text):
    """A number of whole years."""


@extend_schema_field({"type": "integer", "enum": [1, 2, 1111]})
class Code(Text):
    """A code: yes, no or exempt."""


@extend_schema_field({"type": "number", "format": "double", **_BELOW_A_QUADRILLION})
class Number(Text):
    """A number of which every digit counts, also accepted in quotes."""


@extend_schema_field(OpenApiTypes.DATE)
class Day(Text):
    """A date, as text."""


@extend_schema_field({"type": "string", "enum": ["FixedRate", "VariableRate"]})
class Word(Text):
    """One of several words."""


def _field(kind: type[Text], name: str, help_text: str) -> Any:
    accepted = f"{_ACCEPTED[name][0].upper()}{_ACCEPTED[name][1:]}."
    messages: Any = {key: f"{problem} {accepted}" for key, problem in _PROBLEMS.items()}
    return kind(help_text=help_text, error_messages=messages)


_PROBLEMS = {
    "required": "This key is missing.",
    "null": "It is null.",
    "kind": "It is neither a number nor a text.",
}


class RateSpreadRequest(serializers.Serializer[Any]):
    """The loan to compute a rate spread for."""

    actionTakenType = _field(  # noqa: N815
        Action, "actionTakenType", "1, 2 and 8 have a rate spread; 3 to 7 give `NA`."
    )
    loanTerm = _field(  # noqa: N815
        Term,
        "loanTerm",
        "In years, 1 to 50; for a variable rate, the years to its first adjustment.",
    )
    amortizationType = _field(Word, "amortizationType", "The table to use.")  # noqa: N815
    apr = _field(Number, "apr", "Annual percentage rate in percent.")
    lockInDate = _field(Day, "lockInDate", "The date the rate was set.")  # noqa: N815
    reverseMortgage = _field(  # noqa: N815
        Code, "reverseMortgage", "2: no. 1 (yes) and 1111 (exempt) give `NA`."
    )


class AporSource(serializers.Serializer[Any]):
    """A load of rates."""

    id = serializers.IntegerField()
    sha256 = serializers.CharField()
    loadedAt = serializers.DateTimeField(source="loaded_at")  # noqa: N815
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

    rateSpread = serializers.CharField(source="rate_spread")  # noqa: N815


class ExplainedRateSpread(RateSpread):
    """The rate spread and, with `explain=true`, how it was computed."""

    explanation = Explanation(source="*", required=False)
