"""Texts with a form: which characters may stand at each place, and how many."""

from string import ascii_uppercase

import pytest

from filing.edits import catalogue
from filing.edits.edit import EditLevel
from filing.lar.years import Period
from tests.filing.edits.cases import holds
from tests.filing.edits.codes import ALWAYS, holding, periods

# Those on both sides of where digits, capital and small letters begin and end, and others.
EDGES = ["/", *"0189", ":", "@", *"ABYZ", "[", "`", *"abyz", "{", *"_-+. ", "é", "٣"]
DIGITS, LETTERS = "0189", "ABYZabyz"
STATES = [
    *("AK", "AL", "AR", "AS", "AZ", "CA", "CO", "CT", "DC", "DE", "FL", "FM", "GA", "GU"),
    *("HI", "IA", "ID", "IL", "IN", "KS", "KY", "LA", "MA", "MD", "ME", "MH", "MI", "MN"),
    *("MO", "MP", "MS", "MT", "NC", "ND", "NE", "NH", "NJ", "NM", "NV", "NY", "OH", "OK"),
    *("OR", "PA", "PR", "PW", "RI", "SC", "SD", "TN", "TX", "UT", "VA", "VI", "VT", "WA"),
    *("WI", "WV", "WY"),
]
PAIRS = [f"{one}{other}" for one in ascii_uppercase for other in ascii_uppercase]

# Code, years, column, a text with a gap, the characters that may stand in the gap.
OF_LOANS = [
    ("V608-1", ALWAYS, "uli", "A" * 22 + "{}", DIGITS + LETTERS),
    ("V608-1", ALWAYS, "uli", "{}" + "A" * 44, DIGITS + LETTERS),
    ("V608-2", "2018-", "uli", "A{}", DIGITS + LETTERS),
    ("V608-2", "2018-", "uli", "{}" + "A" * 21, DIGITS + LETTERS),
    ("V624", ALWAYS, "zip_code", "9000{}", DIGITS),
    ("V624", ALWAYS, "zip_code", "{}0001-1234", DIGITS),
    ("V624", ALWAYS, "zip_code", "90001{}1234", "-"),
    ("V624", ALWAYS, "zip_code", "90001-123{}", DIGITS),
    ("V625-1", ALWAYS, "census_tract", "0603712345{}", DIGITS),
    ("V625-1", ALWAYS, "census_tract", "{}6037123456", DIGITS),
    ("V695-1", "2021-", "nmlsr_id", "1{}", DIGITS),
    ("V695-1", "2021-", "nmlsr_id", "{}1", f"{DIGITS}-+"),
    ("V695-3", "2025-", "nmlsr_id", "123{}", DIGITS),
    ("Q621", "2018-2024", "nmlsr_id", "1{}", DIGITS + LETTERS),
]
OF_SHEETS = [
    ("V603", "2018", "contact_phone", "{}55-555-0100", DIGITS),
    ("V603", "2018", "contact_phone", "555{}555-0100", "-"),
    ("V603", "2024", "contact_phone", "555-55{}-0100", DIGITS),
    ("V603", "2024", "contact_phone", "555-555-010{}", DIGITS),
    ("V605", "2024", "contact_zip_code", "9000{}", DIGITS),
    ("V605", "2024", "contact_zip_code", "90001{}1234", "-"),
    ("V605", "2024", "contact_zip_code", "90001-123{}", DIGITS),
    ("V607", "2024", "tax_id", "{}2-3456789", DIGITS),
    ("V607", "2024", "tax_id", "12{}3456789", "-"),
    ("V607", "2024", "tax_id", "12-345678{}", DIGITS),
    ("V717", "2020", "contact_email", "{}@bank.com", f"{DIGITS}{LETTERS}_-+"),
    ("V717", "2024", "contact_email", "a{}b@bank.com", f"{DIGITS}{LETTERS}_-+."),
    ("V717", "2024", "contact_email", "a.{}b@bank.com", f"{DIGITS}{LETTERS}_-"),
    ("V717", "2024", "contact_email", "a@{}.com", f"{DIGITS}{LETTERS}-"),
    ("V717", "2024", "contact_email", "a@b{}c.com", f"{DIGITS}{LETTERS}-."),
    ("V717", "2024", "contact_email", "a@b.{}.com", f"{DIGITS}{LETTERS}"),
    ("V717", "2024", "contact_email", "a@b.c{}c.com", f"{DIGITS}{LETTERS}."),
    ("V717", "2024", "contact_email", "a@bank.{}b", LETTERS),
    ("V717", "2024", "contact_email", "a@bank.b{}", LETTERS),
]

