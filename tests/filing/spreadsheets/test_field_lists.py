"""The fields of a year, with the codes that its edits accept."""

from __future__ import annotations

import pytest

from filing.edits import catalogue, engine, examples
from filing.edits.edit import EditLevel
from filing.edits.facts import EditFacts
from filing.lar.fields import LAR
from filing.lar.years import RULEBOOKS, Period
from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.code_texts import list_codes
from filing.spreadsheets.field_lists import list_fields

YEARS = RULEBOOKS
# The validity edits that list the codes of a field, where these differ by year.
LISTED = {
    "applicant_credit_score_type": "V660-2",
    "co_applicant_credit_score_type": "V665-2",
    "aus_1": "V696-1",
    "aus_2": "V696-1",
}


@pytest.mark.parametrize("year", YEARS)
@pytest.mark.parametrize("name", LISTED)
def test_the_codes_of_a_year_are_those_of_its_edits(name: str, year: int) -> None:
    period = Period(year)
    (field,) = (one for one in LAR if one.name == name)
    edit = catalogue.find_edit(LISTED[name], period, EditLevel.LAR)
    loans = [
        examples.correct_loan(period, "529900EXAMPLELEI0001") | {name: code} for code in field.codes
    ]
    failures = engine.find_failures(examples.make_loan_frame(loans), [edit], EditFacts(period))
    failing = failures[edit].to_list() if edit in failures else []
    accepted = {code for row, code in enumerate(field.codes, start=1) if row not in failing}
    assert set(list_codes(field, year)) == accepted


@pytest.mark.parametrize(("year", "record"), [(2017, "lar"), (2045, "ts"), (2024, "xls")])
def test_what_is_not_known_is_refused(year: int, record: str) -> None:
    with pytest.raises(SpreadsheetRefusal) as refused:
        list_fields(year, record)
    assert refused.value.status == 400
