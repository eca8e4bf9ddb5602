"""The process that converts a spreadsheet: `python -m filing.spreadsheets.conversion_program`.

It reads a pickled `ConversionCall` from standard input, and writes to standard output a JSON object
with `result`, `refusal` or `error`, an error of our own. It needs no Django, so that it starts
quickly.
"""

from __future__ import annotations

import json
import pickle
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from filing.lar import years
from filing.lar.setting_words import use_setting_words
from filing.spreadsheets import (
    accepted_files,
    aliases,
    conversion,
    matching,
    questions,
    reading,
    text_files,
    written_files,
)
from filing.spreadsheets.accepted_files import MissingHeader, ReadingLimits, SpreadsheetRefusal
from filing.spreadsheets.confined_conversion import PACKED_NAME, ConversionCall
from filing.spreadsheets.confinement import limit_process
from filing.spreadsheets.options import ConversionOptions

_READ = 1 << 20


def main() -> None:
    """Answer the call on standard input."""
    call: ConversionCall = pickle.load(sys.stdin.buffer)  # noqa: S301 -- the service wrote it
    limit_process(seconds=call.seconds, memory=call.memory)
    years.use_source(lambda: call.years, today=lambda: call.today)
    aliases.use_source(lambda: call.aliases)
    with use_setting_words(call.words):
        sys.stdout.buffer.write(json.dumps(_answer(call)).encode())


def _answer(call: ConversionCall) -> dict[str, Any]:
    try:
        return {"result": _CALLS[call.name](**call.arguments)}
    except SpreadsheetRefusal as refusal:
        what = [refusal.status, refusal.message, refusal.report, isinstance(refusal, MissingHeader)]
        return {"refusal": what}
    except OSError as error:
        path = str(error.filename) if error.filename else None
        return {"system": [error.errno, error.strerror or str(error), path]}
    except MemoryError:
        raise
    except Exception as error:
        places = "".join(traceback.format_tb(error.__traceback__))
        return {"error": f"{type(error).__name__} in the conversion of a spreadsheet\n{places}"}


def _match(
    path: Path, mapping: Mapping[str, str | None], options: ConversionOptions, limits: ReadingLimits
) -> dict[str, Any]:
    table = reading.open_table(path, mapping=mapping, options=options, limits=limits)
    matched = matching.match_columns(
        table, mapping, near=options.near, without_hidden=options.without_hidden
    )
    asked = [one.as_json(matched) for one in questions.find_questions(matched, options)]
    return {
        "columns": {**matched.as_json(), "questions": asked},
        "transmittal_sheet": {name: one.text for name, one in table.transmittal_sheet.items()},
    }


def _convert(
    path: Path,
    *,
    folder: Path,
    limits: ReadingLimits,
    first: int,
    shown: int,
    packs: bool,
    **wishes: Any,
) -> dict[str, Any]:
    is_text = accepted_files.find_workbook_kind(path, limits) is None
    if is_text and text_files.detect_text(path).is_pipe_file:
        _require_few_lines(path, limits)
    made = conversion.convert_spreadsheet(path, folder=folder, limits=limits, **wishes)
    if packs:
        with folder.joinpath(PACKED_NAME).open("wb") as file:
            made.write_zip(file)
    return {
        "name": made.name,
        "lar": str(made.lar),
        "period": [made.period.year, made.period.quarter],
        "report": made.report(first=first),
        "changes_by_rule": [asdict(group) for group in made.lists.changes_by_rule(shown)],
        "finding_groups": [asdict(group) for group in made.lists.finding_groups(shown)],
    }


def _write(path: Path, *, limits: ReadingLimits, **wishes: Any) -> dict[str, Any]:
    _require_few_lines(path, limits)
    written = written_files.write_spreadsheet(path, **wishes)
    return {**asdict(written), "path": str(written.path)}


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


_CALLS: dict[str, Callable[..., dict[str, Any]]] = {
    "match": _match,
    "convert": _convert,
    "write": _write,
}


if __name__ == "__main__":
    main()
