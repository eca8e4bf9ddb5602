"""Conversions of untrusted spreadsheets in a process of their own, and what they hand back.

A spreadsheet that becomes a LAR takes many times the memory of its file. The process that asks
keeps none of it: it gets the counts and the first entries of lists, and the names of files.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from filing.lar import years
from filing.lar.setting_words import copy_setting_words
from filing.lar.years import Period
from filing.reference.census import Census
from filing.spreadsheets import (
    accepted_files,
    conversion,
    matching,
    questions,
    reading,
    text_files,
    written_files,
)
from filing.spreadsheets.accepted_files import MEGABYTE, ReadingLimits, SpreadsheetRefusal
from filing.spreadsheets.aliases import HeaderAlias, list_staff_aliases
from filing.spreadsheets.confinement import LimitsExceeded, run_confined_reader
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.reports import ReportGroup
from filing.spreadsheets.tables import SheetSource
from filing.spreadsheets.written_files import WrittenSpreadsheet

_PROGRAM = "filing.spreadsheets.conversion_program"
_PACKED = "answer.zip"
_READ = 1 << 20
# Allocators that reserve no more than they use, since the limit is one of addresses.
_ENVIRONMENT = {
    "MALLOC_ARENA_MAX": "2",
    "OPENBLAS_NUM_THREADS": "1",
    "_RJEM_MALLOC_CONF": "narenas:2,retain:false,dirty_decay_ms:1000,muzzy_decay_ms:0",
}


@dataclass(frozen=True, slots=True)
class MatchedFile:
    """The columns of a spreadsheet with their fields.

    columns: the answer of `POST /v2/public/lar/columns`. transmittal_sheet: values by field name.
    """

    columns: dict[str, Any]
    transmittal_sheet: Mapping[str, SheetSource]


@dataclass(frozen=True, slots=True)
class ConvertedFile:
    """A LAR that was made from a spreadsheet, as `Conversion` describes it.

    report: with the first changes and findings. changes_by_rule, finding_groups: with a few of
    each. not_run: the codes of edits that did not run, each with its reason. packed: the zip.
    """

    name: str
    lar: Path
    packed: Path
    period: Period
    report: dict[str, Any]
    changes_by_rule: list[ReportGroup]
    finding_groups: list[ReportGroup]
    not_run: list[tuple[str, str]]

    def require_writable(self) -> None:
        """Raises: SpreadsheetRefusal (422, with the report), if the file cannot be written."""
        if problems := self.report["problems"]:
            raise SpreadsheetRefusal(422, " ".join(problems), self.report)


class ProgramError(Exception):
    """An error of our own in the other process: its kind and places, without any values."""


@dataclass(frozen=True, slots=True)
class ConversionCall:
    """A call of the other process. name: of `CALLS`. years, today: as of `years.copy_source`.

    aliases: those that staff added. words: of the settings in messages.
    """

    name: str
    arguments: dict[str, Any]
    years: dict[int, years.YearRules]
    today: Any
    aliases: tuple[HeaderAlias, ...]
    seconds: int
    memory: int
    words: Mapping[str, str]


def match_columns(
    path: Path,
    *,
    mapping: Mapping[str, str | None],
    options: ConversionOptions,
    limits: ReadingLimits,
) -> MatchedFile:
    """Return which column of a spreadsheet is for which field. Raises: SpreadsheetRefusal."""
    wishes = {"mapping": mapping, "options": options, "limits": limits}
    result: MatchedFile = _call("match", limits, {"path": path, **wishes})
    return result


def convert_spreadsheet(
    path: Path, *, limits: ReadingLimits, census: Mapping[int, Census], shown: int, **wishes: Any
) -> ConvertedFile:
    """Convert a file. census: by year. shown: how many changes and findings groups list.

    wishes: other arguments of `conversion.convert_spreadsheet`. packs: whether the zip is written.
    Raises: SpreadsheetRefusal; ProgramError.
    """
    arguments = {"path": path, "limits": limits, "census": census, "shown": shown, **wishes}
    result: ConvertedFile = _call("convert", limits, arguments)
    return result


def write_spreadsheet(path: Path, *, limits: ReadingLimits, **wishes: Any) -> WrittenSpreadsheet:
    """Write a pipe file as a spreadsheet. wishes: arguments of `written_files.write_spreadsheet`.

    Raises: SpreadsheetRefusal; ProgramError.
    """
    result: WrittenSpreadsheet = _call("write", limits, {"path": path, "limits": limits, **wishes})
    return result


def _call(name: str, limits: ReadingLimits, arguments: dict[str, Any]) -> Any:
    """Return the result of a call. Raises: SpreadsheetRefusal; ProgramError."""
    call = ConversionCall(
        name,
        arguments,
        *years.copy_source(),
        list_staff_aliases(),
        limits.seconds,
        limits.conversion_memory,
        copy_setting_words(),
    )
    with tempfile.TemporaryFile() as output:
        try:
            run_confined_reader(
                _PROGRAM,
                "",
                seconds=2 * limits.seconds,  # beside other processes; its own limit is of work
                output=output,
                content=pickle.dumps(call),
                environment=_ENVIRONMENT,
            )
        except LimitsExceeded:
            raise SpreadsheetRefusal(
                413,
                f"The file takes more than {limits.seconds} seconds or "
                f"{limits.conversion_memory // MEGABYTE:,} MB of memory: at most {limits.rows:,} "
                f"rows and {limits.columns:,} columns are accepted. Split it.",
            ) from None
        output.seek(0)
        result = pickle.load(output)  # noqa: S301 -- our own program wrote it
    if isinstance(result, Exception):
        raise result
    return result


def _match(
    path: Path, mapping: Mapping[str, str | None], options: ConversionOptions, limits: ReadingLimits
) -> MatchedFile:
    table = reading.open_table(path, mapping=mapping, options=options, limits=limits)
    matched = matching.match_columns(table, mapping, near=options.near)
    asked = [one.as_json(matched) for one in questions.find_questions(matched, options)]
    return MatchedFile({**matched.as_json(), "questions": asked}, dict(table.transmittal_sheet))


def _convert(
    path: Path,
    *,
    limits: ReadingLimits,
    census: Mapping[int, Census],
    shown: int,
    packs: bool,
    **wishes: Any,
) -> ConvertedFile:
    is_text = accepted_files.find_workbook_kind(path, limits) is None
    if is_text and text_files.detect_text(path).is_pipe_file:
        _require_few_lines(path, limits)
    made = conversion.convert_spreadsheet(path, limits=limits, census=census.get, **wishes)
    packed = made.lar.with_name(_PACKED)
    if packs:
        with packed.open("wb") as file:
            made.write_zip(file)
    return ConvertedFile(
        made.name,
        made.lar,
        packed,
        made.period,
        made.report(),
        made.changes_by_rule(first=shown),
        made.finding_groups(first=shown),
        made.not_run(),
    )


def _write(path: Path, *, limits: ReadingLimits, **wishes: Any) -> WrittenSpreadsheet:
    _require_few_lines(path, limits)
    return written_files.write_spreadsheet(path, **wishes)


def _require_few_lines(path: Path, limits: ReadingLimits) -> None:
    """Refuse a LAR with more records than a spreadsheet may have rows. Raises: SpreadsheetRefusal.

    Its lines can be much shorter than any record, and each of them takes its time.
    """
    with path.open("rb") as file:
        pieces = iter(partial(file.read, _READ), b"")
        ends = [(piece.count(b"\n"), piece.count(b"\r")) for piece in pieces]
    lines = max(map(sum, zip(*ends, strict=True)), default=0)
    if lines > limits.rows + 1:  # of the transmittal sheet
        raise SpreadsheetRefusal(
            413, f"The file has {lines:,} lines: at most {limits.rows:,} records are accepted."
        )


CALLS: dict[str, Callable[..., Any]] = {
    "match": _match,
    "convert": _convert,
    "write": _write,
}
