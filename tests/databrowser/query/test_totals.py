"""The serving file says what the rows say: its rollup for any filters, and rows for the rest."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import reduce

import duckdb
import polars as pl
import pytest
from django.core.cache import cache
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from databrowser.dimensions.catalogue import (
    BY_PARAMETER,
    COUNTY,
    DIMENSIONS,
    FILTERS,
    LEI,
    MSAMD,
    PLACES,
    STATE,
)
from databrowser.publication import serving
from databrowser.publication.serving import LiveYear
from databrowser.query import breakdowns, totals
from databrowser.query.questions import Question

YEARS = (2019, 2021)


def plain(frames, question: Question) -> dict[tuple[str, ...], totals.Total]:
    """Return the totals by a plain group-by over all rows."""
    rows = pl.concat(frames[year] for year in question.years if year in frames)
    for dimension, values in question.chosen:
        rows = rows.filter(pl.col(dimension.column).is_in(values))
    columns = [each.column for each, _ in question.filters]
    counted = [pl.len(), pl.col("loan_amount").sum().alias("sum")]
    found = rows.group_by(columns).agg(counted) if columns else rows.select(counted)
    return {
        tuple(group): totals.Total(number, total)
        for *group, number, total in found.select(*columns, "len", "sum").iter_rows()
        if number
    }


def several(values) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(list(values)), min_size=1, max_size=6, unique=True).map(tuple)


@st.composite
def questions(draw, places):
    chosen = draw(st.lists(st.sampled_from(FILTERS), max_size=4, unique=True))
    return Question(
        draw(st.sampled_from([(2019,), (2021, 2019), (2021, 2022)])),
        tuple((each, draw(several(places[each.key]))) for each in PLACES if draw(st.booleans())),
        tuple((each, draw(several(each.values))) for each in FILTERS if each in chosen),
    )


def test_any_question_is_answered_as_all_rows_say(frames):
    live = serving.live_data_sets()
    places = {
        each.key: frames[2019][each.column].value_counts(sort=True)[each.column].head(12)
        for each in (MSAMD, COUNTY, LEI)
    }
    places = {key: [v for v in values if v not in ("NA", "")] for key, values in places.items()}
    places[STATE.key] = list(STATE.values)

    @settings(max_examples=25, suppress_health_check=list(HealthCheck), database=None)
    @given(questions(places))
    def holds(question):
        assert totals.compute_totals(question, live) == plain(frames, question)

    holds()


def test_a_serving_file_of_a_former_release_answers_without_the_rollup_that_it_lacks(
    frames, tmp_path, monkeypatch
):
    (one,) = (each for each in serving.live_data_sets() if each.year == 2019)
    former = tmp_path / "serving.duckdb"
    shutil.copy(one.serving, former)
    with duckdb.connect(str(former)) as database:
        database.execute("DROP TABLE rollup_with_age")
    monkeypatch.setattr(LiveYear, "serving", former)
    live = [replace(one, folder="former", sha256="former")]  # nothing of it is cached
    ages, races = BY_PARAMETER["ageapplicant"], BY_PARAMETER["races"]
    asked = Question((2019,), (), ((races, races.values), (ages, ages.values)))
    assert totals.compute_totals(asked, live) == plain(frames, asked)
    assert breakdowns.compute_spreads(asked, live) == breakdowns.compute_spreads(
        asked, serving.live_data_sets()[:1]
    )


def test_no_value_stands_in_the_text_of_a_statement(frames):
    chosen = [(each, each.values[:1] or ("12345",)) for each in DIMENSIONS if each is not LEI]
    asked = Question((2019,), tuple(chosen[:3]), tuple(chosen[3:]))
    one = serving.live_data_sets()[0]
    texts = [
        totals.totals_statement(asked, ["x"]).sql,
        totals.rows_statement(asked, one).sql,
        totals.lines_statement(asked, one, separator="|").sql,
    ]
    for text in texts:
        assert not [value for _, (value,) in chosen if len(value) > 1 and value in text]


def test_filers_are_told_by_name_with_their_rows_in_a_place(frames):
    asked = Question(YEARS, ((STATE, ("CA", "TX")),))
    rows = pl.concat(frames.values()).filter(pl.col("state_code").is_in(["CA", "TX"]))
    counted = rows.group_by("lei", "activity_year").len().iter_rows()
    # The institution of this LEI was not named to the build.
    named = [
        totals.Filer(lei, lei if lei[-4:] == "0176" else f"Demo {lei[-4:]}", year, number)
        for lei, year, number in counted
    ]
    expected = sorted(named, key=lambda each: (each.name, each.lei, each.year))
    assert totals.list_filers(asked, serving.live_data_sets()) == expected
    assert reduce(lambda total, each: total + each.count, expected, 0) == rows.height


RACES, SEXES = BY_PARAMETER["races"], BY_PARAMETER["sexes"]
ONE = LiveYear(2019, 1, "2019-1", 5, "a" * 64, "one")
ASKED = Question((2019,), (), ((RACES, ("Asian", "White")),))


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    cache.clear()


def test_what_fails_is_not_kept_and_what_is_empty_is() -> None:
    def fails() -> None:
        raise ValueError("busy")

    with pytest.raises(ValueError, match="busy"):
        totals.cached_answer("rows", ASKED, (ONE,), fails)
    assert totals.cached_answer("rows", ASKED, (ONE,), list) == totals.CachedAnswer(
        [], from_cache=False
    )
    assert totals.cached_answer("rows", ASKED, (ONE,), fails) == totals.CachedAnswer(
        [], from_cache=True
    )
