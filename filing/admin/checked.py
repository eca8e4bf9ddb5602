"""Lets a form refuse what an import refuses, in the same words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.core.exceptions import ValidationError

Value = TypeVar("Value")


def checked(check: Callable[[str], Value], text: str) -> Value:
    """Return what the check makes of a text.

    Raises: ValidationError with the sentence of the check's ValueError.
    """
    try:
        return check(text)
    except ValueError as error:
        raise ValidationError(f"{error}.") from error
