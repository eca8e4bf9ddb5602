"""What a rule reads is computed from the rule, for every edit, beside what the bureau lists."""

from __future__ import annotations

import pytest

from filing.edits import catalogue
from filing.edits.edit import Edit, EditLevel, EditNeed
from filing.edits.read_fields import cite_edit, fields_read, reads_as_listed
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME, WHOLE_ROW
from filing.lar.years import Period

YEAR = Period(2024)


def edit(code: str, level: EditLevel = EditLevel.LAR, period: Period = YEAR) -> Edit:
    return catalogue.find_edit(code, period, level)


@pytest.mark.parametrize(
    ("code", "level", "read", "listed"),
    [
        (
            "V657-1",
            EditLevel.LAR,
            ("rate_spread",),
            ("rate_spread", "action_taken", "reverse_mortgage"),
        ),
        (
            "V660-2",
            EditLevel.LAR,
            ("applicant_credit_score_type",),
            ("applicant_credit_score", "applicant_credit_score_type"),
        ),
        ("S301", EditLevel.LAR, ("lei", "ts.lei"), ("lei",)),
        ("Q635", EditLevel.FILE, ("action_taken",), ("action_taken", "total_lines")),
        ("S306", EditLevel.FILE, ("uli", "action_taken"), ("uli",)),
    ],
)
def test_a_rule_may_read_other_fields_than_the_bureau_lists(code, level, read, listed):
    found = edit(code, level)
    assert (fields_read(found), found.fields) == (read, listed)
    assert not reads_as_listed(found)


@pytest.mark.parametrize(
    ("code", "level", "read"),
    [
        ("V617", EditLevel.LAR, ("loan_amount",)),  # derived columns are named for their field
        ("S302", EditLevel.TS, ("calendar_year",)),  # facts of the period are no fields
        ("S303", EditLevel.TS, ("federal_agency", "tax_id", "lei")),  # nor are those of the panel
        ("S304", EditLevel.FILE, ("total_lines",)),
        ("S305", EditLevel.FILE, (WHOLE_ROW,)),
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
    assert [(edit, name) for edit, name in named if not catalogue.label_field(edit, name)] == []
    of_sheet = {edit for edit, name in named if name.startswith("ts.")}
    assert {edit for edit in of_sheet if EditNeed.TS not in edit.needs} == set()


@pytest.mark.parametrize(
    ("code", "level", "paragraphs"),
    [
        ("S301", "lar", "12 CFR 1003.4(a)(1)(i); 1003.5(a)(3)(vii)"),
        ("S302", "ts", "12 CFR 1003.5(a)(1)(i), (a)(3)(ii)"),
        ("S305", "file", "12 CFR 1003.4(a)"),
        ("V600", "lar", "12 CFR 1003.4(a)(1)(i)"),
        ("V600", "ts", "12 CFR 1003.5(a)(3)(vii)"),
        ("V609", "lar", "12 CFR 1003.4(a)(1)(i); appendix C to part 1003"),
        ("V613-2", "lar", "12 CFR 1003.4(a)(4), (a)(8)(i)"),
        ("V627", "lar", "12 CFR 1003.4(a)(9)(ii)(B), (a)(9)(ii)(C)"),
        ("V680-1", "lar", "12 CFR 1003.4(a)(10)(i), (a)(23)"),
        ("V714", "lar", "12 CFR 1003.4(a)(33)(i), (a)(33)(ii); 1003.3(d)"),
        ("Q634", "file", "12 CFR 1003.4(a)(3), (a)(8)(i)"),
    ],
)
def test_an_edit_cites_the_fields_that_its_rule_reads(code, level, paragraphs):
    period = Period(2024)
    assert cite_edit(catalogue.find_edit(code, period, level)) == paragraphs


def test_a_quarterly_edit_cites_the_quarterly_deadline():
    edit = catalogue.find_edit("V718", Period(2024, 1), "ts")
    assert cite_edit(edit) == "12 CFR 1003.5(a)(1)(ii), (a)(3)(ii)"


def test_every_edit_cites_a_paragraph_but_for_the_format_of_the_file():
    assert {edit.code for edit in catalogue.EDITS if not cite_edit(edit)} == {"S300"}


def test_edits_of_the_exemption_cite_it():
    cited = {edit.code for edit in catalogue.EDITS if "1003.3(d)" in cite_edit(edit)}
    validity = {f"V{number}" for number in range(709, 716)}
    assert cited == validity | {"Q646", "Q647", "Q656", "Q657"}
