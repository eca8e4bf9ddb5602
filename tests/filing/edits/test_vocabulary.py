"""The words of the rulebook: each answers true or false on every row."""

import polars as pl
import pytest

from filing.edits import vocabulary as v
from filing.edits.facts import Facts
from filing.lar.period import Period
from tests.filing.edits.cases import CENSUS

TEXTS = ["", "NA", "na", "Exempt", "1", "-2.50", "06037", "CA", "é1", "ab"]
CODES = [0, 1, 2, 11, -1, 9, 1111, 8888, 99, 5]


def answers(word):
    """Return the answers on rows that hold these texts in every text column, codes in others."""
    columns = {
        **dict.fromkeys(("rate_spread", "income", "application_date", "county", "state"), TEXTS),
        **dict.fromkeys(("census_tract", "street", "city", "zip_code", "uli", "nmlsr_id"), TEXTS),
        **dict.fromkeys(("loan_type", "applicant_age", "aus_2", "total_units"), CODES),
    }
    ints = pl.Int32
    frame = pl.DataFrame(
        {name: pl.Series(x, dtype=ints if x is CODES else pl.String) for name, x in columns.items()}
    )
    known = Facts(Period(2024), census=CENSUS)
    derived = known.columns(set(word.meta.root_names()), given=frame.columns)
    return frame.with_columns(derived).select(answer=word)["answer"].to_list()


def only(*positions):
    return [position in positions for position in range(10)]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (v.one_of("county", "NA"), only(1)),
        (v.one_of("county", "NA", "Exempt"), only(1, 3)),
        (v.one_of("loan_type", 1, 2), only(1, 2)),
        (v.blank("county"), only(0)),
        (v.blank("aus_2"), only(0)),
        (v.if_then(v.one_of("loan_type", 1, 2), v.one_of("loan_type", 2)), [x != 1 for x in CODES]),
        (v.iff(v.one_of("county", "NA"), v.one_of("loan_type", 1, 2)), [x != 2 for x in CODES]),
        (v.any_of(v.blank("county"), v.one_of("loan_type", 5)), only(0, 9)),
        (v.number("rate_spread"), only(4, 5, 6)),
        (v.number("applicant_age"), [True] * 10),
        (v.num("rate_spread") > -2.5, only(4, 6)),
        (v.num("rate_spread") >= -2.5, only(4, 5, 6)),
        (v.num("rate_spread") < 1, only(5)),
        (v.num("rate_spread") <= 1, only(4, 5)),
        (v.num("rate_spread") == 1, only(4)),
        (v.num("rate_spread") != 1, [text != "1" for text in TEXTS]),
        (v.num("rate_spread") > v.num("income"), only()),
        (v.num("rate_spread") >= v.num("total_units"), only(4, 6)),
        (v.num("total_units") > v.num("rate_spread"), only(5)),
        (v.num("total_units") > 8.5, only(3, 5, 6, 7, 8)),
        (v.num("applicant_age") - 20_000 >= v.num("total_units") - 20_000, [True] * 10),
        (v.num("rate_spread") - 0.5 == 0.5, only(4)),
        (v.length("county") == 2, only(1, 2, 7, 8, 9)),
        (v.first("county", 2) == "06", only(6)),
        (v.lower("county") == "na", only(1, 2)),
        (v.upper("county") == "NA", only(1, 2)),
        (v.value("county") == v.value("state"), [True] * 10),
        (v.matches("county", r"\w+\d|\d{5}"), only(6)),
        (v.matches("county", "a|ab"), only(9)),
        (v.in_any_case("county", "NA"), only(1, 2)),
        (v.in_any_case("county", "eXEMPT", "1"), only(3, 4)),
        (v.postal_state("state"), only(7)),
        (v.fips_of("state") == "06", only(7)),
        (v.fips_of("state") == "", [text != "CA" for text in TEXTS]),
        (v.known_county("county"), only(6)),
        (v.known_tract("census_tract"), only()),
        (v.small_county("county"), only()),
        (v.right_check_digits("uli"), only()),
        (v.valid_date("application_date"), only()),
        (v.year_of("applicant_age") == 0, [True] * 4 + [False] + [True] * 5),
    ],
)
def test_a_word_answers_true_or_false_on_every_row(word, expected):
    assert answers(word) == expected


def test_a_literal_means_exactly_what_is_written():
    frame = pl.DataFrame({"rate_spread": ["0.1", "0.1000000000000000055511151231257827"]})
    derived = Facts(Period(2024)).columns(["rate_spread#number"], given=frame.columns)
    above = frame.with_columns(derived).select(v.num("rate_spread") > 0.1)
    assert above.to_series().to_list() == [False, True]
