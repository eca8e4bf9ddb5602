"""For an edit, a record on which it holds and one that it fails: those that its tests run on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from filing.edits import catalogue, examples
from filing.edits.edit import Edit, Level
from filing.lar.fields import LAR, TRANSMITTAL_SHEET
from filing.lar.period import FIRST_QUARTERLY_YEAR, Period

LEI = "529900EXAMPLELEI0001"
_OF_SHEET = "ts."

Record = dict[str, str | int]


@dataclass(frozen=True, slots=True)
class Example:
    """What differs between the two, and the lines that fail, as they may be checked.

    rows: label of a field, its value where the edit holds and where it fails. others: how many
    further fields differ, since the case asks for it.
    """

    period: Period
    rows: list[tuple[str, str, str]]
    others: int
    holds: str
    breaks: str

    columns: ClassVar = ("Field", "Holds", "Fails")

    @property
    def caption(self) -> str:
        """How the values are headed."""
        return f"An example of {self.period}"


def newest_period(edit: Edit) -> Period:
    """Return the newest period in which an edit runs as it stands, an annual one if there is."""
    if edit.annual:
        return Period(max(edit.annual))
    return Period(max(edit.quarterly or {FIRST_QUARTERLY_YEAR}), 1)


def example(edit: Edit) -> Example | None:
    """Return the example of an edit; nothing for one of the whole file."""
    if edit.level is Level.FILE:
        return None
    period = newest_period(edit)
    sheet = examples.correct_transmittal_sheet(period, LEI, 1)
    of_sheet = edit.level is Level.TS
    right: Record = sheet if of_sheet else examples.correct_loan(period, LEI)
    own = {name: value for name, value in edit.breaks.items() if not name.startswith(_OF_SHEET)}
    wrong_sheet = sheet | {
        name.removeprefix(_OF_SHEET): value
        for name, value in edit.breaks.items()
        if name.startswith(_OF_SHEET)
    }
    wrong = right | own
    shown = [name for name in edit.fields if name in right]
    changed = [name for name in own if wrong[name] != right[name] and name not in shown]
    if all(wrong[name] == right[name] for name in shown):
        shown, changed = [*shown, *changed], []
    held, failed = _values(right), _values(wrong)
    before = [] if of_sheet else [examples.line(wrong_sheet)]
    return Example(
        period=period,
        rows=[(catalogue.label(edit, name), held[name], failed[name]) for name in shown],
        others=len(changed),
        holds="\n".join([*([] if of_sheet else [examples.line(sheet)]), examples.line(right)]),
        breaks="\n".join([*before, examples.line(wrong)]),
    )


def _values(record: Record) -> dict[str, str]:
    """Return the values as they stand in a file, by field name."""
    fields = LAR if "uli" in record else TRANSMITTAL_SHEET
    texts = examples.line(record).split("|")
    return {field.name: text or "(blank)" for field, text in zip(fields, texts, strict=True)}
