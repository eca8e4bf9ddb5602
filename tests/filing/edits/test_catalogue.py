"""The catalogue: complete, without overlaps, and printed."""

import pytest

from filing.edits import catalogue
from filing.edits.edit import Kind, Level
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME
from filing.lar.period import Period
from filing.lar.years import rulebook_periods

OF_RECORDS = [edit for edit in catalogue.EDITS if edit.level is not Level.FILE]


def has_type_of_field(edit, column, value):
    """Return whether a value that breaks an edit is a number in a field of whole numbers."""
    of_sheet = column.startswith("ts.") or edit.level is Level.TS
    field = (TS_BY_NAME if of_sheet else LAR_BY_NAME)[column.removeprefix("ts.")]
    return isinstance(value, int if field.dtype.is_integer() else str) or value == "none"


def test_the_values_that_break_an_edit_have_the_type_of_their_field():
    assert [edit for edit in OF_RECORDS if not edit.breaks] == []
    changes = [(edit, *change) for edit in OF_RECORDS for change in edit.breaks.items()]
    assert [change for change in changes if not has_type_of_field(*change)] == []


def test_entries_of_one_code_and_level_may_not_run_in_the_same_period():
    edit = catalogue.find("V617", Period(2024), Level.LAR)
    with pytest.raises(ValueError, match=r"Two entries of V617 \(lar\) run at once"):
        catalogue.disjoint([edit, edit])


def test_one_code_may_serve_two_levels():
    sheet = catalogue.find("V600", Period(2024), "ts")
    loan = catalogue.find("V600", Period(2024), Level.LAR)
    assert (sheet.level, loan.level) == (Level.TS, Level.LAR)
    assert catalogue.text("V600", Period(2024)) == f"{sheet.text} {loan.text}"


def test_the_entry_of_the_period_is_found():
    old = catalogue.find("Q606", Period(2019), Level.LAR)
    new = catalogue.find("Q606", Period(2020, 1), Level.LAR)
    assert old is not new
    assert catalogue.text("Q606", Period(2019)) == old.text


@pytest.mark.parametrize("code", ["V999", "Q604"])
def test_an_edit_that_the_period_does_not_have_is_not_found(code):
    with pytest.raises(LookupError, match=f"2024 has no edit {code}"):
        catalogue.find(code, Period(2024), Level.LAR)
    with pytest.raises(LookupError, match=f"2024 has no edit {code}"):
        catalogue.text(code, Period(2024))


def test_the_rulebook_of_a_period_can_be_had_by_kind_and_level():
    period = Period(2024)
    whole = catalogue.edits(period)
    parts = [catalogue.edits(period, kind=k, level=v) for k in Kind for v in Level]
    assert sorted(e.code for part in parts for e in part) == sorted(e.code for e in whole)
    assert {e.code for e in catalogue.edits(period, kind=Kind.MACRO)} >= {"Q634", "Q646", "Q647"}
    assert all(e.level is Level.TS for e in catalogue.edits(period, level=Level.TS))


def test_edits_stand_by_kind_and_code():
    keys = [(list(Kind).index(edit.kind), edit.code) for edit in catalogue.EDITS]
    assert keys == sorted(keys)


def test_every_entry_stands_on_the_printed_page():
    page = catalogue.markdown()
    assert [line for line in page.splitlines() if line.startswith("## ")] == [
        "## Syntactical",
        "## Validity",
        "## Quality",
        "## Macro",
    ]
    assert page.count("\n### ") == len(catalogue.EDITS)
    loan = catalogue.find("V608-2", Period(2024), Level.LAR)
    assert (
        f"### V608-2\n\n{loan.text}\n\n- Looks at: record\n"
        f"- Runs in: {loan.periods}\n- Rule: If the length of"
    ) in page
    assert "- Shows: All data fields in the LAR" in page


def test_what_means_something_to_markdown_is_marked_as_text():
    assert r"none of ! @ $ ^ % \* \_ + =" in catalogue.markdown()


@pytest.mark.parametrize("period", rulebook_periods(), ids=str)
def test_the_page_tells_how_many_edits_there_are(period):
    edits = [edit for edit in catalogue.EDITS if period in edit.periods]
    numbers = {kind: sum(edit.kind is kind for edit in edits) for kind in Kind}
    assert catalogue.counts(period) == numbers
    cells = " | ".join(str(number) for number in (period, *numbers.values()))
    assert f"| {cells} |" in catalogue.markdown()
