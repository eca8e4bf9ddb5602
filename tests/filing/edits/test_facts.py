"""What edits may know: constants, lookups, exact numbers, and what is lacking."""

from decimal import Decimal, localcontext

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filing.edits import catalogue
from filing.edits.edit import EditLevel
from filing.edits.facts import EditFacts, PanelRecord, read_decimals
from filing.lar.years import Period
from tests.filing.edits.cases import CENSUS, LEI, facts

FEW_PLACES = st.decimals(
    allow_nan=False, allow_infinity=False, places=8, min_value=-(10**9), max_value=10**9
)
ANY = st.decimals(allow_nan=False, allow_infinity=False)


def test_constants_are_the_same_on_all_rows():
    names = ["filing_year", "filing_quarter", "quarter_start", "quarter_end", "ts.lei"]
    known = facts(Period(2024, 2))
    frame = pl.DataFrame({"a": [1, 2]}).with_columns(known.columns(names, present=["a"]))
    assert frame.row(1, named=True) == {
        "a": 2,
        "filing_quarter": 2,
        "filing_year": 2024,
        "quarter_end": 20240630,
        "quarter_start": 20240401,
        "ts.lei": LEI,
    }
    assert EditFacts(Period(2024)).columns(["filing_quarter"], present=["filing_quarter"]) == []


@pytest.mark.parametrize("name", ["ts.lei", "county#known_county", "institution.agency", "weather"])
def test_a_column_that_is_not_known_is_an_error(name):
    with pytest.raises(LookupError, match=f"needs {name}, which is not known for 2024"):
        EditFacts(Period(2024)).columns([name], present=())


def test_what_is_lacking_is_said():
    edit = catalogue.find_edit("Q647", Period(2024), EditLevel.FILE)
    assert EditFacts(Period(2024)).lacks(edit) == (
        "the whole file is needed; the transmittal sheet is missing"
    )
    assert facts(Period(2024)).lacks(edit, whole_file=True) == ""


def test_lookups_answer_on_every_text():
    texts = pl.DataFrame({"c": ["06037", "48301", "06037123456", "NA", "", "é"]})
    known = EditFacts(Period(2024), census=CENSUS)
    names = ["c#known_county", "c#known_tract", "c#small_county"]
    assert texts.select(known.columns(names, present=())).to_dict(as_series=False) == {
        "c#known_county": [True, True, False, False, False, False],
        "c#known_tract": [False, False, True, False, False, False],
        "c#small_county": [False, True, False, False, False, False],
    }


def test_the_panel_says_what_the_sheet_should():
    known = EditFacts(Period(2024), institution=PanelRecord("A", 9))
    assert known.expected() == {"federal_agency": 9, "tax_id": "", "lei": "A"}
    assert EditFacts(Period(2024)).expected() == {}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-0.5", "-0.5"),
        ("+007.50", "7.5"),
        (".5", "0.5"),
        ("5.", 5),
        ("1.5e3", 1500),
        ("1E-3", "0.001"),
        ("0e99", 0),
        ("1e-20", "1E-16"),
        ("-6.50000000000000000001", "-6.5000000000000001"),
        ("1e60", "9999999999999999999999.9999999999999999"),
        ("-" + "9" * 90, "-9999999999999999999999.9999999999999999"),
        *((text, None) for text in ("", "NA", "Exempt", "x", "1e", "--1", "1,5", " 1", "٣", "inf")),
        *((text, None) for text in ("nan", "1_0", "0x1", "1" * 40 + "x", "Exempt1e5")),
    ],
)
def test_texts_read_as_exact_decimals(text, value):
    expected = None if value is None else Decimal(value)
    assert read_decimals(pl.Series(["1", text])).to_list() == [1, expected]


@given(ANY, FEW_PLACES)
def test_a_number_of_any_length_keeps_its_side_of_every_short_number(long, short):
    texts = pl.Series([f"{long:e}", f"{short:f}"])
    one, other = read_decimals(texts)
    with localcontext(prec=80):
        assert (one > other, one < other) == (long > short, long < short)
