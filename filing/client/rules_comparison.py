"""What the rules of another year find in a LAR on this machine, and how that ends."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

from filing.client import checking
from filing.client.checking import (
    CheckedLarFile,
    CheckEnding,
    NotChecked,
    Write,
    require_readable,
)
from filing.edits.edit import EditKind
from filing.edits.facts import EditFacts
from filing.edits.rules_difference import EditTotal, RulesDifference, compare_rules
from filing.lar import foreign_files, parser
from filing.lar.blocks import NotText
from filing.lar.parser import FormatErrors
from filing.lar.years import Period, describe_supported, describe_unsettled, is_supported
from filing.reference.census import Census
from filing.reference.listing import BadLines

_TO_CORRECT = {EditKind.SYNTACTICAL, EditKind.VALIDITY}
_COLUMNS = (
    "edit", "change", "kindBefore", "totalBefore", "notRunBefore",
    "kindAfter", "totalAfter", "notRunAfter", "description",
)  # fmt: skip


def report_difference(
    file: CheckedLarFile, *, rules_year: int, census: Census | None, form: str, write: Write
) -> CheckEnding:
    """Write what the rules of another year find in a file, and return how it would end with them.

    The ending is that of the edits which only the other rules trigger, or by more records. form:
    `text`, `json` for one JSON document, or `csv` for a line per edit. write: called with one piece
    after the other.

    Raises: NotChecked.
    """
    require_readable(file)
    of_file = file.require_period()
    for period in (of_file, Period(rules_year, of_file.quarter)):
        if not is_supported(period):
            raise NotChecked(f"There are no rules of {period}: {describe_supported()}.")
    try:
        with parser.read_format_errors(file.path) as errors:
            facts = EditFacts(of_file, errors.scan.transmittal_sheet, census=census)
            difference = compare_rules(file.path, facts, rules_year, unreadable=errors.rows)
            for piece in _FORMS[form](difference, file, errors):
                write(piece)
            return _ending(difference, is_unread=bool(errors.scan.bad or file.unread))
    except (OSError, NotText, BadLines) as error:
        raise NotChecked(str(error)) from error


def _ending(difference: RulesDifference, *, is_unread: bool) -> CheckEnding:
    if is_unread:
        return CheckEnding.UNREADABLE
    kinds = {edit.after.kind for edit in difference.edits if edit.asks_more and edit.after}
    if kinds & _TO_CORRECT:
        return CheckEnding.TO_BE_CORRECTED
    return CheckEnding.TO_BE_VERIFIED if kinds else CheckEnding.NOTHING_FOUND


def _as_text(
    difference: RulesDifference, file: CheckedLarFile, errors: FormatErrors
) -> Iterator[str]:
    if not errors.scan.lines:
        yield f"{file.given}: {foreign_files.EMPTY_FILE}\n"
        return
    yield f"{file.given}: {file.period}, {checking.describe_records(errors.scan.loans)}.\n"
    for year in (difference.year, difference.other_year):
        yield from (f"{notice}\n" for notice in describe_unsettled([year]))
    yield f"{difference}\n"
    if errors.scan.bad:
        yield f"Lines with formatting errors are left out: {errors.scan.bad:,}.\n"
    for heading, edits in difference.groups:
        yield f"\n{heading}:\n"
        for edit in edits:
            yield f"  {edit.code}  {edit.text}\n"
            for year, side in ((difference.year, edit.before), (difference.other_year, edit.after)):
                yield f"    {year}: {side or 'no such edit'}\n"
    if difference.edits and not difference.listed:
        yield "\nThis file triggers none of them.\n"


def _as_json(
    difference: RulesDifference, file: CheckedLarFile, errors: FormatErrors
) -> Iterator[str]:
    document = {
        "file": file.given.name,
        "period": str(file.period),
        "loans": errors.scan.loans,
        "rules": _rules(difference.year, difference.rulebook),
        "comparedWith": _rules(difference.other_year, difference.other_rulebook),
        "description": str(difference),
        "edits": [
            {
                "edit": edit.code,
                "change": edit.change.value,
                "description": edit.text,
                "before": _side(edit.before),
                "after": _side(edit.after),
            }
            for edit in difference.listed
        ],
        "differing": len(difference.edits),
        "unchanged": difference.unchanged,
    }
    yield f"{json.dumps(document, ensure_ascii=False)}\n"


def _side(edit: EditTotal | None) -> dict[str, Any] | None:
    if edit is None:
        return None
    return {"kind": edit.kind.value, "total": edit.total, "notRun": edit.reason or None}


def _as_csv(
    difference: RulesDifference, file: CheckedLarFile, errors: FormatErrors
) -> Iterator[str]:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for edit in difference.listed:
        sides = (_cells(edit.before), _cells(edit.after))
        writer.writerow((edit.code, edit.change.value, *sides[0], *sides[1], edit.text))
    yield text.getvalue()


def _cells(edit: EditTotal | None) -> tuple[str, int | str, str]:
    if edit is None:
        return "", "", ""
    return edit.kind.value, "" if edit.reason else edit.total, edit.reason


_FORMS: dict[str, Callable[[RulesDifference, CheckedLarFile, FormatErrors], Iterator[str]]] = {
    "text": _as_text,
    "json": _as_json,
    "csv": _as_csv,
}


def _rules(year: int, rulebook: int) -> dict[str, int | bool]:
    return {"year": year, "rulebook": rulebook, "provisional": year != rulebook}
