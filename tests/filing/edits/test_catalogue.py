"""The catalogue: complete, without overlaps, and printed."""

import pytest

from filing.edits import catalogue
from filing.edits.edit import EditKind, EditLevel
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME
from filing.lar.years import Period, rulebook_periods

OF_RECORDS = [edit for edit in catalogue.EDITS if edit.level is not EditLevel.FILE]


def has_type_of_field(edit, column, value):
    """Return whether a value that breaks an edit is a number in a field of whole numbers."""
    of_sheet = column.startswith("ts.") or edit.level is EditLevel.TS
    field = (TS_BY_NAME if of_sheet else LAR_BY_NAME)[column.removeprefix("ts.")]
    return isinstance(value, int if field.dtype.is_integer() else str) or value == "none"


def test_the_values_that_break_an_edit_have_the_type_of_their_field():
    assert [edit for edit in OF_RECORDS if not edit.breaks] == []
    changes = [(edit, *change) for edit in OF_RECORDS for change in edit.breaks.items()]
    assert [change for change in changes if not has_type_of_field(*change)] == []


def test_entries_of_one_code_and_level_may_not_run_in_the_same_period():
    edit = catalogue.find_edit("V617", Period(2024), EditLevel.LAR)
    with pytest.raises(ValueError, match=r"Two entries of V617 \(lar\) run at once"):
        catalogue.order_edits([edit, edit])


def test_one_code_may_serve_two_levels():
    sheet = catalogue.find_edit("V600", Period(2024), "ts")
    loan = catalogue.find_edit("V600", Period(2024), EditLevel.LAR)
    assert (sheet.level, loan.level) == (EditLevel.TS, EditLevel.LAR)
    assert catalogue.find_edit_text("V600", Period(2024)) == f"{sheet.text} {loan.text}"


def test_the_entry_of_the_period_is_found():
    old = catalogue.find_edit("Q606", Period(2019), EditLevel.LAR)
    new = catalogue.find_edit("Q606", Period(2020, 1), EditLevel.LAR)
    assert old is not new
    assert catalogue.find_edit_text("Q606", Period(2019)) == old.text


@pytest.mark.parametrize("code", ["V999", "Q604"])
def test_an_edit_that_the_period_does_not_have_is_not_found(code):
    with pytest.raises(LookupError, match=f"2024 has no edit {code}"):
        catalogue.find_edit(code, Period(2024), EditLevel.LAR)
    with pytest.raises(LookupError, match=f"2024 has no edit {code}"):
        catalogue.find_edit_text(code, Period(2024))


def test_the_rulebook_of_a_period_can_be_had_by_kind_and_level():
    period = Period(2024)
    whole = catalogue.list_edits(period)
    parts = [catalogue.list_edits(period, kind=k, level=v) for k in EditKind for v in EditLevel]
    assert sorted(e.code for part in parts for e in part) == sorted(e.code for e in whole)
    assert {e.code for e in catalogue.list_edits(period, kind=EditKind.MACRO)} >= {
        "Q634",
        "Q646",
        "Q647",
    }
    assert all(e.level is EditLevel.TS for e in catalogue.list_edits(period, level=EditLevel.TS))


def test_edits_stand_by_kind_and_code():
    keys = [(list(EditKind).index(edit.kind), edit.code) for edit in catalogue.EDITS]
    assert keys == sorted(keys)


def test_every_entry_stands_on_the_printed_page():
    page = catalogue.write_edits_reference()
    assert [line for line in page.splitlines() if line.startswith("## ")] == [
        "## Syntactical",
        "## Validity",
        "## Quality",
        "## Macro",
    ]
    assert page.count("\n### ") == len(catalogue.EDITS)
    loan = catalogue.find_edit("V608-2", Period(2024), EditLevel.LAR)
    assert (
        f"### V608-2\n\n{loan.text}\n\n- Looks at: record\n"
        f"- Runs in: {loan.periods}\n- Rule: If the length of"
    ) in page
    assert "- Shows: All data fields in the LAR" in page


def test_what_means_something_to_markdown_is_marked_as_text():
    assert r"none of ! @ $ ^ % \* \_ + =" in catalogue.write_edits_reference()


@pytest.mark.parametrize("period", rulebook_periods(), ids=str)
def test_the_page_tells_how_many_edits_there_are(period):
    edits = [edit for edit in catalogue.EDITS if period in edit.periods]
    numbers = {kind: sum(edit.kind is kind for edit in edits) for kind in EditKind}
    assert catalogue.count_edits(period) == numbers
    cells = " | ".join(str(number) for number in (period, *numbers.values()))
    assert f"| {cells} |" in catalogue.write_edits_reference()
