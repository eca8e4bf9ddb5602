"""Which edits run in which years, and the fields that each shows, beside a list of our own."""

import csv
from pathlib import Path

from filing.edits import catalogue
from filing.lar.years import RULEBOOKS

LIST = Path(__file__).with_name("edit_fields.csv")
with LIST.open(newline="") as file:
    ROWS = [(*row, " ".join(names.split())) for *row, names in csv.reader(file)][1:]


def years(some):
    """Return years as the list writes them: runs of them, set apart by blanks.

    A run up to the newest rulebook has no end, so that the list stays when a year is added.
    """
    firsts = sorted(year for year in some if year - 1 not in some)
    lasts = sorted(year for year in some if year + 1 not in some)
    return " ".join(
        f"{first}-" if last == RULEBOOKS[-1] else str(first) if first == last else f"{first}-{last}"
        for first, last in zip(firsts, lasts, strict=True)
    )


def row(edit):
    return (
        *(edit.code, edit.level.value, edit.kind.value),
        *(years(edit.annual), years(edit.quarterly), " ".join(edit.fields)),
    )


def test_every_edit_is_in_the_list_with_its_years_and_fields_and_no_other():
    assert sorted(ROWS) == sorted(map(row, catalogue.EDITS))
