"""The catalogue: complete, without overlaps, and printed."""

import pytest

from filing.edits import catalogue
from filing.edits.edit import EditKind, EditLevel
from filing.lar.years import Period, rulebook_periods


def test_entries_of_one_code_and_level_may_not_run_in_the_same_period():
    edit = catalogue.find_edit("V617", Period(2024), EditLevel.LAR)
    with pytest.raises(ValueError, match=r"Two entries of V617 \(lar\) run at once"):
        catalogue.order_edits([edit, edit])


@pytest.mark.parametrize("code", ["V999", "Q604"])
def test_an_edit_that_the_period_does_not_have_is_not_found(code):
    with pytest.raises(LookupError, match=f"2024 has no edit {code}"):
        catalogue.find_edit(code, Period(2024), EditLevel.LAR)
    with pytest.raises(LookupError, match=f"2024 has no edit {code}"):
        catalogue.find_edit_text(code, Period(2024))


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


def test_the_page_tells_how_many_edits_there_are():
    page = catalogue.write_edits_reference()
    for period in rulebook_periods():
        edits = [edit for edit in catalogue.EDITS if period in edit.periods]
        numbers = {kind: sum(edit.kind is kind for edit in edits) for kind in EditKind}
        assert catalogue.count_edits(period) == numbers
        cells = " | ".join(str(number) for number in (period, *numbers.values()))
        assert f"| {cells} |" in page
