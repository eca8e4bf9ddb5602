"""What a rule reads is computed from the rule: the paragraphs that an edit cites."""

from __future__ import annotations

import pytest

from filing.edits import catalogue
from filing.edits.edit import Edit, EditLevel
from filing.edits.read_fields import cite_edit
from filing.lar.years import Period

YEAR = Period(2024)


def edit(code: str, level: EditLevel = EditLevel.LAR, period: Period = YEAR) -> Edit:
    return catalogue.find_edit(code, period, level)


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


def test_every_edit_cites_a_paragraph_but_for_the_format_of_the_file():
    assert {edit.code for edit in catalogue.EDITS if not cite_edit(edit)} == {"S300"}


def test_edits_of_the_exemption_cite_it():
    cited = {edit.code for edit in catalogue.EDITS if "1003.3(d)" in cite_edit(edit)}
    validity = {f"V{number}" for number in range(709, 716)}
    assert cited == validity | {"Q646", "Q647", "Q656", "Q657"}
