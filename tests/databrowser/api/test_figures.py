"""The figures of the data browser API, as callers see them."""

from __future__ import annotations

import io

import polars as pl
import pytest
from django.test import Client

from databrowser.dimensions.catalogue import DEBT_TO_INCOME
from databrowser.publication import serving
from databrowser.publication.records.derived import RATIO_VALUES
from databrowser.query import figures
from databrowser.query.measures import CLASS_BOUNDS, MEASURES
from filing.reference import census
from filing.reference.kinds import CENSUS
from filing.reference_data import registry

FIGURES = "/v2/data-browser-api/view/figures"
YEARS = "years=2019,2021"


def get(query: str, path: str = ""):
    return Client().get(f"{FIGURES}{path}?{query}")


def by_key(items: list[dict], *keys: str) -> dict[tuple, dict]:
    return {tuple(item.get(key) for key in keys): item for item in items}


def test_a_report_has_groups_and_totals_with_their_definition(frames):
    answer = get(f"{YEARS}&measure=denial_rate&by=years,races&states=CA,TX")
    assert answer.status_code == 200
    report = answer.json()
    rows = pl.concat(frames.values()).filter(
        pl.col("state_code").is_in(["CA", "TX"]), pl.col("action_taken").is_in(["1", "2", "3"])
    )
    totals = by_key(report["totals"], "year", "races")
    whole = totals[None, None]
    assert whole["records"] == rows.height
    assert whole["value"] == pytest.approx(100 * (rows["action_taken"] == "3").mean())
    assert {key for key in totals if key[1] is None} == {
        (None, None), ("2019", None), ("2021", None)
    }  # fmt: skip
    assert report["by"] == ["years", "races"]
    assert report["measure"] == "denial_rate"
    assert report["smallestCell"] == 10
    assert report["parameters"] == {"state": "CA,TX"}
    assert [each["year"] for each in report["datasets"]] == [2019, 2021]
    assert "via" in answer["Link"]


def test_files_have_a_row_for_each_group_and_no_totals(frames):
    query = f"{YEARS}&measure=income&by=states,years"
    report = get(query).json()
    csv = pl.read_csv(get(query, "/csv").content, infer_schema_length=None)
    parquet = pl.read_parquet(io.BytesIO(get(query, "/parquet").content))
    assert csv.height == parquet.height == len(report["figures"])
    assert csv.columns == parquet.columns
    assert parquet["value"].to_list() == [each["value"] for each in report["figures"]]
    assert parquet.columns[:2] == ["state", "year"]


def test_a_median_class_is_one_that_is_published(frames):
    assert RATIO_VALUES
    assert {*DEBT_TO_INCOME.values} == {*RATIO_VALUES}
    assert len(CLASS_BOUNDS) == len(DEBT_TO_INCOME.values)
    total = get(f"{YEARS}&measure=debt_to_income").json()["totals"][0]
    ratios = pl.concat(frames.values())["debt_to_income_ratio"]
    ranks = pl.Series([
        DEBT_TO_INCOME.values.index(value) for value in ratios if value in DEBT_TO_INCOME.values
    ]).sort()  # fmt: skip
    assert total["records"] == len(ranks)
    assert total["value"] == CLASS_BOUNDS[ranks[int((len(ranks) - 1) * 0.5)]]
    measure = MEASURES["debt_to_income"]
    assert measure.format_value(0) == "<20%"
    assert measure.format_value(36) == "36%"


def test_records_are_counted_for_each_thousand_people_of_a_place(frames):
    rows = frames[2021]
    tracts = rows.filter(pl.col("census_tract").str.contains("^[0-9]{11}$"))["census_tract"]
    counted = {tract: 100 + place for place, tract in enumerate(sorted({*tracts}))}
    lines = [
        f"2021||{tract[:2]}|{tract[2:5]}|{tract[5:]}||{people}|||||||T|"
        for tract, people in counted.items()
    ]
    header = "|".join(column.label for column in census.list_census_columns(2021))
    data = "\n".join([header, *lines, ""]).encode()
    registry.load_file(CENSUS, 2021, data, source="https://census.example/2021", by="a test")
    report = get("years=2021&measure=per_1000_people&by=counties&states=CA").json()
    found = by_key(report["figures"], "county")
    in_state = rows.filter(pl.col("state_code") == "CA")
    for county in {*in_state["county_code"]} - {"NA"}:
        people = sum(number for tract, number in counted.items() if tract[:5] == county)
        records = in_state.filter(pl.col("county_code") == county).height
        assert found[county,]["value"] == pytest.approx(1000 * records / people)


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("years=2021&measure=mean", "invalid-measure"),
        ("years=2021&by=colours", "invalid-by"),
        ("years=2021&by=states,counties", "not-together"),
        ("years=2021&by=years,states,races,sexes", "not-together"),
        ("years=2021&by=tracts", "not-together"),
        ("years=2021&measure=denial_rate&actions_taken=3", "not-together"),
        ("years=2021&measure=denial_rate&by=actions_taken", "not-together"),
        ("years=2021&peers=size&by=leis", "not-together"),
        ("years=2021&peers=friends", "invalid-peers"),
        ("years=2021&measure=share&base=half", "invalid-base"),
        ("years=2021&measure=per_1000_people", "no-census"),
        (f"years=2021&counties={','.join(map(str, range(10001, 10302)))}", "too-many-values"),
        ("by=races", "provide-years"),
        ("years=2021&by=races&races=Martian", "invalid-races"),
    ],
)
def test_questions_that_cannot_be_answered_say_what_would_do(frames, query, error):
    for path in ("", "/csv", "/parquet"):
        answer = get(query, path)
        assert (answer.status_code, answer.json()["errorType"]) == (400, error)


@pytest.mark.parametrize("measure", ["count", "denial_rate", "interest_rate"])
def test_too_many_figures_are_refused_before_they_are_computed(frames, monkeypatch, measure):
    monkeypatch.setattr(figures, "MOST_FIGURES", 100)
    fetched = []
    fetch = serving.QueryEngine.rows

    def count_rows(engine, statement, values):
        rows = fetch(engine, statement, values)
        fetched.append(len(rows))
        return rows

    monkeypatch.setattr(serving.QueryEngine, "rows", count_rows)
    answer = get(f"{YEARS}&measure={measure}&by=counties,ageapplicant,total_units")
    assert answer.status_code == 400
    assert answer.json()["errorType"] == "too-many-groups"
    assert fetched == [101]
