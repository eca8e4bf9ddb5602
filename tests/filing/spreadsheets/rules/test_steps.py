"""Rules have one reading: what they write they leave alone, and what they change they list."""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filing.lar.fields import LAR, LAR_BY_NAME, TRANSMITTAL_SHEET, TS_BY_NAME
from filing.spreadsheets.code_texts import list_code_words, list_codes
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.rules.columns import find_column_rules
from filing.spreadsheets.rules.steps import RuleLog, run_rules
from filing.spreadsheets.sheet_rows import CellKind, fold_name, write_number_text

YEAR = 2024
FIELDS = [*LAR, *TRANSMITTAL_SHEET]
TEXTS = st.one_of(
    st.text(max_size=12),
    st.text(alphabet="0123456789.,-$()%/ |\"'\nNAexmpt", max_size=14),
    st.from_regex(r"[0-9]{1,4}[-/][0-9]{1,2}[-/][0-9]{2,4}", fullmatch=True),
    st.sampled_from(["NA", "n/a", "exempt", "1 - x", "Yes", "California", "6037", "2640.00"]),
)


def ran(
    field: Any, *values: str, kind: CellKind = CellKind.TEXT, **options: Any
) -> tuple[list[str], RuleLog]:
    log = RuleLog()
    kinds = pl.Series([int(kind)] * len(values), dtype=pl.UInt8)
    beside = pl.Series(["06037"] * len(values)) if field.name == "census_tract" else None
    written = run_rules(
        field.name,
        pl.Series(values, dtype=pl.String),
        kinds,
        find_column_rules(field, year=YEAR, options=ConversionOptions(**options)),
        log,
        beside=beside,
    )
    return written.to_list(), log


@given(st.sampled_from(FIELDS), st.lists(TEXTS, min_size=1, max_size=8))
def test_every_change_is_listed(field: Any, values: list[str]) -> None:
    written, log = ran(field, *values)
    now = dict(enumerate(values))
    for change in log.changes:
        for row, before, after in change.rows.iter_rows():
            assert now[row] == before
            now[row] = after
    assert list(now.values()) == written


@given(st.sampled_from(FIELDS), st.lists(TEXTS, min_size=1, max_size=8))
def test_what_is_written_stays(field: Any, values: list[str]) -> None:
    written, log = ran(field, *values)
    doubtful = {row for doubt in log.doubts for row in doubt.cells["row"]}
    sure = [text for row, text in enumerate(written) if row not in doubtful]
    again, second = ran(field, *sure)
    assert again == sure
    assert second.changes == []


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.sampled_from(["mdy", "dmy"]))
def test_each_date_has_its_reading(day: date, order: str) -> None:
    d, m, y = day.day, day.month, day.year
    last = (
        [f"{m}/{d}/{y}", f"{m:02}-{d:02}-{y}"]
        if order == "mdy"
        else [f"{d}/{m}/{y}", f"{d:02}-{m}-{y}"]
    )
    forms = [day.isoformat(), f"{y}/{m}/{d}", f"{day:%b} {d}, {y}", f"{d}-{day:%b}-{y}", *last]
    written, log = ran(LAR_BY_NAME["action_taken_date"], *forms, dates=order)
    assert written == [f"{day:%Y%m%d}"] * len(forms)
    assert log.doubts == []


@pytest.mark.parametrize(
    ("number", "text"),
    [(6.875000000000001, "6.875"), (56.99999999999999, "57"), (66.99999999999996, "67"),
     (4.125, "4.125"), (110500.0, "110500"), (-0.0, "0"), (1.5e-7, "0.00000015")],
)  # fmt: skip
def test_a_number_cell_has_no_digits_of_its_arithmetic(number: float, text: str) -> None:
    assert write_number_text(number) == text


@pytest.mark.parametrize(
    "field", [one for one in FIELDS if list_codes(one, YEAR)], ids=lambda f: f.name
)
def test_each_code_is_written_for_its_text(field: Any) -> None:
    if field.name == "record_id":
        return
    texts = list_codes(field, YEAR)
    for form in ("{code} - {text}", "{upper}", "{code}.0"):
        typed = [form.format(code=c, text=t, upper=t.upper()) for c, t in texts.items()]
        written, log = ran(field, *typed)
        assert written == [str(code) for code in texts]
        assert log.doubts == []


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("action_taken_date", "21/7/2024"), ("action_taken_date", "7/21/24"),
        ("action_taken_date", "2/30/2024"), ("action_taken_date", "2024-07-21 13:00"),
        ("action_taken_date", "0/1/2024"), ("action_taken_date", "21.7.2024"),
        ("action_taken_date", "July 32, 2024"), ("application_date", "Smarch 1, 2024"),
        ("loan_type", "yes"), ("hoepa_status", "N"), ("loan_type", "TRUE"),
        ("loan_type", "2 - Conventional"), ("uli", "5.2E+21"), ("street", "a|b"),
        ("applicant_race_1", "5 - Asian"),
    ],
)  # fmt: skip
def test_what_has_no_reading_is_doubted_and_stays(name: str, typed: str) -> None:
    written, log = ran(LAR_BY_NAME[name], typed)
    assert written == [typed]
    assert [doubt.cells.row(0) for doubt in log.doubts] == [(0, typed)]
    assert log.changes == []


