"""`hmda convert`: a spreadsheet becomes a LAR on this machine, with every finding at its cell."""

from __future__ import annotations

import json
import shutil
import tempfile
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from filing.client import checking
from filing.client.checking import SUMMARIES, UNREAD, CheckEnding, NotChecked, Write, unread_cells
from filing.lar.setting_words import use_setting_words
from filing.reference import census
from filing.reference.census import Census
from filing.spreadsheets import confined_conversion, options
from filing.spreadsheets.accepted_files import ReadingLimits, SpreadsheetRefusal
from filing.spreadsheets.confined_conversion import ConvertedFile

PARTS = ("map", "sheet", "options")
# Of messages, by setting: what to do with the options of the command.
SETTING_WORDS = {
    "as_typed": "add --option asTyped=true",
    "header": "add --option header=NUMBER with the row of the headings",
    "hidden": "add --option leaveOutHidden=true to leave them out",
    "map": "add --map HEADER=FIELD to say which",
    "sheet": "add --option sheet=NAME",
    "sheets": "add --option sheet=NAME, or --option 'sheet=*' for all with the same headers",
    "year": "Add --year 2025, or a transmittal sheet with the year.",
}
_SHEET_HINT = ", add fields of the transmittal sheet with --transmittal FIELD=VALUE"
_MORE = "--json lists the first 1,000 findings"
_KINDS = {
    "reading": UNREAD,
    "format": "Formatting errors",
    "syntactical": "Syntactical edits",
    "validity": "Validity edits",
    "quality": "Quality edits",
}


def convert_file(
    arguments: Namespace, *, say_rules: Callable[[int], None], write: Write
) -> CheckEnding:
    """Convert a spreadsheet, save the LAR, write the report, and return how it ended.

    say_rules: tells the user if the rules of a year are not those of this client.
    Raises: NotChecked, OSError.
    """
    try:
        parts = read_parts(arguments)
        with (
            use_setting_words(SETTING_WORDS),
            tempfile.TemporaryDirectory(prefix="convert-") as folder,
        ):
            if arguments.columns:
                write(_describe_columns(arguments, parts))
                return CheckEnding.NOTHING_FOUND
            result = confined_conversion.convert_spreadsheet(
                arguments.path,
                folder=Path(folder),
                limits=ReadingLimits(),
                year=arguments.year,
                quarter=arguments.quarter or "",
                mapping=options.parse_mapping(parts["map"]),
                sheet=options.parse_sheet(parts["sheet"]),
                options=options.parse_options(parts["options"]),
                census=partial(_read_census, arguments.census and arguments.census.resolve()),
            )
            say_rules(result.period.year)
            return _save_and_report(arguments, result, write)
    except SpreadsheetRefusal as refusal:
        raise NotChecked(refusal.message) from None


def _read_census(path: Path | None, year: int) -> Census | None:
    """Return the census facts of a file, once the year is known. Raises: SpreadsheetRefusal."""
    if path is None:
        return None
    try:
        return census.build_census(census.read_census(path.read_bytes(), year=year))
    except (OSError, ValueError) as error:
        raise SpreadsheetRefusal(400, str(error)) from None


def find_ending(report: Mapping[str, Any]) -> CheckEnding:
    """Return how a conversion ends, by its report: the macro edits are left to `hmda check`."""
    kinds = report["findings"]["byKind"]
    if not report["canWrite"] or kinds["format"] or unread_cells(report):
        return CheckEnding.UNREADABLE
    if kinds["syntactical"] or kinds["validity"]:
        return CheckEnding.TO_BE_CORRECTED
    return (
        CheckEnding.TO_BE_VERIFIED
        if kinds["reading"] or kinds["quality"]
        else CheckEnding.NOTHING_FOUND
    )


def read_parts(arguments: Namespace) -> dict[str, dict[str, Any]]:
    """Return `map`, `sheet` and `options` of the arguments, in the form that the API takes.

    Raises: NotChecked, naming the argument; OSError.
    """
    parts: dict[str, dict[str, Any]] = {name: {} for name in PARTS}
    if arguments.settings:
        parts |= _settings(arguments.settings)
    parts["map"] |= {key: value or None for key, value in _pairs("--map", arguments.map)}
    parts["sheet"] |= dict(_pairs("--transmittal", arguments.transmittal))
    for key, value in _pairs("--option", arguments.option):
        if key == "fill":
            raise NotChecked("Write the values for blank cells as --fill FIELD=VALUE.")
        name, _, field = key.partition(".")
        if field:  # the answer for one column: --option dates.application_date=dmy
            answers = parts["options"].get(name)
            parts["options"][name] = {
                **(answers if isinstance(answers, dict) else {}),
                field: value,
            }
        else:
            parts["options"][name] = _plain(value)
    if fill := dict(_pairs("--fill", arguments.fill)):
        parts["options"]["fill"] = {**parts["options"].get("fill", {}), **fill}
    return parts


def _settings(path: Path) -> dict[str, dict[str, Any]]:
    try:
        parts = json.loads(path.read_bytes())
    except ValueError as error:
        raise NotChecked(f"{path} is not JSON: {error}") from None
    if not isinstance(parts, dict) or not set(parts) <= set(PARTS):
        raise NotChecked(f"{path} must be a JSON object with {', '.join(PARTS)}.")
    if wrong := [name for name, part in parts.items() if not isinstance(part, dict)]:
        raise NotChecked(f"{wrong[0]} in {path} must be a JSON object.")
    return parts


