"""Columns of our own: fingerprints of rows, and names that areas register.

A fingerprint is the hash of the content of its row, written with it. It covers the columns that the
model's `CONTENT` names, by revision. A new column of such a table needs a new revision, so that
rows of before keep their fingerprints.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, ClassVar, Protocol, cast

from django.db import models

FINGERPRINT_LENGTH = 70


class Fingerprinted(Protocol):
    """A model whose rows have a fingerprint.

    CONTENT: the columns that it covers, by revision; the last one is written.
    """

    CONTENT: ClassVar[dict[int, tuple[str, ...]]]
    _meta: Any


class FingerprintField(models.CharField):
    """The fingerprint of a row, such as `1:9f86d0…`; it is computed when the row is written.

    Blank for rows that an earlier release wrote.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        fixed = {
            "max_length": FINGERPRINT_LENGTH,
            "blank": True,
            "default": "",
            "db_default": "",  # processes of an earlier version do not know the column
            "editable": False,
            "help_text": "Revision and SHA-256 of the content of the row.",
        }
        super().__init__(*arguments, **{**options, **fixed})

    def deconstruct(self) -> Any:
        name, _, arguments, options = super().deconstruct()
        return name, "django.db.models.CharField", arguments, options

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        fingerprint = fingerprint_row(cast(Fingerprinted, model_instance))
        setattr(model_instance, self.attname, fingerprint)
        return fingerprint


def fingerprint_row(row: Fingerprinted) -> str:
    """Return the fingerprint of a row in memory, as its content will be stored."""
    model = type(row)
    revision = find_latest_revision(model)
    fields = (model._meta.get_field(name) for name in model.CONTENT[revision])
    values = (field.to_python(getattr(row, field.attname)) for field in fields)
    return fingerprint_values(model, revision, values)


def fingerprint_values(model: type[Fingerprinted], revision: int, values: Iterable[Any]) -> str:
    """Return the fingerprint of stored values, in the order of the columns of the revision."""
    content = _CONTENT.encode([model._meta.db_table, *values])
    return f"{revision}:{hashlib.sha256(content.encode('ascii')).hexdigest()}"


def find_latest_revision(model: type[Fingerprinted]) -> int:
    """Return the revision with which rows are written."""
    return max(model.CONTENT)


def find_revision(fingerprint: str, model: type[Fingerprinted]) -> int | None:
    """Return the revision that a fingerprint names, if the model has it."""
    revision, colon, _ = fingerprint.partition(":")
    is_known = (
        colon and revision.isascii() and revision.isdigit() and int(revision) in model.CONTENT
    )
    return int(revision) if is_known else None


def _moment(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    raise TypeError(f"A fingerprint cannot cover {type(value).__name__}.")


_CONTENT = json.JSONEncoder(separators=(",", ":"), default=_moment)


class RegisteredField(models.CharField):
    """A name among `choices`, a function that reads a registry. Rows with other names are refused.

    Migrations see a plain text column: the registry is not part of the database.
    """

    def deconstruct(self) -> Any:
        name, _, arguments, options = super().deconstruct()
        options.pop("choices", None)
        return name, "django.db.models.CharField", arguments, options

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        name = super().pre_save(model_instance, add)
        if add and name not in dict(self.flatchoices):
            table = model_instance._meta.verbose_name_plural
            message = f"No app has registered {str(name)!r} as {self.verbose_name} of {table}."
            raise ValueError(message)
        return name
