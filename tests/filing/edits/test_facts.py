"""What edits may know, and what is not known."""

import pytest

from filing.edits.facts import EditFacts, PanelRecord
from filing.lar.years import Period


@pytest.mark.parametrize("name", ["ts.lei", "census.counties", "institution.agency", "weather"])
def test_a_column_that_is_not_known_is_an_error(name):
    with pytest.raises(LookupError, match=f"needs {name}, which is not known for 2024"):
        EditFacts(Period(2024)).value(name)


def test_the_panel_says_what_the_sheet_should():
    known = EditFacts(Period(2024), institution=PanelRecord("A", 9))
    assert known.expected() == {"federal_agency": 9, "tax_id": "", "lei": "A"}
    assert EditFacts(Period(2024)).expected() == {}