@pytest.mark.parametrize(
    ("name", "typed", "written"),
    [
        ("tax_id", "999999999", "99-9999999"), ("tax_id", "12345678", "01-2345678"),
        ("contact_phone", "5555550100", "555-555-0100"),
        ("contact_phone", "(555) 555-0100", "555-555-0100"), ("contact_state", "California", "CA"),
        ("contact_zip_code", "2116", "02116"), ("federal_agency", "9 - CFPB", "9"),
        ("calendar_year", "2024.0", "2024"), ("calendar_quarter", "Annual", "4"),
        ("lei", "529900examplelei0001", "529900EXAMPLELEI0001"),
    ],
)  # fmt: skip
def test_the_rules_of_the_transmittal_sheet(name: str, typed: str, written: str) -> None:
    assert ran(TS_BY_NAME[name], typed)[0] == [written]


@pytest.mark.parametrize(
    ("name", "typed", "written"),
    [
        ("loan_type", "Conventional", "1"), ("loan_type", "fha", "2"), ("loan_type", "VA", "3"),
        ("loan_purpose", "Purchase", "1"), ("loan_purpose", "Refi", "31"),
        ("loan_purpose", "Cash-out refinance", "32"), ("loan_purpose", "Home Improvement", "2"),
        ("occupancy_type", "Primary", "1"), ("occupancy_type", "Second home", "2"),
        ("occupancy_type", "Investment", "3"), ("action_taken", "Originated", "1"),
        ("action_taken", "Approved not accepted", "2"), ("action_taken", "Denied", "3"),
        ("action_taken", "WITHDRAWN", "4"), ("action_taken", "Incomplete", "5"),
        ("action_taken", "Purchased", "6"), ("lien_status", "1st lien", "1"),
        ("lien_status", "Subordinate", "2"), ("construction_method", "Site built", "1"),
        ("construction_method", "Manufactured", "2"), ("purchaser_type", "FNMA", "1"),
        ("applicant_race_1", "Black", "3"), ("co_applicant_race_1", "No co-applicant", "8"),
        ("applicant_ethnicity_1", "Non-Hispanic", "2"), ("applicant_sex", "F", "2"),
        ("loan_purpose", "31 - Refinance", "31"), ("hoepa_status", "N/A", "3"),
    ],
)  # fmt: skip
def test_words_with_one_meaning_are_codes(name: str, typed: str, written: str) -> None:
    done, log = ran(LAR_BY_NAME[name], typed)
    assert done == [written]
    assert log.doubts == []


@pytest.mark.parametrize("year", [2018, 2020, 2021, 2022, 2024, 2025])
def test_no_word_stands_for_two_codes_of_a_column(year: int) -> None:
    for field in FIELDS:
        words = [
            fold_name(word) for each in list_code_words(field, year).values() for word in set(each)
        ]
        assert len(words) == len(set(words)), field.name


@pytest.mark.parametrize(
    ("name", "typed", "written"),
    [
        ("zip_code", "'02138", "02138"), ("zip_code", '="02138"', "02138"),
        ("county", "'6037", "06037"), ("loan_type", "'1", "1"), ("uli", "'ABC1", "ABC1"),
        ("street", '="12 Main St"', "12 Main St"), ("street", "'12 Main St", "12 Main St"),
        ("action_taken_date", "'20240721", "20240721"), ("city", "'s-Gravenhage", "'s-Gravenhage"),
        ("loan_amount", "1.105E+05", "110500"), ("income", "3.6e1", "36"),
        ("loan_amount", "1.5E-03", "1.5E-03"), ("loan_term", "3.605E+01", "3.605E+01"),
    ],
)  # fmt: skip
def test_guards_and_exponents_of_spreadsheets_are_taken_off(
    name: str, typed: str, written: str
) -> None:
    done, log = ran(LAR_BY_NAME[name], typed)
    assert done == [written]
    assert bool(log.changes) == (typed != written)
