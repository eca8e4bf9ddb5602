"""Values before and after a change, as people read them: `Quarterly filer: no → yes`."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any

from django.db.models import BooleanField, DateTimeField, Field
from django.utils import timezone
from django.utils.formats import localize
from django.utils.text import capfirst

BLANK = "(blank)"
_FLAGS = {"true": "yes", "false": "no"}
_EMPTY = {"", "None"}


def describe_change(label: str, before: Any, after: Any, *, field: Any = None) -> str:
    """Return a change in one line. field: the column, whose choices have words for the values."""
    values = (describe_value(value, field=field) for value in (before, after))
    return f"{capfirst(label)}: {' → '.join(values)}"


def describe_value(value: Any, *, field: Any = None) -> str:
    """Return a value, or its text in a log, in words and in the time zone of the page."""
    if value is None or str(value) in _EMPTY:
        return BLANK
    if isinstance(value, bool) or isinstance(field, BooleanField):
        return _FLAGS.get(str(value).lower(), str(value))
    if isinstance(field, Field) and field.flatchoices:
        return str({str(key): label for key, label in field.flatchoices}.get(str(value), value))
    if isinstance(value, str) and isinstance(field, DateTimeField):
        value = _read_moment(value)
    if isinstance(value, str) and value.startswith("["):
        value = _read_list(value)
    if isinstance(value, list | set | frozenset):
        return ", ".join(map(str, value)) or BLANK
    if isinstance(value, datetime) and timezone.is_aware(value):
        value = timezone.localtime(value)
    return str(localize(value)) if isinstance(value, date) else str(value)


def _read_moment(text: str) -> datetime | str:
    """Return the time that a log recorded in UTC, without an offset; other text as it is."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read_list(text: str) -> list[Any] | str:
    try:
        values = json.loads(text)
    except ValueError:
        return text
    return values if isinstance(values, list) else text