def _pairs(option: str, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    for word in words:
        name, separator, value = word.rpartition("=") if option == "--map" else word.partition("=")
        if not separator or not name:
            raise NotChecked(f"{option} {word!r} has no name; write NAME=VALUE.")
        yield name, value


def _plain(text: str) -> Any:
    """Return true, false or a number for the text of one, and any other text as it is."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, (bool, int)) else text


def _save_and_report(arguments: Namespace, result: ConvertedFile, write: Write) -> CheckEnding:
    report = result.report
    target = arguments.output or Path(result.name)
    if report["canWrite"]:
        if not arguments.output and target.exists():
            raise NotChecked(f"{target} exists; name the file with -o.")
        shutil.copyfile(result.lar, target)
    saved = str(target) if report["canWrite"] else None
    if arguments.json:
        write(json.dumps({"output": saved, **report}, indent=2, ensure_ascii=False) + "\n")
    else:
        for line in _lines(arguments.path, report, saved):
            write(f"{line}\n")
    return find_ending(report)


def _describe_columns(arguments: Namespace, parts: Mapping[str, Any]) -> str:
    choices = options.parse_options(parts["options"])
    answer = confined_conversion.match_columns(
        arguments.path,
        mapping=options.parse_mapping(parts["map"]),
        options=choices,
        limits=ReadingLimits(),
    ).columns
    if arguments.json:
        return json.dumps(answer, indent=2, ensure_ascii=False) + "\n"
    lines = [f"{arguments.path}: {_place(answer)}, {_rows(answer)}."]
    for column in answer["columns"]:
        field, reason = column["field"] or "not used", column["reason"]
        is_near = column["matched"] == "near"
        is_used = choices.near if is_near else not reason
        near = f"near {field}: add --option near=true or --map. " if is_near else ""
        lines.append(
            f"  {column['column']:<4}{column['header']!r}: {field if is_used else 'not used'}"
            + (f"; {near}{reason}" if reason else "")
        )
    lines += _left_out(answer)
    lines += [conflict["message"] for conflict in answer["conflicts"]]
    lines += _questions(answer["questions"])
    if answer["missing"]:
        lines.append(f"Fields without a column: {', '.join(answer['missing'])}.")
    return "\n".join(lines) + "\n"


def _questions(asked: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each question about a column that no one has answered."""
    for question in asked:
        if not question["answer"]:
            yield f"{question['question']} Cells {question['cells']}:"
            for choice in question["choices"]:
                field = f".{question['field']}" if question["field"] else ""
                option = f"--option '{question['kind']}{field}={choice['value']}'"
                default = " (default)" if choice["value"] == question["default"] else ""
                yield f"  {option}{default}: {choice['text']}"


def _place(file: Mapping[str, Any]) -> str:
    """Return where in a file its records are, in words."""
    if file["kind"] == "pipe":
        return "a pipe-delimited file"
    text = file["encoding"] if file["sheet"] is None else f"sheet {file['sheet']!r}"
    header = f"header in row {file['header']}" if file["header"] else "columns by place"
    return f"{text}, {header}"


def _left_out(file: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is left out, and what a reader of the spreadsheet may not see."""
    yield from file.get("notices", ())
    for row in file["leftOut"]:
        sheet = f"Sheet {row['sheet']}: " if row.get("sheet") else ""
        yield f"{sheet}Row {row['row']:,} is left out. {row['why']}"
    if (more := file["leftOutTotal"] - len(file["leftOut"])) > 0:
        yield f"And {more:,} more."


def _rows(file: Mapping[str, Any]) -> str:
    return f"{file['rows']:,} row{'' if file['rows'] == 1 else 's'}"


def _lines(path: Path, report: Mapping[str, Any], saved: str | None) -> Iterator[str]:
    file, changes, findings = report["file"], report["changes"], report["findings"]
    yield f"{path}: {_place(file)}, {_rows(file)}."
    if saved:
        records = checking.describe_records(file["lines"] - 1)
        yield f"{saved}: {records} and the transmittal sheet."
    else:
        yield "No file was written:"
        yield from (f"  {problem}" for problem in report["problems"])
    yield from _left_out(file)
    unused = [
        column["header"] or column["column"] for column in report["columns"] if not column["field"]
    ]
    if unused:
        yield f"Columns not used: {', '.join(unused)}."
    yield from _questions(report["questions"])
    if changes["total"]:
        rules = ", ".join(f"{rule} {total:,}" for rule, total in changes["byRule"].items() if total)
        yield f"Values changed: {changes['total']:,} ({rules}); --json lists them."
    for kind, title in _KINDS.items():
        of_kind = [finding for finding in findings["first"] if finding["kind"] == kind]
        yield from checking.list_findings(title, of_kind, findings["byKind"][kind], more=_MORE)
    if report["notRun"]:
        yield f"\nNot checked: {', '.join(report['notRun'])}; macro edits run with hmda check."
    yield f"\n{_summary(report)}"


def _summary(report: Mapping[str, Any]) -> str:
    if not report["canWrite"]:
        lacks_sheet = any(finding["line"] == 1 for finding in report["findings"]["first"])
        sheet = _SHEET_HINT if lacks_sheet else ""
        return f"Correct these cells{sheet}, or add --option asTyped=true."
    return SUMMARIES[find_ending(report)]
