"""Runs the conversion of spreadsheets for a request: limits, temporary files, refusals.

A few requests of a web process do it at once. Whatever is written lies in a folder that is removed
at the end, also after an error; an error of our own is raised again without the values in its text.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError

from filing import errors
from filing.reference_data import registry
from filing.requests.slots import Slots
from filing.spreadsheets import back, conversion, matching, reading, refusals
from filing.spreadsheets import options as parts
from filing.spreadsheets.back import Spreadsheet
from filing.spreadsheets.conversion import Conversion
from filing.spreadsheets.limits import Limits
from filing.spreadsheets.matching import Matching
from filing.spreadsheets.options import Options

WAIT_SECONDS = 30  # as long as a large spreadsheet takes
RETRY_SECONDS = 10
_OF_THE_MACHINE = (OSError, MemoryError, DatabaseError)  # their texts name no values


class FileRefusal(errors.Refusal):
    """The file or a wish cannot be used. report: why no file can be written, if one was made."""

    def __init__(self, refusal: refusals.Refusal) -> None:
        super().__init__(refusal.message)
        self.status = refusal.status
        self.report = refusal.report


class Failure(Exception):
    """An error of our own. The text names its kind, and none of the values it was about."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """The parts `map`, `sheet` and `options` of a call."""

    mapping: Mapping[str, str | None] = field(default_factory=dict)
    sheet: Mapping[str, str] = field(default_factory=dict)
    options: Options = field(default_factory=Options)


def wishes(
    *,
    mapping: Mapping[str, Any] | None = None,
    sheet: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Wishes:
    """Return the wishes in JSON objects. Raises: FileRefusal, naming an unknown key or value."""
    with known_refusals():
        return Wishes(parts.mapping(mapping), parts.sheet(sheet), parts.options(options))


def matched(path: Path, wishes: Wishes) -> Matching:
    """Return which column of a spreadsheet is for which field.

    Raises: FileRefusal, Busy.
    """
    with _place(), known_refusals():
        table = reading.open_table(
            path, mapping=wishes.mapping, options=wishes.options, limits=_limits()
        )
        return matching.match(table, wishes.mapping, near=wishes.options.near)


@contextmanager
def converted(
    path: Path, wishes: Wishes, *, year: int | None = None, quarter: str = ""
) -> Iterator[Conversion]:
    """Convert a spreadsheet, and give the result with its files, which are removed at the end.

    quarter: `Q1`, `Q2`, `Q3`, or a blank.
    Raises: FileRefusal, Busy.
    """
    with _folder() as folder:
        with _place(), known_refusals():
            result = conversion.convert(
                path,
                folder=folder,
                year=year,
                quarter=quarter,
                mapping=wishes.mapping,
                sheet=wishes.sheet,
                options=wishes.options,
                census=registry.census_also_without_database,
                limits=_limits(),
            )
        yield result


@contextmanager
def written_back(
    path: Path, *, kind: str, names: str, with_sheet: bool = False
) -> Iterator[Spreadsheet]:
    """Write a pipe file as a spreadsheet, and give it; it is removed at the end.

    Raises: FileRefusal, Busy.
    """
    with _folder() as folder:
        with _place(), known_refusals():
            result = back.spreadsheet(
                path, folder=folder, kind=kind, names=names, with_sheet=with_sheet
            )
        yield result


@contextmanager
def known_refusals() -> Iterator[None]:
    """Turn refusals of the conversion into those of the service.

    Raises: FileRefusal; Failure in place of any other error, whose text could hold values.
    """
    try:
        yield
    except refusals.Refusal as refusal:
        raise FileRefusal(refusal) from None
    except (errors.Refusal, *_OF_THE_MACHINE):
        raise
    except Exception as error:
        failure = Failure(f"{type(error).__name__} in the conversion of a spreadsheet")
        raise failure.with_traceback(error.__traceback__) from None


def _limits() -> Limits:
    return Limits(
        size=settings.PUBLIC_UPLOAD_LIMIT,
        rows=settings.SPREADSHEET_ROWS,
        columns=settings.SPREADSHEET_COLUMNS,
    )


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR, prefix="lar-") as folder:
        yield Path(folder)


@contextmanager
def _place() -> Iterator[None]:
    """Take a place of those that work on spreadsheets at once. Raises: Busy."""
    with _slots().take(wait_seconds=WAIT_SECONDS):
        yield


@cache
def _slots() -> Slots:
    return Slots(settings.SPREADSHEET_CONVERSIONS, busy)


def busy() -> errors.Busy:
    """Return the refusal of a caller who waited too long for a place."""
    return errors.Busy(
        f"Other spreadsheets are being converted. Try again in {RETRY_SECONDS} seconds.",
        RETRY_SECONDS,
    )
