"""Columns of our own: fingerprints of rows, and names that areas register.

A fingerprint authenticates the content of its row, and is written with it. It covers the columns
that the model's `CONTENT` names, by revision. A new column of such a table needs a new revision, so
that rows of before keep their fingerprints. It is made with a key that is not in the database, so
whoever can write to the tables cannot make one.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, ClassVar, Protocol, cast

from django.db import models

from filing.derived_keys import derive_keys

FINGERPRINT_LENGTH = 70
_PURPOSE = b"fingerprints of evidence"
_NONCE_BYTES = 8
_CODE_BYTES = 20  # 160 bits, as long as fits


class Fingerprinted(Protocol):
    """A model whose rows have a fingerprint.

    CONTENT: the columns that it covers, by revision; the last one is written.
    """

    CONTENT: ClassVar[dict[int, tuple[str, ...]]]
    _meta: Any


class FingerprintField(models.CharField):
    """The fingerprint of a row, such as `2:5d41402a.9f86d0…`; it is computed when it is written.

    That is the revision, a random number, which makes a copy of a row recognizable, and the HMAC of
    both and of the content. Release 1.0.0 wrote the revision and the SHA-256 of the content.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        fixed = {
            "max_length": FINGERPRINT_LENGTH,
            "blank": True,
            "default": "",
            "db_default": "",  # processes of an earlier version do not know the column
            "editable": False,
            "help_text": "Revision and authentication code of the content of the row.",
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
    """Return a new fingerprint of a row in memory, as its content will be stored."""
    model = type(row)
    revision = find_latest_revision(model)
    nonce = secrets.token_hex(_NONCE_BYTES)
    content = _encode(model, _stored_values(row, revision))
    return f"{revision}:{nonce}.{_code(derive_keys(_PURPOSE)[0], nonce, content)}"


def is_authentic_row(row: models.Model) -> bool:
    """Tell whether the service wrote a row that has a fingerprint."""
    written = cast(Fingerprinted, row)
    model, fingerprint = type(written), str(row.__dict__["fingerprint"])
    revision = find_revision(fingerprint, model)
    return revision is not None and is_authentic(
        model, fingerprint, _stored_values(written, revision)
    )


def is_authentic(model: type[Fingerprinted], fingerprint: str, values: Iterable[Any]) -> bool:
    """Tell whether the service wrote a row with these values.

    values: in the order of the columns of the revision that the fingerprint names.
    """
    nonce, point, code = fingerprint.partition(":")[2].partition(".")
    content = _encode(model, values)
    return bool(point) and any(
        hmac.compare_digest(code.encode(), _code(key, nonce, content).encode())
        for key in derive_keys(_PURPOSE)
    )


def hash_values(model: type[Fingerprinted], fingerprint: str, values: Iterable[Any]) -> str:
    """Return the SHA-256 of the content of a row and its fingerprint, which anyone can compute."""
    return hashlib.sha256(_encode(model, [fingerprint, *values])).hexdigest()


def _stored_values(row: Fingerprinted, revision: int) -> list[Any]:
    model = type(row)
    fields = (model._meta.get_field(name) for name in model.CONTENT[revision])
    return [field.to_python(getattr(row, field.attname)) for field in fields]


def _encode(model: type[Fingerprinted], values: Iterable[Any]) -> bytes:
    return _CONTENT.encode([model._meta.db_table, *values]).encode("ascii")


def _code(key: bytes, nonce: str, content: bytes) -> str:
    return hmac.digest(key, nonce.encode() + b"." + content, "sha256")[:_CODE_BYTES].hex()


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
