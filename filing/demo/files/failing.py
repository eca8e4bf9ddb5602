"""The plan to make named edits fail in a made-up file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from filing.demo.files import mix
from filing.edits import catalogue, examples
from filing.edits.edit import Edit, Level
from filing.lar.errors import line_errors
from filing.lar.fields import AGENCIES
from filing.lar.period import Period
from filing.lar.years import rulebook_period

Values = Mapping[str, str | int]

WRONG_TOTAL = "S304"
# Edits that a few loans, made for the purpose, cause to fail.
REPEATED_ROW, REPEATED_ORIGINATION, REPEATED_ULI = "S305", "S306", "Q600"
OUT_OF_QUARTER, EXEMPT, NOT_ENTITLED = "S307", "Q646", "Q647"
_OF_SOME_LOANS = frozenset(
    {REPEATED_ROW, REPEATED_ORIGINATION, REPEATED_ULI, OUT_OF_QUARTER, EXEMPT, NOT_ENTITLED}
)
REPEATING = frozenset({REPEATED_ROW, REPEATED_ORIGINATION, REPEATED_ULI})
NON_DEPOSITORY = next(code for code, name in AGENCIES.items() if name == "HUD")


@dataclass(frozen=True, slots=True)
class Plan:
    """The deviations of a file from a correct one.

    mix: macro edits, triggered by the proportions of the loans. sheet: values of the transmittal
    sheet. breaks: by edit, the values that make a correct loan fail it; loans: the edit of each
    failing row. groups: edits of the whole file, with the number of loans made for each.
    """

    mix: frozenset[str] = frozenset()
    sheet: dict[str, str | int] = field(default_factory=dict)
    breaks: dict[str, Values] = field(default_factory=dict)
    loans: list[str] = field(default_factory=list)
    groups: dict[str, int] = field(default_factory=dict)

    @property
    def special_rows(self) -> int:
        """The number of loans that are not made in the usual way."""
        return len(self.loans) + sum(self.groups.values())


def unreadable(period: Period, codes: Iterable[str]) -> list[str]:
    """Return the edits that only values with formatting errors would fail.

    A row made to fail one of them has a formatting error, so no edit runs on it.
    """
    loan = examples.correct_loan(period, "EXAMPLE0000000000001")
    edits = [edit for code in codes if (edit := _edit(code, period)).level is Level.LAR]
    lines = [examples.line({**loan, **edit.breaks}).encode() for edit in edits]
    faulty = line_errors(range(1, len(lines) + 1), lines)
    return [edits[error.line - 2].code for error in faulty]


def plan(period: Period, rows: int, fails: Mapping[str, int]) -> Plan:
    """Return the plan for a file with this number of rows. fails: by edit, how many rows fail it.

    Raises: ValueError for an edit that the period does not have, or an impossible number.
    """
    edits = {code: _edit(code, period) for code in fails}
    for code, count in fails.items():
        is_single = code == WRONG_TOTAL or code in mix.MACRO_CODES or edits[code].level is Level.TS
        if count < 1 or (is_single and count > 1):
            raise ValueError(f"{code} cannot fail {count} times: it fails once or not at all.")
    result = Plan(mix=frozenset(fails) & mix.MACRO_CODES)
    for code, edit in edits.items():
        if edit.level is Level.FILE:
            _plan_file(result, code, fails[code], rows)
        else:
            _plan_record(result, edit, fails[code])
    return result


def _edit(code: str, period: Period) -> Edit:
    """Return the edit with this code; if several levels have it, that of the loans."""
    edits = [edit for edit in catalogue.edits(rulebook_period(period)) if edit.code == code]
    if not edits:
        raise ValueError(f"{period} has no edit {code}.")
    return min(edits, key=lambda edit: edit.level is not Level.LAR)


def _plan_file(result: Plan, code: str, count: int, rows: int) -> None:
    if code == WRONG_TOTAL:
        result.sheet["total_lines"] = rows + 1
    elif code in _OF_SOME_LOANS:
        result.groups[code] = count + (code in REPEATING)
    elif code not in mix.MACRO_CODES:
        raise ValueError(f"This command cannot make {code} fail.")
    if code == NOT_ENTITLED:
        result.sheet["federal_agency"] = NON_DEPOSITORY


def _plan_record(result: Plan, edit: Edit, count: int) -> None:
    if edit.level is Level.TS:
        result.sheet.update(edit.breaks)
        return
    of_sheet = {name for name in edit.breaks if name.startswith("ts.")}
    result.sheet.update({name.removeprefix("ts."): edit.breaks[name] for name in of_sheet})
    result.breaks[edit.code] = {
        name: value for name, value in edit.breaks.items() if name not in of_sheet
    }
    result.loans.extend([edit.code] * count)
