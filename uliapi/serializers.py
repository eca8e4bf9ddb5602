"""The JSON shapes of check digits."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from filing.api.serializers.filings import Text
from uliapi.checkdigit import LOAN_ID_LENGTHS, ULI_LENGTHS


def _alphanumeric(lengths: range) -> dict[str, str]:
    return {"type": "string", "pattern": f"^[0-9A-Za-z]{{{lengths[0]},{lengths[-1]}}}$"}


@extend_schema_field(_alphanumeric(LOAN_ID_LENGTHS))
class LoanIdText(Text):
    """A loan identifier as text."""


@extend_schema_field(_alphanumeric(ULI_LENGTHS))
class UliText(Text):
    """A ULI as text."""


class LoanId(serializers.Serializer[Any]):
    """A loan identifier: the LEI of the institution, then 1 to 23 letters and digits of its own."""

    loanId = LoanIdText(help_text="21 to 43 letters and digits.")


class Uli(serializers.Serializer[Any]):
    """A Universal Loan Identifier: a loan identifier, then its two check digits."""

    uli = UliText(help_text="23 to 45 letters and digits.")


class CheckDigit(serializers.Serializer[Any]):
    """A loan identifier with its check digits."""

    loanId = serializers.CharField(help_text="As sent.")
    checkDigit = serializers.CharField(help_text="Two digits.")
    uli = serializers.CharField(help_text="The loan identifier and its check digits.")


class Validity(serializers.Serializer[Any]):
    """Whether a ULI ends in its check digits."""

    isValid = serializers.BooleanField()
