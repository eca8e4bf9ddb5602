"""One identifier, answered like a list of one line."""

from __future__ import annotations

import polars as pl

from filing.errors import BadInput
from uliapi import batch


def generated(loan_id: str) -> dict[str, str]:
    """Return a loan identifier with its check digits and its ULI.

    Raises: BadInput with the reason why it is invalid.
    """
    answer = batch.generated(pl.Series([loan_id])).row(0, named=True)
    if answer["checkDigit"] == batch.ERROR:
        raise BadInput(answer["uli"])
    return answer


def is_valid(uli: str) -> bool:
    """Return whether a ULI ends in its check digits.

    Raises: BadInput with the reason why it cannot be a ULI.
    """
    answer = batch.validated(pl.Series([uli])).row(0, named=True)["isValid"]
    if answer not in {"true", "false"}:
        raise BadInput(answer)
    return answer == "true"
