"""JSON shapes of the rate spread."""

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
_RIGHT = {fault.name: fault.reason for fault in reversed(FAULTS[:-1])}


class Text(serializers.Field):
    """A number or a text, as the text that was sent; what it must be is seen to later."""

    default_error_messages = {"kind": "It is neither a number nor a text."}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):  # so come numbers, too; true, lists and objects do not
            self.fail("kind")
        # Halves of a pair stand for no character: no column of texts takes them.
        return data.encode(errors="replace").decode()


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": 8})
class Action(Text):
    """A whole number; one in quotes is taken, too. So it is with the others."""


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": TERMS})
class Term(Text):
    """Whole years."""


@extend_schema_field({"type": "integer", "enum": [1, 2, 1111]})
class Code(Text):
    """Yes, no, or exempt."""


@extend_schema_field({"type": "number", "format": "double", **_BELOW_A_QUADRILLION})
class Number(Text):
    """A number, of which every digit counts; one in quotes is taken, too."""


@extend_schema_field(OpenApiTypes.DATE)
class Day(Text):
    """A day, as text."""


@extend_schema_field({"type": "string", "enum": ["FixedRate", "VariableRate"]})
class Word(Text):
    """One of some words."""


def _field(kind: type[Text], name: str, help_text: str) -> Any:
    right = f"{_RIGHT[name][0].upper()}{_RIGHT[name][1:]}."
    wrong: Any = {key: f"{what} {right}" for key, what in _WRONG.items()}
    return kind(help_text=help_text, error_messages=wrong)


_WRONG = {
    "required": "This key is missing.",
    "null": "It is null.",
    "kind": "It is neither a number nor a text.",
}


class RateSpreadRequest(serializers.Serializer[Any]):
    """A loan whose rate spread is asked for."""

    actionTakenType = _field(  # noqa: N815
        Action, "actionTakenType", "1, 2 and 8 have a rate spread; 3 to 7 give `NA`."
    )
    loanTerm = _field(  # noqa: N815
        Term,
        "loanTerm",
        "In years, 1 to 50; of a variable rate the years until its first adjustment.",
    )
    amortizationType = _field(Word, "amortizationType", "Which table is used.")  # noqa: N815
    apr = _field(Number, "apr", "Annual percentage rate in percent.")
    lockInDate = _field(Day, "lockInDate", "The day on which the rate was set.")  # noqa: N815
    reverseMortgage = _field(  # noqa: N815
        Code, "reverseMortgage", "2: no. 1 (yes) and 1111 (exempt) give `NA`."
    )


class AporSource(serializers.Serializer[Any]):
    """A load of rates."""

    id = serializers.IntegerField()
    sha256 = serializers.CharField()
    loadedAt = serializers.DateTimeField(source="loaded_at")  # noqa: N815
    demo = serializers.BooleanField(source="is_demo", help_text="Made up, and good for tries only.")

    def get_fields(self) -> dict[str, Any]:
        # `source` is also a name of the framework's, so it cannot be an attribute of this class.
        source = serializers.CharField(help_text="File name or address.")
        return {**super().get_fields(), "source": source}


class AporCorrection(serializers.Serializer[Any]):
    """A rate that counted before another one took its place."""

    apor = serializers.CharField()
    load = AporSource()
    until = serializers.DateTimeField()


class AporRate(serializers.Serializer[Any]):
    """The average prime offer rate that was taken, in percent."""

    table = serializers.ChoiceField(["fixed", "variable"])
    week = serializers.DateField(help_text="The Monday of the week.")
    term = serializers.IntegerField(help_text="In years.")
    apor = serializers.CharField()
    load = AporSource()
    corrections = AporCorrection(many=True, help_text="Earlier rates of the same week and term.")


class Explanation(serializers.Serializer[Any]):
    """How an answer came about."""

    text = serializers.CharField()
    rate = AporRate(allow_null=True, help_text="None for `NA`.")


class RateSpread(serializers.Serializer[Any]):
    """The rate spread in percent with three decimals, or `NA`."""

    rateSpread = serializers.CharField(source="rate_spread")  # noqa: N815


class ExplainedRateSpread(RateSpread):
    """The same, and with `explain=true` how it came about."""

    explanation = Explanation(source="*", required=False)
