"""What edits may know: constants, lookups, exact numbers, and what is lacking."""

import polars as pl
import pytest

from filing.edits import catalogue
from filing.edits import vocabulary as v
from filing.edits.edit import EditLevel
from filing.edits.facts import EditFacts, PanelRecord
from filing.lar.years import Period
from tests.filing.edits.answers import answers
from tests.filing.edits.cases import LEI, facts


def test_facts_are_the_same_on_all_rows():
    known = facts(Period(2024, 2))
    read = known.reading(pl.DataFrame({"filing_quarter": [1, 2], "city": ["A", "B"]}))
    assert read("filing_quarter").tolist() == [1, 2]
    assert read("city").series.to_list() == ["A", "B"]
    assert {name: read(name) for name in ("filing_year", "quarter_start", "quarter_end")} == {
        "filing_year": 2024,
        "quarter_start": 20240401,
        "quarter_end": 20240630,
    }
    assert (known.value("filing_quarter"), known.value("ts.lei")) == (2, LEI)


@pytest.mark.parametrize("name", ["ts.lei", "census.counties", "institution.agency", "weather"])
def test_a_column_that_is_not_known_is_an_error(name):
    with pytest.raises(LookupError, match=f"needs {name}, which is not known for 2024"):
        EditFacts(Period(2024)).value(name)


def test_what_is_lacking_is_said():
    edit = catalogue.find_edit("Q647", Period(2024), EditLevel.FILE)
    assert EditFacts(Period(2024)).lacks(edit) == (
        "the whole file is needed; the transmittal sheet is missing"
    )
    assert facts(Period(2024)).lacks(edit, whole_file=True) == ""


def test_lookups_answer_on_every_text():
    texts = pl.DataFrame({"county": ["06037", "48301", "06037123456", "NA", "", "é"]})
    known = [v.known_county("county"), v.known_tract("county"), v.small_county("county")]
    assert [answers(word, texts) for word in known] == [
        [True, True, False, False, False, False],
        [False, False, True, False, False, False],
        [False, True, False, False, False, False],
    ]


def test_the_panel_says_what_the_sheet_should():
    known = EditFacts(Period(2024), institution=PanelRecord("A", 9))
    assert known.expected() == {"federal_agency": 9, "tax_id": "", "lei": "A"}
    assert EditFacts(Period(2024)).expected() == {}
