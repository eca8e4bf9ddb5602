"""Edits of state, county and census tract, on all combinations of values and a small census."""

from collections.abc import Callable
from itertools import product

import polars as pl
import pytest

from filing.edits import catalogue, engine, examples
from filing.edits.edit import EditLevel
from filing.edits.facts import EditFacts, PanelRecord
from filing.lar.years import Period
from filing.reference.census import Census
from tests.filing.edits.cases import LEI

KNOWN_TRACTS = {"06037123456", "36061000100", "48301950100"}
KNOWN_COUNTIES = {"06037", "36061", "48301"}
SMALL_COUNTIES = {"48301"}
FIPS = {"CA": "06", "NY": "36", "TX": "48"}

STATES = ("CA", "NY", "TX", "XX", "ca", "NA", "na", "Exempt", "")
COUNTIES = (
    *("06037", "36061", "48301", "06001", "6037", "060371", "99999"),
    *("NA", "na", "nA", "Exempt", ""),
)
TRACTS = (
    *("06037123456", "36061000100", "48301950100", "06037999999", "99999999999"),
    *("06037", "0603712345", "060371234567", "06037.23456", "0603712345٣"),
    *("NA", "na", "Na", "Exempt", ""),
)
ROWS = list(product(STATES, COUNTIES, TRACTS))

Place = Callable[[str, str, str], bool]


def is_na(text: str) -> bool:
    return text.upper() == "NA"


def county_lies_in_state(state: str, county: str, _: str) -> bool:
    is_known = county in KNOWN_COUNTIES and county[:2] == FIPS.get(state)
    return is_na(county) or is_na(state) or is_known


def county_is_known(state: str, county: str, _: str) -> bool:
    return is_na(county) or is_na(state) or county in KNOWN_COUNTIES


def tract_is_eleven_digits(_: str, __: str, tract: str) -> bool:
    return is_na(tract) or (len(tract) == 11 and tract.isascii() and tract.isdigit())


def tract_is_known(_: str, __: str, tract: str) -> bool:
    return is_na(tract) or tract in KNOWN_TRACTS


def county_is_known_or_na(_: str, county: str, __: str) -> bool:
    return county == "NA" or county in KNOWN_COUNTIES


def tract_lies_in_county(_: str, county: str, tract: str) -> bool:
    is_inside = tract[:5] == county and county in KNOWN_COUNTIES
    return "NA" in (county, tract) or is_inside


def tract_is_left_out_of_small_counties_only(_: str, county: str, tract: str) -> bool:
    return not is_na(tract) or is_na(county) or county in SMALL_COUNTIES


RULES: list[tuple[str, str, Place]] = [
    *(("V625-1", period, tract_is_eleven_digits) for period in ("2018", "2024", "2026-Q3")),
    *(("V625-2", period, tract_is_known) for period in ("2018", "2024", "2026-Q3")),
    *(("V626", period, county_is_known_or_na) for period in ("2018", "2024", "2026-Q3")),
    *(("V627", period, tract_lies_in_county) for period in ("2018", "2020-Q1", "2024-Q2", "2026")),
    *(("V716", period, county_lies_in_state) for period in ("2020", "2020-Q3", "2023-Q1", "2026")),
    *(
        ("Q603", period, tract_is_left_out_of_small_counties_only)
        for period in ("2018", "2024", "2026-Q3")
    ),
    ("Q604", "2018", county_is_known),
    ("Q604", "2019", county_lies_in_state),
]


@pytest.mark.parametrize(("code", "text", "holds"), RULES, ids=lambda value: str(value)[:12])
def test_an_edit_holds_on_these_combinations_and_no_others(code, text, holds):
    period = Period.parse(text)
    edit = catalogue.find_edit(code, period, EditLevel.LAR)
    typed = pl.DataFrame(
        [(number, *row) for number, row in enumerate(ROWS)],
        schema={"row": pl.UInt32, "state": str, "county": str, "census_tract": str},
        orient="row",
    )
    names = ["row", "state", "county", "census_tract"]
    loan = examples.make_loan_frame([examples.correct_loan(period, LEI)]).drop(names)
    failing = engine.find_failures(loan.join(typed, how="cross"), [edit], known(period))
    wrong = {ROWS[row] for rows in failing.values() for row in rows}
    assert wrong == {row for row in ROWS if not holds(*row)}


def known(period: Period) -> EditFacts:
    census = Census(*(pl.Series(sorted(n)) for n in (KNOWN_TRACTS, KNOWN_COUNTIES, SMALL_COUNTIES)))
    sheet = examples.correct_transmittal_sheet(period, LEI, 1)
    return EditFacts(period, sheet, PanelRecord(LEI, examples.AGENCY, examples.TAX_ID), census)
