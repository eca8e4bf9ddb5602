"""Form validation with the checks and messages of the imports."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.core.exceptions import ValidationError

Value = TypeVar("Value")


def validated(check: Callable[[str], Value], text: str) -> Value:
    """Return the value that a check makes of the text.

    Raises: ValidationError with the message of the check's ValueError.
    """
    try:
        return check(text)
    except ValueError as error:
        raise ValidationError(f"{error}.") from error
