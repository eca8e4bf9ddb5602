"""Runs the conversion of spreadsheets for a request: limits, temporary files, refusals.

A few requests of a web process do it at once. Whatever is written lies in a folder that is removed
at the end, also after an error, and a file before it is sent; an error of our own is raised again
without the values in its text.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpResponseBase

from filing import errors
from filing.files import responses
from filing.files.responses import StreamedAnswer
from filing.lar.years import supported_years
from filing.reference.census import Census
from filing.reference_data import registry
from filing.requests import RequestSlots
from filing.spreadsheets import accepted_files, confined_conversion
from filing.spreadsheets import options as parts
from filing.spreadsheets.accepted_files import ReadingLimits
from filing.spreadsheets.confined_conversion import ConvertedFile, MatchedFile, ProgramError
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.written_files import WrittenSpreadsheet

SHOWN = 20  # changes of each rule, and findings of each edit, on a page
WAIT_SECONDS = 30  # as long as a large spreadsheet takes
RETRY_SECONDS = 10
_OF_THE_MACHINE = (OSError, MemoryError, DatabaseError)  # their texts name no values
_PIECE_BYTES = 1 << 20


class FileRefusal(errors.Refusal):
    """The file or a wish cannot be used. report: why no file can be written, if one was made."""

    def __init__(self, refusal: accepted_files.SpreadsheetRefusal) -> None:
        super().__init__(refusal.message)
        self.status = refusal.status
        self.report = refusal.report


class ConversionFailure(Exception):
    """An error of our own. The text names its kind, and none of the values it was about."""


@dataclass(frozen=True, slots=True)
class ConversionWishes:
    """The parts `map`, `sheet` and `options` of a call."""

    mapping: Mapping[str, str | None] = field(default_factory=dict)
    sheet: Mapping[str, str] = field(default_factory=dict)
    options: ConversionOptions = field(default_factory=ConversionOptions)


def read_wishes(
    *,
    mapping: Mapping[str, Any] | None = None,
    sheet: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> ConversionWishes:
    """Return the wishes in JSON objects. Raises: FileRefusal, naming an unknown key or value."""
    with translate_refusals():
        return ConversionWishes(
            parts.parse_mapping(mapping), parts.parse_sheet(sheet), parts.parse_options(options)
        )


def match_columns(path: Path, wishes: ConversionWishes) -> MatchedFile:
    """Return which column of a spreadsheet is for which field.

    Raises: FileRefusal, Busy.
    """
    with _conversion_slot(), translate_refusals():
        return confined_conversion.match_columns(
            path, mapping=wishes.mapping, options=wishes.options, limits=_limits()
        )


@contextmanager
def convert_spreadsheet(
    path: Path,
    wishes: ConversionWishes,
    *,
    year: int | None = None,
    quarter: str = "",
    packs: bool = False,
) -> Iterator[ConvertedFile]:
    """Convert a spreadsheet, and give the result with its files, which are removed at the end.

    quarter: `Q1`, `Q2`, `Q3`, or a blank. packs: whether the zip of all files is written.
    Raises: FileRefusal, Busy.
    """
    with _folder() as folder:
        with _conversion_slot(), translate_refusals():
            result = confined_conversion.convert_spreadsheet(
                path,
                folder=folder,
                year=year,
                quarter=quarter,
                mapping=wishes.mapping,
                sheet=wishes.sheet,
                options=wishes.options,
                census=_find_censuses(year).get,
                limits=_limits(),
                shown=SHOWN,
                packs=packs,
            )
        yield result


@contextmanager
def write_spreadsheet(
    path: Path, *, kind: str, names: str, with_sheet: bool = False
) -> Iterator[WrittenSpreadsheet]:
    """Write a pipe file as a spreadsheet, and give it; it is removed at the end.

    Raises: FileRefusal, Busy.
    """
    with _folder() as folder:
        with _conversion_slot(), translate_refusals():
            result = confined_conversion.write_spreadsheet(
                path,
                limits=_limits(),
                folder=folder,
                kind=kind,
                names=names,
                with_sheet=with_sheet,
            )
        yield result


@contextmanager
def translate_refusals() -> Iterator[None]:
    """Turn refusals of the conversion into those of the service.

    Raises: FileRefusal; ConversionFailure in place of another error, whose text could hold values.
    """
    try:
        yield
    except accepted_files.SpreadsheetRefusal as refusal:
        raise FileRefusal(refusal) from None
    except (errors.Refusal, ProgramError, *_OF_THE_MACHINE):
        raise
    except Exception as error:
        failure = ConversionFailure(f"{type(error).__name__} in the conversion of a spreadsheet")
        raise failure.with_traceback(error.__traceback__) from None


def _find_censuses(year: int | None) -> dict[int, Census]:
    """Return the census of a year; of all years, if the file will name its year."""
    found = {
        each: registry.find_census_without_database(each)
        for each in ([year] if year else supported_years())
    }
    return {each: census for each, census in found.items() if census}


def _limits() -> ReadingLimits:
    return ReadingLimits(
        size=settings.PUBLIC_UPLOAD_LIMIT,
        rows=settings.SPREADSHEET_ROWS,
        columns=settings.SPREADSHEET_COLUMNS,
    )


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR, prefix="lar-") as folder:
        yield Path(folder)


@contextmanager
def _conversion_slot() -> Iterator[None]:
    """Take a place of those that work on spreadsheets at once. Raises: Busy."""
    with _slots().take(wait_seconds=WAIT_SECONDS):
        yield


@cache
def _slots() -> RequestSlots:
    return RequestSlots(settings.SPREADSHEET_CONVERSIONS, refuse_busy)


def refuse_busy() -> errors.Busy:
    """Return the refusal of a caller who waited too long for a place."""
    return errors.Busy(
        f"Other spreadsheets are being converted. Try again in {RETRY_SECONDS} seconds.",
        RETRY_SECONDS,
    )


def answer_with_file(name: str, path: Path, content_type: str) -> HttpResponseBase:
    """Return a file as an answer that goes on when the file is removed: no name leads to it."""
    with ExitStack() as stack:
        file = stack.enter_context(path.open("rb"))
        answer = StreamedAnswer(lambda: _pieces(file), stack)
    return responses.stream_attachment(name, answer, content_type=content_type)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(_PIECE_BYTES):
        yield piece
