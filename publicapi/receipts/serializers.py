"""The JSON shapes of the checks of receipts."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class ReceiptCheck(serializers.Serializer[Any]):
    """The result of a check. If the receipt is not genuine, all values but its number are null."""

    receipt = serializers.CharField(allow_null=True, help_text="The receipt number.")
    genuine = serializers.BooleanField(
        help_text="Whether this service issued the receipt, and it was not changed."
    )
    lei = serializers.CharField(allow_null=True)
    period = serializers.CharField(allow_null=True, help_text="2024, or 2024-Q1.")
    sha256 = serializers.CharField(allow_null=True, help_text="Of the file that was filed.")
    records = serializers.IntegerField(allow_null=True)
    signedAt = serializers.DateTimeField(allow_null=True)  # noqa: N815
    replacedBy = serializers.CharField(  # noqa: N815
        allow_null=True,
        help_text="The number of the newest receipt for the same filing, if it is a later one.",
    )
    message = serializers.CharField(
        required=False, help_text="Only if it is not genuine: what is wrong."
    )
