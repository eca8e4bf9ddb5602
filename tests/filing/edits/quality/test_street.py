"""Street addresses: each single character beside a word, and alone, in the edits of Q660."""

import string

import pytest

from tests.filing.edits.codes import holding, periods

YEARS = "2024-"
PRINTABLE = [chr(number) for number in range(32, 127)]
OTHERS = ["é", "ß", "Ω", "٣", "\u00a0", "—"]
IN_WORDS = {*string.ascii_letters, *string.digits, "_"}
SEPARATORS = {"&", ";", "\\"}
UNUSUAL = set("!@$^%*_+={}[]<>?\\")
SPELLINGS = ("and", "And", "aNd", "anD", "ANd", "AnD", "aND", "AND")


def accepted(code, streets):
    """Return the streets that an edit accepts, in every form that it has."""
    (first, *others) = [
        holding(code, period, {}, "street", streets) for period in periods(code, YEARS)
    ]
    assert all(other == first for other in others)
    return first


@pytest.mark.parametrize("form", ["{}and", "{}AND 2 Elm", "1 Oak{}and 2 Elm"])
def test_and_is_a_word_unless_a_letter_or_digit_stands_before_it(form):
    streets = {form.format(before): before for before in [*PRINTABLE, *OTHERS]}
    right = [streets[street] for street in accepted("Q660-2", list(streets))]
    assert set(right) == IN_WORDS - SEPARATORS


@pytest.mark.parametrize("form", ["and{}", "1 Oak AND{}", "1 Oak and{}2 Elm"])
def test_and_is_a_word_unless_a_letter_or_digit_stands_after_it(form):
    streets = {form.format(after): after for after in [*PRINTABLE, *OTHERS]}
    right = [streets[street] for street in accepted("Q660-2", list(streets))]
    assert set(right) == IN_WORDS - SEPARATORS


def test_and_is_found_in_any_case_of_letters():
    streets = [f"1 Oak {word} 2 Elm" for word in SPELLINGS]
    assert accepted("Q660-2", [*streets, "1 Oak an 2 Elm", "1 Oak nd 2 Elm", "1 Oak a n d 2"]) == [
        *("1 Oak an 2 Elm", "1 Oak nd 2 Elm", "1 Oak a n d 2"),
    ]


@pytest.mark.parametrize(("code", "refused"), [("Q660-2", SEPARATORS), ("Q660-3", UNUSUAL)])
@pytest.mark.parametrize("form", ["{}", "1 Main St{}", "1 Main{}St", "{} 1 Main St"])
def test_these_characters_are_refused_wherever_they_stand(code, refused, form):
    streets = {form.format(each): each for each in [*PRINTABLE, *OTHERS]}
    right = [streets[street] for street in accepted(code, list(streets))]
    assert set(right) == {*PRINTABLE, *OTHERS} - refused


def test_tbd_is_found_in_any_case_and_inside_of_words():
    wrong = ["tbd", "TBD", "tBd", "Lot TBD", "Outbdoor 1", "1tbd2"]
    right = ["tb", "bd", "t b d", "tdb", "TB-D"]
    assert accepted("Q660-3", [*wrong, *right]) == right


def test_letters_and_digits_of_ascii_are_asked_for_together():
    mixed = [f"{letter}{digit}" for letter in string.ascii_letters for digit in string.digits]
    words = ["", *("NA", "na", "Na", "nA"), *("Exempt", "EXEMPT", "exempt", "eXEMPt")]
    wrong = [*string.ascii_letters, *string.digits, "é1", "a٣", "-", " ", "N A", "Exempt."]
    assert accepted("Q660-4", [*mixed, *words, *wrong]) == [*mixed, *words]


def test_the_length_is_counted_in_characters():
    lengths = [*range(98, 104), 150]
    streets = {letter * length: length for letter in ("x", "é") for length in lengths}
    right = [streets[street] for street in accepted("Q660-1", list(streets))]
    assert right == [98, 99, 100] * 2
