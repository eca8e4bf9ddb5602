"""The words of the rulebook: each answers true or false on every row."""

from __future__ import annotations

import polars as pl
import pytest

from filing.edits import vocabulary as v
from tests.filing.edits.answers import answers

TEXTS = ["", "NA", "na", "Exempt", "1", "-2.50", "06037", "CA", "é1", "ab"]
CODES = [0, 1, 2, 11, -1, 9, 1111, 8888, 99, 5]


def frame_of_texts_and_codes():
    """Return rows that hold these texts in every text column, codes in others."""
    columns = {
        **dict.fromkeys(("rate_spread", "income", "application_date", "county", "state"), TEXTS),
        **dict.fromkeys(("census_tract", "street", "city", "zip_code", "uli", "nmlsr_id"), TEXTS),
        **dict.fromkeys(("loan_type", "applicant_age", "aus_2", "total_units"), CODES),
    }
    ints = pl.Int32
    return pl.DataFrame(
        {name: pl.Series(x, dtype=ints if x is CODES else pl.String) for name, x in columns.items()}
    )


def only(*positions):
    return [position in positions for position in range(10)]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (v.one_of("county", "NA"), only(1)),
        (v.one_of("county", "NA", "Exempt"), only(1, 3)),
        (v.one_of("loan_type", 1, 2), only(1, 2)), (v.blank("county"), only(0)),
        (v.blank("aus_2"), only(0)),
        (v.if_then(v.one_of("loan_type", 1, 2), v.one_of("loan_type", 2)),
         [x != 1 for x in CODES]),
        (v.iff(v.one_of("county", "NA"), v.one_of("loan_type", 1, 2)), [x != 2 for x in CODES]),
        (v.any_of(v.blank("county"), v.one_of("loan_type", 5)), only(0, 9)),
        (v.any_reads(["county", "loan_type"], 1, 11), only(1, 3, 4)),
        (v.any_reads(["county"], 6037), only()), (v.any_reads(["income"], 6037), only(6)),
        (v.number("rate_spread"), only(4, 5, 6)), (v.number("applicant_age"), [True] * 10),
        (v.num("rate_spread") > -2.5, only(4, 6)), (v.num("rate_spread") >= -2.5, only(4, 5, 6)),
        (v.num("rate_spread") < 1, only(5)), (v.num("rate_spread") <= 1, only(4, 5)),
        (v.num("rate_spread") == 1, only(4)),
        (v.num("rate_spread") != 1, [text != "1" for text in TEXTS]),
        (v.num("rate_spread") > v.num("income"), only()),
        (v.num("rate_spread") >= v.num("total_units"), only(4, 6)),
        (v.num("total_units") > v.num("rate_spread"), only(5)),
        (v.num("total_units") > 8.5, only(3, 5, 6, 7, 8)),
        (v.num("applicant_age") - 20_000 >= v.num("total_units") - 20_000, [True] * 10),
        (v.length("county") == 2, only(1, 2, 7, 8, 9)),
        (v.first("county", 2) == "06", only(6)), (v.upper("county") == "NA", only(1, 2)),
        (v.value("county") == v.value("state"), [True] * 10),
        (v.matches("county", r"\w+\d|\d{5}"), only(6)),
        (v.matches("county", "a|ab"), only(9)), (v.integer("county") > 0, only(4, 6)),
        (v.integer("county") <= 6037, only(4, 6)),
        (v.contains_any("county", "A", "0"), only(1, 2, 5, 6, 7, 9)),
        (v.in_any_case("county", "NA"), only(1, 2)),
        (v.in_any_case("county", "eXEMPT", "1"), only(3, 4)),
        (v.postal_state("state"), only(7)), (v.fips_of("state") == "06", only(7)),
        (v.fips_of("state") == "", [text != "CA" for text in TEXTS]),
        (v.known_county("county"), only(6)), (v.known_tract("census_tract"), only()),
        (v.small_county("county"), only()), (v.right_check_digits("uli"), only()),
        (v.valid_date("application_date"), only()),
        (v.year_of("applicant_age") == 0, [True] * 4 + [False] + [True] * 5),
    ],
)  # fmt: skip
def test_a_word_answers_true_or_false_on_every_row(word, expected):
    assert answers(word, frame_of_texts_and_codes()) == expected


@pytest.mark.parametrize(
    ("text", "zeros", "reads"),
    [
        ("888", 0, True), ("888.0", 0, False), ("888", 2, True), ("888.0", 2, True),
        ("888.00", 2, True), ("888.000", 2, False), ("888.01", 2, False), ("88888.00", 2, True),
        ("88888.000", 2, False), ("8888", 2, False), ("-888", 2, False), ("Exempt", 2, False),
    ],
)  # fmt: skip
def test_a_number_may_be_typed_with_some_zeros_after_the_point(text, zeros, reads):
    word = v.any_reads(["property_value"], 888, 88888, zeros=zeros)
    assert answers(word, pl.DataFrame({"property_value": [text]})) == [reads]


@pytest.mark.parametrize(
    ("text", "is_integer"),
    [
        ("+7", True), ("-007", True), ("9223372036854775807", True), ("0" * 5000 + "7", True),
        ("9" * 5000, False), ("9223372036854775808", False), ("7.0", False), ("7e0", False),
        ("1_000", False), ("+", False), ("7\N{NO-BREAK SPACE}", False),
        ("\N{FULLWIDTH DIGIT SEVEN}", False),
    ],
)  # fmt: skip
def test_an_integer_is_digits_with_an_optional_sign(text, is_integer):
    frame = pl.DataFrame({"nmlsr_id": [text]})
    assert answers(v.integer("nmlsr_id") >= -7, frame) == [is_integer]


def test_distinct_codes_may_be_blank_or_unknown_more_than_once():
    rows = [
        ((5, 2, 21, 22, 23), True),
        ((5, 0, 0, 0, 0), True),
        ((0, 0, 0, 0, 0), True),
        ((99, 99, -1, -1, 1111), True),
        ((8, 1, 2, 3, 4), True),
        ((5, 5, 0, 0, 0), False),
        ((0, 0, 0, 21, 21), False),
        ((5, 1, 2, 3, 5), False),
        ((99, 99, 2, 99, 2), False),
        ((6, 0, 6, 0, 0), False),
        ((8, 0, 0, 8, 0), False),
    ]
    for person in ("applicant", "co_applicant"):
        names = [f"{person}_race_{number}" for number in range(1, 6)]
        frame = pl.DataFrame([codes for codes, _ in rows], schema=names, orient="row")
        assert answers(v.all_distinct(*names), frame) == [expected for _, expected in rows]


def test_distinct_codes_without_a_twin_are_those_of_the_first_field():
    frame = pl.DataFrame({"denial_reason_1": [10, 1111, 11], "denial_reason_2": [10, 1111, 11]})
    word = v.all_distinct("denial_reason_1", "denial_reason_2")
    assert answers(word, frame) == [False, False, True]