# Code, year, column, texts that are accepted, texts that are not.
SHEETS = [
    ("V603", "2024", "contact_phone", ("555-555-0100",),
     ("55-555-0100", "555-555-010", "5555550100")),
    ("V603", "2024", "contact_phone", ("000-000-0000",), ("5555-555-0100", "555-555-01000", "NA")),
    ("V605", "2024", "contact_zip_code", ("00000",), ("9000", "900011", "90001-", "90001-123")),
    ("V605", "2024", "contact_zip_code", ("90001-1234",), ("90001-12345", "9000-1234", "", "NA")),
    ("V607", "2024", "tax_id", ("12-3456789",), ("1-3456789", "123-456789", "12-345678", "")),
    ("V607", "2024", "tax_id", ("00-0000000",), ("12-34567890", "123456789", "123-3456789")),
    ("V717", "2024", "contact_email", ("a@b.co",), ("@bank.com", "a@.com", "a@bank", "a@bank.c")),
    ("V717", "2024", "contact_email", ("a.b.c@d.e.info",),
     ("a@bank.com.", ".a@bank.com", "a@b@c.de")),
    ("V600", "2024", "lei", ("x" * 20, "é" * 20), ("x" * 19, "x" * 21, "")),
]  # fmt: skip
REQUIRED = ("institution_name", "contact_name", "contact_email", "contact_street", "contact_city")


def named(rows):
    return [f"{number} {code} {field}" for number, (code, _, field, *_) in enumerate(rows)]


@pytest.mark.parametrize(("code", "years", "field", "form", "right"), OF_LOANS, ids=named(OF_LOANS))
def test_only_these_characters_fill_the_gap_in_a_loan(code, years, field, form, right):
    texts = {form.format(each): each for each in EDGES}
    for period in periods(code, years):
        accepted = holding(code, period, {}, field, list(texts))
        assert {texts[text] for text in accepted} == set(right)


@pytest.mark.parametrize(
    ("code", "year", "field", "form", "right"), OF_SHEETS, ids=named(OF_SHEETS)
)
def test_only_these_characters_fill_the_gap_in_a_transmittal_sheet(code, year, field, form, right):
    texts = {form.format(each): each for each in EDGES}
    assert {texts[text] for text in accepted(code, year, field, list(texts))} == set(right)


@pytest.mark.parametrize(("code", "year", "field", "right", "wrong"), SHEETS, ids=named(SHEETS))
def test_a_transmittal_sheet_accepts_these_texts_and_no_others(code, year, field, right, wrong):
    assert accepted(code, year, field, [*right, *wrong]) == [*right]


@pytest.mark.parametrize("field", REQUIRED)
def test_each_of_these_is_asked_for_alone(field):
    assert accepted("V601", "2024", field, ["x", "", " ", "NA"]) == ["x", " ", "NA"]


def test_all_states_and_territories_are_known_and_nothing_else():
    for period in periods("V623", ALWAYS):
        assert holding("V623", period, {}, "state", PAIRS) == sorted([*STATES, "NA"])
    others = [pair for pair in PAIRS if pair in {"AA", "AE", "AP", "NA", "XX", "ZZ"}]
    small = [state.lower() for state in STATES[:3]]
    assert accepted("V604", "2024", "contact_state", [*STATES, *others, *small, ""]) == STATES


def accepted(code, year, field, texts):
    """Return the texts of a column of the transmittal sheet on which an edit of it holds."""
    period = Period.parse(year)
    edit = catalogue.find_edit(code, period, EditLevel.TS)
    return [text for text in texts if holds(edit, period, {field: text})]
