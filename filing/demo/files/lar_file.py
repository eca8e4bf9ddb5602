"""A made-up LAR file: its transmittal sheet, its loans, and the named edits that they fail."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import numpy as np
import polars as pl

from filing.demo.files import mix
from filing.demo.files.columns import LoanColumns
from filing.demo.files.loans import Array, Draw, draw_loans
from filing.demo.files.pools import make_pools
from filing.edits import catalogue, examples
from filing.edits.edit import Edit, EditLevel
from filing.lar.errors import find_line_errors
from filing.lar.fields import AGENCIES
from filing.lar.years import Period, rulebook_period

_BLOCK = 50_000  # loans made at once; another value would change the file that a seed gives
_PREAPPROVAL_PERCENT = 12
_DENIED, _REFINANCING = 3, 31
_PLACE = ("city", "state", "zip_code", "county", "census_tract")
_ULI = "\0"  # placeholder
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LarRecipe:
    """The properties of a file to make.

    rows: number of loans, failing ones included. fails: codes of edits, with the number of rows
    that fail each. agency: None for the default one, or the one that an edit requires.
    Raises: ValueError if the LEI does not have 20 letters and digits, or rows is below 1.
    """

    period: Period
    lei: str
    rows: int
    fails: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0
    name: str = "Sample Bank"
    tax_id: str = examples.TAX_ID
    agency: int | None = None

    def __post_init__(self) -> None:
        if len(self.lei) != 20 or not (self.lei.isascii() and self.lei.isalnum()):
            raise ValueError(f"{self.lei!r} is not an LEI; enter 20 letters and digits.")
        if self.rows < 1:
            raise ValueError(f"A file needs at least one row, not {self.rows}.")


def make_lar_file(recipe: LarRecipe, tracts: pl.Series) -> Iterator[bytes]:
    """Return the file piece by piece, so that one of any size fits in memory.

    Shape:  tracts are 11-digit codes of census tracts; the loans lie in those of them that belong
            to a state. The same recipe and tracts give the same file.
    Raises: ValueError, before the first piece, when the file cannot be like that.
    """
    return _LarFile(recipe, tracts).pieces()


class _LarFile:
    """A file in progress. Usual loans have the first serial numbers, special ones the following."""

    def __init__(self, recipe: LarRecipe, tracts: pl.Series) -> None:
        self.recipe = recipe
        self.plan = plan_failures(recipe.period, recipe.rows, recipe.fails)
        self.usual = recipe.rows - self.plan.special_rows
        self.mix = mix.draw_actions_and_purposes(
            self.usual, self.plan.mix, beside=self.plan.special_rows
        )
        self.pools = make_pools(recipe.seed, recipe.period.year, tracts)
        self.columns = LoanColumns(
            recipe.period, recipe.lei, self.pools, low_incomes="Q640" in self.plan.mix
        )
        self.failing = self._failing_lines(tracts)
        self.grouped: list[bytes] = []
        for code, size in self.plan.groups.items():
            done = self.usual + len(self.plan.loans) + len(self.grouped)
            self.grouped += self._group(code, size, first_row=done + 1)

    def pieces(self) -> Iterator[bytes]:
        yield self._sheet()
        special = self.plan.special_rows
        # The number of usual loans before each special one, which spreads them over the file.
        before = np.arange(special) * self.recipe.rows // max(special, 1) - np.arange(special)
        for first in range(0, max(self.usual, 1), _BLOCK):
            last = min(first + _BLOCK, self.usual)
            begin, end = np.searchsorted(before, (first, max(last, 1)))
            special_lines = self._special(int(begin), int(end))
            block = _written(self._usual(first, last))
            yield _with_lines(block, before[begin:end] - first, special_lines)

    def _sheet(self) -> bytes:
        recipe = self.recipe
        sheet = examples.correct_transmittal_sheet(
            recipe.period,
            recipe.lei,
            recipe.rows,
            agency=recipe.agency or examples.AGENCY,
            tax_id=recipe.tax_id,
        )
        sheet |= {"institution_name": recipe.name, **self.plan.sheet}
        return f"{examples.write_record_line(sheet)}\n".encode()

    def _usual(self, first: int, last: int) -> pl.DataFrame:
        draw = Draw(np.random.default_rng((self.recipe.seed, first)), last - first)
        order = first + draw.order()
        return self._loans(draw, self.mix[0][order], self.mix[1][order], first_row=first + 1)

    def _loans(self, draw: Draw, action: Array, purpose: Array, *, first_row: int) -> pl.DataFrame:
        percent = 100 if "Q639" in self.plan.mix else _PREAPPROVAL_PERCENT
        loans = draw_loans(draw, self.pools, action, purpose, preapproval_percent=percent)
        return self.columns.of(draw, loans, first_row=first_row)

    def _special(self, begin: int, end: int) -> list[bytes]:
        """Return some of the special loans; those that fail an edit individually come first."""
        codes = self.plan.loans[begin:end]
        ulis = self.columns.ulis(self.usual + 1 + begin, len(codes))
        failing_lines = [
            self.failing[code].replace(_ULI, uli).encode()
            for code, uli in zip(codes, ulis, strict=True)
        ]
        individual = len(self.plan.loans)
        return failing_lines + self.grouped[max(begin - individual, 0) : max(end - individual, 0)]

    def _failing_lines(self, tracts: pl.Series) -> dict[str, str]:
        """Return a line for each edit of loans to fail, with a placeholder for the ULI."""
        correct = examples.correct_loan(self.recipe.period, self.recipe.lei, uli=_ULI)
        if examples.TRACT not in tracts:
            place = self.pools.places[1].split("|")
            correct |= dict(zip(_PLACE, place, strict=True))
        return {
            code: examples.write_record_line({**correct, **breaks}) + "\n"
            for code, breaks in self.plan.breaks.items()
        }

    def _group(self, code: str, size: int, *, first_row: int) -> list[bytes]:
        """Return loans that together make an edit of the whole file fail."""
        draw = Draw(np.random.default_rng((self.recipe.seed, first_row)), size)
        action = _DENIED if code in (REPEATED_ROW, REPEATED_ULI) else mix.ORIGINATED
        loans = self._loans(
            draw, np.full(size, action), np.full(size, _REFINANCING), first_row=first_row
        )
        if code in REPEATING:
            loans = loans.with_columns(uli=pl.lit(loans["uli"][0]))
        if code == REPEATED_ROW:
            loans = pl.concat([loans.head(1)] * size)
        if code == OUT_OF_QUARTER:
            after = self.recipe.period.ends + timedelta(days=1)
            loans = loans.with_columns(action_taken_date=pl.lit(f"{after:%Y%m%d}"))
        if code in (EXEMPT, NOT_ENTITLED):
            loans = loans.with_columns(channels=pl.lit("1111|1111"))
        return _written(loans).splitlines(keepends=True)


def _written(loans: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    loans.write_csv(
        buffer, include_header=False, separator="|", quote_style="never", null_value="NA"
    )
    return buffer.getvalue()


def _with_lines(block: bytes, places: Array, lines: list[bytes]) -> bytes:
    """Return the block with lines inserted, each after a number of the block's own lines."""
    if not lines:
        return block
    own = block.splitlines(keepends=True)
    pieces: list[bytes] = []
    done = 0
    for place, line in zip(places.tolist(), lines, strict=True):
        pieces += own[done:place]
        pieces.append(line)
        done = place
    return b"".join(pieces + own[done:])


