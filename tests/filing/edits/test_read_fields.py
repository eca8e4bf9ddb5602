"""What a rule reads is computed from the rule, for every edit, beside what the bureau lists."""

from __future__ import annotations

import pytest

from filing.edits import catalogue
from filing.edits.edit import Edit, Level, Need
from filing.edits.read_fields import fields_read, reads_as_listed
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME, WHOLE_ROW
from filing.lar.period import Period

YEAR = Period(2024)


def edit(code: str, level: Level = Level.LAR, period: Period = YEAR) -> Edit:
    return catalogue.find(code, period, level)


@pytest.mark.parametrize(
    ("code", "level", "read", "listed"),
    [
        (
            "V657-1",
            Level.LAR,
            ("rate_spread",),
            ("rate_spread", "action_taken", "reverse_mortgage"),
        ),
        (
            "V660-2",
            Level.LAR,
            ("applicant_credit_score_type",),
            ("applicant_credit_score", "applicant_credit_score_type"),
        ),
        ("S301", Level.LAR, ("lei", "ts.lei"), ("lei",)),
        ("Q635", Level.FILE, ("action_taken",), ("action_taken", "total_lines")),
        ("S306", Level.FILE, ("uli", "action_taken"), ("uli",)),
    ],
)
def test_a_rule_may_read_other_fields_than_the_bureau_lists(code, level, read, listed):
    found = edit(code, level)
    assert (fields_read(found), found.fields) == (read, listed)
    assert not reads_as_listed(found)


@pytest.mark.parametrize(
    ("code", "level", "read"),
    [
        ("V617", Level.LAR, ("loan_amount",)),  # derived columns are named for their field
        ("S302", Level.TS, ("calendar_year",)),  # facts of the period are no fields
        ("S303", Level.TS, ("federal_agency", "tax_id", "lei")),  # nor are those of the panel
        ("S304", Level.FILE, ("total_lines",)),
        ("S305", Level.FILE, (WHOLE_ROW,)),
    ],
)
def test_most_rules_read_what_the_bureau_lists(code, level, read):
    found = edit(code, level)
    assert fields_read(found) == read
    assert reads_as_listed(found)


def test_what_a_rule_reads_are_fields_with_a_name():
    known = {WHOLE_ROW, *LAR_BY_NAME, *TS_BY_NAME, "ts.lei"}
    fields = {edit: fields_read(edit) for edit in catalogue.EDITS}
    assert all(fields.values())
    assert {name for names in fields.values() for name in names} <= known
    named = [(edit, name) for edit, names in fields.items() for name in names]
    assert [(edit, name) for edit, name in named if not catalogue.label(edit, name)] == []
    of_sheet = {edit for edit, name in named if name.startswith("ts.")}
    assert {edit for edit in of_sheet if Need.TS not in edit.needs} == set()
