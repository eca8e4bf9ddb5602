"""An example of an edit: a record that passes and one that fails, as its tests run them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from filing.edits import catalogue, examples
from filing.edits.edit import Edit, EditLevel
from filing.lar.fields import LAR, SHEET_PREFIX, TRANSMITTAL_SHEET
from filing.lar.years import FIRST_QUARTERLY_YEAR, Period

LEI = "529900EXAMPLELEI0001"

Record = dict[str, str | int]


@dataclass(frozen=True, slots=True)
class EditExample:
    """The values that differ between the two records, and the lines of each, ready to be checked.

    rows: the label of a field, its value in the record that passes and in the one that triggers.
    others: the number of further fields that differ.
    """

    period: Period
    rows: list[tuple[str, str, str]]
    others: int
    holds: str
    breaks: str

    columns: ClassVar = ("Field", "Passes", "Triggers the edit")

    @property
    def caption(self) -> str:
        """The caption of the values."""
        return f"An example of {self.period}"


def newest_period(edit: Edit) -> Period:
    """Return the newest period in which an edit runs, an annual one if possible."""
    if edit.annual:
        return Period(max(edit.annual))
    return Period(max(edit.quarterly or {FIRST_QUARTERLY_YEAR}), 1)


def find_example(edit: Edit, period: Period | None = None) -> EditExample | None:
    """Return the example of an edit in a period; None for an edit of the whole file.

    Without a period, or in one in which the edit does not run: in the newest in which it does.
    """
    if edit.level is EditLevel.FILE:
        return None
    if period is None or not edit.runs_in(period):
        period = newest_period(edit)
    sheet = examples.correct_transmittal_sheet(period, LEI, 1)
    of_sheet = edit.level is EditLevel.TS
    correct: Record = sheet if of_sheet else examples.correct_loan(period, LEI)
    own = {name: value for name, value in edit.breaks.items() if not name.startswith(SHEET_PREFIX)}
    failing_sheet = sheet | {
        name.removeprefix(SHEET_PREFIX): value
        for name, value in edit.breaks.items()
        if name.startswith(SHEET_PREFIX)
    }
    failing = correct | own
    names = [name for name in edit.fields if name in correct]
    changed = [name for name in own if failing[name] != correct[name] and name not in names]
    if all(failing[name] == correct[name] for name in names):
        names, changed = [*names, *changed], []
    passing_values, failing_values = _values(correct), _values(failing)
    return EditExample(
        period=period,
        rows=[
            (catalogue.label_field(edit, name), passing_values[name], failing_values[name])
            for name in names
        ],
        others=len(changed),
        holds=_lines(sheet, correct),
        breaks=_lines(failing_sheet, failing),
    )


def _lines(sheet: Record, record: Record) -> str:
    """Return a loan after its transmittal sheet, or a transmittal sheet alone, as lines."""
    records = [sheet, record] if "uli" in record else [record]
    return "\n".join(map(examples.write_record_line, records))


def _values(record: Record) -> dict[str, str]:
    """Return the values as a file has them, by field name."""
    fields = LAR if "uli" in record else TRANSMITTAL_SHEET
    texts = examples.write_record_line(record).split("|")
    return {field.name: text or "(blank)" for field, text in zip(fields, texts, strict=True)}