@dataclass(frozen=True, slots=True)
class FailurePlan:
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


def find_unreadable_edits(period: Period, codes: Iterable[str]) -> list[str]:
    """Return the edits that only values with formatting errors would fail.

    A row made to fail one of them has a formatting error, so no edit runs on it.
    """
    loan = examples.correct_loan(period, "EXAMPLE0000000000001")
    edits = [edit for code in codes if (edit := _edit(code, period)).level is EditLevel.LAR]
    lines = [examples.write_record_line({**loan, **edit.breaks}).encode() for edit in edits]
    faulty = find_line_errors(range(1, len(lines) + 1), lines)
    return [edits[error.line - 2].code for error in faulty]


def plan_failures(period: Period, rows: int, fails: Mapping[str, int]) -> FailurePlan:
    """Return the plan for a file with this number of rows. fails: by edit, how many rows fail it.

    Raises: ValueError for an edit that the period does not have, or an impossible number.
    """
    edits = {code: _edit(code, period) for code in fails}
    for code, count in fails.items():
        is_single = (
            code == WRONG_TOTAL or code in mix.MACRO_CODES or edits[code].level is EditLevel.TS
        )
        if count < 1 or (is_single and count > 1):
            raise ValueError(f"{code} cannot fail {count} times: it fails once or not at all.")
    result = FailurePlan(mix=frozenset(fails) & mix.MACRO_CODES)
    for code, edit in edits.items():
        if edit.level is EditLevel.FILE:
            _plan_file(result, code, fails[code], rows)
        else:
            _plan_record(result, edit, fails[code])
    return result


def _edit(code: str, period: Period) -> Edit:
    """Return the edit with this code; if several levels have it, that of the loans."""
    edits = [edit for edit in catalogue.list_edits(rulebook_period(period)) if edit.code == code]
    if not edits:
        raise ValueError(f"{period} has no edit {code}.")
    return min(edits, key=lambda edit: edit.level is not EditLevel.LAR)


def _plan_file(result: FailurePlan, code: str, count: int, rows: int) -> None:
    if code == WRONG_TOTAL:
        result.sheet["total_lines"] = rows + 1
    elif code in _OF_SOME_LOANS:
        result.groups[code] = count + (code in REPEATING)
    elif code not in mix.MACRO_CODES:
        raise ValueError(f"This command cannot make {code} fail.")
    if code == NOT_ENTITLED:
        result.sheet["federal_agency"] = NON_DEPOSITORY


def _plan_record(result: FailurePlan, edit: Edit, count: int) -> None:
    if edit.level is EditLevel.TS:
        result.sheet.update(edit.breaks)
        return
    of_sheet = {name for name in edit.breaks if name.startswith("ts.")}
    result.sheet.update({name.removeprefix("ts."): edit.breaks[name] for name in of_sheet})
    result.breaks[edit.code] = {
        name: value for name, value in edit.breaks.items() if name not in of_sheet
    }
    result.loans.extend([edit.code] * count)
