"""Made-up files are correct in every period, and fail what they are asked to fail."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from bench.yardstick.checking import LarFile, Places, failures
from filing.demo import census as demo_census
from filing.demo.files import LarRecipe, find_unreadable_edits, make_lar_file
from filing.demo.files.mix import MACRO_CODES
from filing.edits import catalogue, engine, examples
from filing.edits.edit import EditLevel
from filing.edits.facts import EditFacts, PanelRecord
from filing.lar.fields import TRANSMITTAL_SHEET
from filing.lar.parser import scan_file
from filing.lar.years import Period, supported_periods
from filing.reference import census as census_file
from tests.filing.edits.cases import ALIKE

pytestmark = pytest.mark.slow

LEI = "529900TESTBANK000042"
CENSUS = demo_census.make_census_rows(2024)
TRACTS = CENSUS["census_tract"]
FACTS = census_file.build_census(CENSUS)
PANEL = PanelRecord(LEI, examples.AGENCY, examples.TAX_ID)


def file(period: Period, rows: int, tracts: pl.Series = TRACTS, **options: Any) -> bytes:
    recipe = LarRecipe(period=period, lei=LEI, rows=rows, **options)
    return b"".join(make_lar_file(recipe, tracts))


def failing(path: Path, period: Period, level: EditLevel | None = None) -> dict[str, int]:
    """How many records fail each edit, or each of one level, by the rulebook itself."""
    sheet = path.read_text().partition("\n")[0].split("|")
    values = {
        field.name: int(text) if field.dtype == pl.Int32 else text
        for field, text in zip(TRANSMITTAL_SHEET, sheet, strict=True)
    }
    facts = EditFacts(period, transmittal_sheet=values, institution=PANEL, census=FACTS)
    edits = catalogue.list_edits(period, level=level) if level else None
    report = engine.run_edits(path, facts, io.BytesIO(), edits=edits)
    return {outcome.edit.code: outcome.total for outcome in report.outcomes if outcome.total}


def made(
    tmp_path: Path, period: Period, rows: int, fails: Mapping[str, int], **options: Any
) -> dict[str, int]:
    path = tmp_path / "made.txt"
    path.write_bytes(file(period, rows, fails=fails, **options))
    return failing(path, period)


@pytest.mark.parametrize("period", ALIKE, ids=str)
def test_no_published_edit_of_any_period_fails(period: Period) -> None:
    places = Places(
        frozenset(FACTS.tracts), frozenset(FACTS.counties), frozenset(FACTS.small_counties)
    )
    institution = {"lei": LEI, "agency": PANEL.agency, "tax_id": PANEL.tax_id}
    found = LarFile.read(file(period, 300, seed=period.year).decode())
    assert failures(found, period, places, institution=institution) == {}


@pytest.mark.parametrize("period", supported_periods(), ids=str)
def test_no_edit_of_the_rulebook_fails(period: Period, tmp_path: Path) -> None:
    assert made(tmp_path, period, 3000, {}) == {}


@pytest.mark.parametrize("rows", [*range(1, 30), 37, 53, 74, 99, 150, 233])
def test_a_file_of_any_size_keeps_clear_of_macro_edits(rows: int, tmp_path: Path) -> None:
    path = tmp_path / "made.txt"
    path.write_bytes(file(Period(2024), rows, seed=rows))
    assert failing(path, Period(2024), EditLevel.FILE) == {}


@pytest.mark.parametrize("period", ALIKE, ids=str)
def test_every_edit_of_loans_can_be_made_to_fail(period: Period, tmp_path: Path) -> None:
    codes = [edit.code for edit in catalogue.list_edits(period, level=EditLevel.LAR)]
    asked = dict.fromkeys(sorted({*codes} - {*find_unreadable_edits(period, codes)}), 2)
    found = made(tmp_path, period, 2 * len(asked) + 50, asked)
    assert {code for code in asked if found.get(code, 0) < 2} == set()


def test_an_edit_that_fails_on_nothing_readable_is_given_a_row_with_a_format_error(
    tmp_path: Path,
) -> None:
    period = Period(2024)
    codes = [edit.code for edit in catalogue.list_edits(period, level=EditLevel.LAR)]
    never = ["V610-1", "V619-1", "V657-1", "V660-1", "V665-1", "V679-1"]
    assert find_unreadable_edits(period, codes) == never
    recipe = LarRecipe(period=period, lei=LEI, rows=10, fails=dict.fromkeys(never, 1))
    path = tmp_path / "file.txt"
    path.write_bytes(b"".join(make_lar_file(recipe, examples.make_census().tracts)))
    assert scan_file(path, io.BytesIO(), io.BytesIO()).bad == len(never)


@pytest.mark.parametrize("period", [Period(2018), Period(2024), Period(2026, 3)], ids=str)
def test_every_edit_of_the_transmittal_sheet_can_be_made_to_fail(
    period: Period, tmp_path: Path
) -> None:
    of_loans = {edit.code for edit in catalogue.list_edits(period, level=EditLevel.LAR)}
    for edit in catalogue.list_edits(period, level=EditLevel.TS):
        if edit.code not in of_loans:  # where both have the code, a loan is made to fail
            assert edit.code in made(tmp_path, period, 5, {edit.code: 1})


@pytest.mark.parametrize(
    ("code", "rows", "also"),
    [
        ("S304", 10, {"Q600"}),  # the number of loans is compared with the same total
        ("S305", 10, {"Q600"}),
        ("S306", 10, {"Q600"}),
        ("Q600", 10, set()),
        ("Q634", 120, set()),
        ("Q635", 40, set()),
        ("Q636", 40, set()),
        ("Q637", 40, set()),
        ("Q638", 60, set()),
        ("Q639", 1900, set()),
        ("Q640", 20, set()),
        ("Q646", 10, set()),
        ("Q647", 10, {"Q646", "S303"}),  # the panel holds another agency
    ],
)
def test_an_edit_of_the_file_fails_when_it_is_asked_for(
    code: str, rows: int, also: set[str], tmp_path: Path
) -> None:
    assert set(made(tmp_path, Period(2024), rows, {code: 1})) - also == {code}


def test_a_quarterly_file_can_have_a_loan_of_the_next_quarter(tmp_path: Path) -> None:
    assert made(tmp_path, Period(2024, 1), 10, {"S307": 1}) == {"S307": 1}


def test_all_macro_edits_can_be_asked_for_at_once(tmp_path: Path) -> None:
    found = made(tmp_path, Period(2024), 20_000, dict.fromkeys(MACRO_CODES, 1))
    assert set(found) == MACRO_CODES


@pytest.mark.parametrize("code", ["Q635", "Q636", "Q637", "Q638"])
def test_a_macro_edit_fires_in_spite_of_rows_that_fail_other_edits(
    code: str, tmp_path: Path
) -> None:
    failing = 5 if code == "Q638" else 27
    fails = {code: 1, "Q611": failing}
    assert made(tmp_path, Period(2024), 100, fails) == {code: 1, "Q611": failing}


@pytest.mark.parametrize("code", ["Q635", "Q636", "Q637", "Q638"])
@pytest.mark.parametrize(("rows", "failing"), [(20, 0), (60, 5), (100, 8)])
def test_a_macro_edit_fires_alone_in_few_rows(
    code: str, rows: int, failing: int, tmp_path: Path
) -> None:
    fails = {code: 1, "Q611": failing} if failing else {code: 1}
    assert made(tmp_path, Period(2024), rows, fails) == fails


def test_a_quarter_hundred_failing_rows_leave_a_macro_edit_enough_of_sixty(tmp_path: Path) -> None:
    fails = {"Q611": 25, "Q637": 1}
    assert made(tmp_path, Period(2025), 60, fails) == fails


@pytest.mark.parametrize(
    ("rows", "fails"),
    [
        (20, {"Q611": 25, "Q637": 1}),
        (30, {"Q611": 25, "Q637": 1}),
        (100, {"Q638": 1, "Q611": 60}),
        (60, {"Q634": 1, "Q637": 1, "V617": 7}),
        (1, {"Q635": 1, "Q636": 1, "S305": 3}),
    ],
)
def test_a_refusal_has_the_number_of_rows_that_all_options_together_need(
    rows: int, fails: dict[str, int], tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=rf"rows are needed, but only {rows} are given") as refusal:
        file(Period(2024), rows, fails=fails)
    least = int(str(refusal.value).split()[0])
    assert set(fails) <= set(made(tmp_path, Period(2024), least, fails))
    with pytest.raises(ValueError, match=f"^{least} rows are needed"):
        file(Period(2024), least - 1, fails=fails)


@pytest.mark.parametrize("rows", [5, 60, 1000])
def test_as_many_rows_fail_as_were_asked_for(rows: int, tmp_path: Path) -> None:
    assert made(tmp_path, Period(2024), rows, {"Q613": 3, "Q605-1": 1}) == {
        "Q613": 3,
        "Q605-1": 1,
    }


def test_failing_rows_are_spread_over_the_file_and_count_as_its_rows() -> None:
    lines = file(Period(2024), 200_000, fails={"V617": 4}).splitlines()
    assert len(lines) == 200_001
    assert lines[0].split(b"|")[12] == b"200000"
    failing_lines = [i for i, line in enumerate(lines[1:]) if float(line.split(b"|")[9]) < 0]
    assert failing_lines == [0, 50_000, 100_000, 150_000]


def test_every_loan_of_a_large_file_has_its_own_uli_and_all_columns() -> None:
    lines = file(Period(2024), 120_000, fails={"V617": 4, "Q600": 1}).splitlines()[1:]
    assert {line.count(b"|") for line in lines} == {109}
    assert len({line.split(b"|")[2] for line in lines}) == 119_999


def test_the_same_recipe_makes_the_same_file_and_another_seed_another_one() -> None:
    one = file(Period(2024), 500, seed=1, fails={"S306": 2, "V617": 1})
    assert one == file(Period(2024), 500, seed=1, fails={"S306": 2, "V617": 1})
    assert one != file(Period(2024), 500, seed=2, fails={"S306": 2, "V617": 1})


def test_loans_lie_in_the_tracts_that_are_given_failing_ones_too(tmp_path: Path) -> None:
    tracts = pl.Series(["36061000100", "99001000100"])
    lines = file(Period(2024), 100, tracts, fails={"V617": 1}).decode().splitlines()[1:]
    places = {tuple(line.split("|")[14:17])[0::2] for line in lines}
    assert places == {("NY", "36061"), ("NA", "NA")}


def test_loans_are_varied() -> None:
    lines = file(Period(2024), 5000).decode().splitlines()[1:]
    columns = list(zip(*(line.split("|") for line in lines), strict=True))
    kinds = {number: len(set(columns[number - 1])) for number in (5, 6, 11, 19, 33, 51, 64, 89, 96)}
    assert kinds == {5: 4, 6: 6, 11: 8, 19: 6, 33: 9, 51: 5, 64: 14, 89: 3, 96: 6}
    assert min(len(set(columns[number - 1])) for number in (10, 12, 13, 57, 59, 73, 88)) > 100


def test_the_transmittal_sheet_says_what_is_given() -> None:
    made_file = file(Period(2026, 2), 3, name="First Bank", tax_id="11-1111111", agency=5)
    sheet = made_file.decode().partition("\n")[0].split("|")
    assert sheet[1:4] == ["First Bank", "2026", "2"]
    assert sheet[11:] == ["5", "3", "11-1111111", LEI]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"rows": 0}, "at least one row"),
        ({"lei": "TOO-SHORT"}, "20 letters and digits"),
        ({"fails": {"V999": 1}}, "2024 has no edit V999"),
        ({"fails": {"S307": 1}}, "2024 has no edit S307"),
        ({"fails": {"V602": 2}}, "cannot fail 2 times"),
        ({"fails": {"S304": 2}}, "cannot fail 2 times"),
        ({"fails": {"V617": 0}}, "cannot fail 0 times"),
        (
            {"fails": {"V617": 21}},
            "21 rows are needed, but only 20 are given: 21 that fail edits.",
        ),
        (
            {"fails": {"V617": 19, "Q637": 1}},
            "31 rows are needed, but only 20 are given: 19 that fail other edits and 12 for Q637.",
        ),
        ({"fails": {"Q634": 1}}, "rows are needed, but only 20 are given: [0-9]+ for Q634."),
        (
            {"rows": 8, "fails": {"Q635": 1}},
            "12 rows are needed, but only 8 are given: 12 for Q635.",
        ),
        ({"fails": {"Q639": 1}}, "rows are needed, but only 20 are given: [0-9]+ for Q639."),
        ({"tracts": pl.Series(["99001000100"])}, "None of the census tracts is in a state"),
    ],
)
def test_a_file_that_cannot_be_is_refused_with_a_reason(options: dict[str, Any], why: str) -> None:
    recipe: dict[str, Any] = {"period": Period(2024), "lei": LEI, "rows": 20} | options
    tracts = recipe.pop("tracts", TRACTS)
    with pytest.raises(ValueError, match=why):
        make_lar_file(LarRecipe(**recipe), tracts)
