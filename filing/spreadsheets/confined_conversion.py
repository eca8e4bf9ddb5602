"""Conversions of untrusted spreadsheets in a process of their own, and what they hand back.

A spreadsheet that becomes a LAR takes many times the memory of its file. The process that asks
keeps none of it: it gets the counts and the first entries of lists, and the names of files.
"""

from __future__ import annotations

import json
import pickle
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filing.lar import years
from filing.lar.setting_words import copy_setting_words
from filing.lar.years import Period
from filing.reference.census import Census
from filing.spreadsheets.accepted_files import (
    MEGABYTE,
    MissingHeader,
    ReadingLimits,
    SpreadsheetRefusal,
)
from filing.spreadsheets.aliases import HeaderAlias, list_staff_aliases
from filing.spreadsheets.confinement import LimitsExceeded, run_confined_program
from filing.spreadsheets.conversion import FIRST
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.reports import ReportGroup
from filing.spreadsheets.written_files import WrittenSpreadsheet

PACKED_NAME = "answer.zip"
_PROGRAM = "filing.spreadsheets.conversion_program"
# Allocators that keep no more than they use, since what they keep counts.
_ENVIRONMENT = {
    "MALLOC_ARENA_MAX": "2",
    "OPENBLAS_NUM_THREADS": "1",
    "_RJEM_MALLOC_CONF": "narenas:2,retain:false,dirty_decay_ms:1000,muzzy_decay_ms:0",
}


@dataclass(frozen=True, slots=True)
class MatchedFile:
    """The columns of a spreadsheet with their fields.

    columns: the answer of `POST /v2/public/lar/columns`. transmittal_sheet: texts by field name.
    """

    columns: dict[str, Any]
    transmittal_sheet: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ConvertedFile:
    """A LAR that was made from a spreadsheet, as `Conversion` describes it.

    report: with the first changes and findings. changes_by_rule, finding_groups: with a few of
    each. packed: the zip.
    """

    name: str
    lar: Path
    packed: Path
    period: Period
    report: dict[str, Any]
    changes_by_rule: list[ReportGroup]
    finding_groups: list[ReportGroup]

    def require_writable(self) -> None:
        """Raises: SpreadsheetRefusal (422, with the report), if the file cannot be written."""
        if problems := self.report["problems"]:
            raise SpreadsheetRefusal(422, " ".join(problems), self.report)


class ProgramError(Exception):
    """An error of our own in the other process: its kind and places, without any values."""


@dataclass(frozen=True, slots=True)
class ConversionCall:
    """A call of the other process. years, today: as of `years.copy_source`.

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
    return MatchedFile(**_call("match", path, limits, mapping=mapping, options=options))


def convert_spreadsheet(
    path: Path,
    *,
    folder: Path,
    limits: ReadingLimits,
    census: Callable[[int], Census | None] | None = None,
    first: int = FIRST,
    shown: int = 1,
    packs: bool = False,
    **wishes: Any,
) -> ConvertedFile:
    """Convert a file. census: of a year, by a function that the other process can call.

    first: how many changes and findings the report lists. shown: how many each group lists. packs:
    whether the zip is written. wishes: other arguments of `conversion.convert_spreadsheet`.
    Raises: SpreadsheetRefusal; ProgramError.
    """
    folder = folder.resolve()
    own = {"census": census, "first": first, "shown": shown, "packs": packs}
    result = _call("convert", path, limits, folder=folder, **own, **wishes)
    result |= {"lar": Path(result["lar"]), "period": Period(*result["period"])}
    for groups in ("changes_by_rule", "finding_groups"):
        result[groups] = [ReportGroup(**group) for group in result[groups]]
    return ConvertedFile(packed=folder / PACKED_NAME, **result)


def write_spreadsheet(
    path: Path, *, folder: Path, limits: ReadingLimits, **wishes: Any
) -> WrittenSpreadsheet:
    """Write a pipe file as a spreadsheet. wishes: arguments of `written_files.write_spreadsheet`.

    Raises: SpreadsheetRefusal; ProgramError.
    """
    result = _call("write", path, limits, folder=folder.resolve(), **wishes)
    return WrittenSpreadsheet(**{**result, "path": Path(result["path"])})


def _call(name: str, path: Path, limits: ReadingLimits, **arguments: Any) -> dict[str, Any]:
    """Return the result of a call. Raises: SpreadsheetRefusal; ProgramError; OSError."""
    call = ConversionCall(
        name,
        {"path": path.resolve(), "limits": limits, **arguments},
        *years.copy_source(),
        list_staff_aliases(),
        limits.seconds,
        limits.memory,
        copy_setting_words(),
    )
    with tempfile.TemporaryFile() as output:
        try:
            run_confined_program(
                _PROGRAM,
                seconds=2 * limits.seconds,  # beside other processes; its own limit is of work
                output=output,
                content=pickle.dumps(call),
                environment=_ENVIRONMENT,
            )
        except LimitsExceeded:
            raise SpreadsheetRefusal(
                413,
                f"The file takes more than {limits.seconds} seconds or "
                f"{limits.memory // MEGABYTE:,} MB of memory: at most {limits.rows:,} "
                f"rows and {limits.columns:,} columns are accepted. Split it.",
            ) from None
        output.seek(0)
        answer: dict[str, Any] = json.load(output)
    if "refusal" in answer:
        status, message, report, is_without_header = answer["refusal"]
        if is_without_header:
            raise MissingHeader(message)
        raise SpreadsheetRefusal(status, message, report)
    if "system" in answer:
        raise OSError(*answer["system"])
    if "error" in answer:
        raise ProgramError(answer["error"])
    result: dict[str, Any] = answer["result"]
    return result
