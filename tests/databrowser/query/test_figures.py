"""Figures of any question are what plain SQL over the published records gives."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from databrowser.dimensions.catalogue import COUNTY, FILTERS, LEI, MSAMD, PLACES
from databrowser.dimensions.groupings import BY_LENDER, BY_TRACT, BY_YEAR, GROUPINGS, Grouping
from databrowser.publication import serving
from databrowser.query.figure_questions import FigureQuestion, ShareBase
from databrowser.query.figures import MOST_FIGURES, compute_figures
from databrowser.query.measures import MEASURES, Measure, MeasureKind
from databrowser.query.questions import Question

NUMBER = "TRY_CAST({} AS DOUBLE)"
# Each measure as plain SQL over the texts of the published records: its value and its base.
VALUES = {
    "count": ("count(*)", "count(*)"),
    "amount": ("sum(loan_amount)", "count(*)"),
    "share": ("count(*)", "count(*)"),
    "denial_rate": (
        "100.0 * count(*) FILTER (action_taken = '3') "
        "/ nullif(count(*) FILTER (action_taken IN ('1', '2', '3')), 0)",
        "count(*) FILTER (action_taken IN ('1', '2', '3'))",
    ),
    "origination_rate": (
        "100.0 * count(*) FILTER (action_taken = '1') "
        "/ nullif(count(*) FILTER (action_taken IN ('1', '2', '3', '4', '5')), 0)",
        "count(*) FILTER (action_taken IN ('1', '2', '3', '4', '5'))",
    ),
}
COLUMNS = {
    "loan_amount": "loan_amount",
    "interest_rate": NUMBER.format("interest_rate"),
    "rate_spread": NUMBER.format("rate_spread"),
    "income": NUMBER.format("income"),
    "loan_to_value": NUMBER.format("combined_loan_to_value_ratio"),
}


def plain_value(measure: Measure) -> tuple[str, str]:
    if measure.name in VALUES:
        return VALUES[measure.name]
    column = COLUMNS[measure.name]
    return f"quantile_cont({column}, [0.25, 0.5, 0.75])", f"count({column})"


def plain_group(grouping: Grouping, largest: list[str]) -> str:
    """Return the SQL of the group of a record."""
    if grouping is BY_YEAR:
        return "activity_year::VARCHAR"
    column = grouping.dimension.column
    if grouping is BY_LENDER:
        named = ", ".join(f"'{lei}'" for lei in largest)
        return f"CASE WHEN lei IN ({named}) THEN lei ELSE 'rest' END"
    if grouping.values:
        known = ", ".join(f"'{value}'" for value in grouping.values)
        return f"CASE WHEN {column} IN ({known}) THEN {column} ELSE 'NA' END"
    pattern = grouping.dimension.form
    return f"CASE WHEN regexp_full_match({column}, '{pattern}') THEN {column} ELSE 'NA' END"


def plain_figures(frames, asked: FigureQuestion) -> dict[tuple[Any, ...], tuple[Any, Any]]:
    """Return value and base by key, by plain SQL; of a share, the number of records."""
    rows = pl.concat(frames[year] for year in asked.question.years if year in frames)
    for dimension, values in asked.question.chosen:
        rows = rows.filter(pl.col(dimension.column).is_in(values))
    largest = asked.chosen_values(LEI) or (
        rows.group_by("lei").len().sort("len", "lei", descending=[True, False])["lei"].head(20)
    )
    groups = [plain_group(grouping, list(largest) or [""]) for grouping in asked.by]
    value, base = plain_value(asked.measure)
    found = {}
    with duckdb.connect() as database:
        database.register("rows", rows.to_arrow())
        for kept in list_kept_places(len(groups)):
            columns = [groups[place] for place in kept]
            by = f"GROUP BY {', '.join(columns)}" if columns else ""
            sql = f"SELECT {', '.join([*columns, value, base])} FROM rows {by}"
            for *names, number, records in database.execute(sql).fetchall():
                by_place = dict(zip(kept, names, strict=True))
                key = tuple(by_place.get(place) for place in range(len(groups)))
                found[key] = (number, records)
    return found


def list_kept_places(number: int) -> list[tuple[int, ...]]:
    if number < 3:
        return [kept for size in range(number + 1) for kept in combinations(range(number), size)]
    return [(), (2,), (0, 2), (1, 2), (0, 1, 2)]


def several(values) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(list(values)), min_size=1, max_size=6, unique=True).map(tuple)


@st.composite
def figure_questions(draw, places):
    measure = draw(st.sampled_from([each for each in MEASURES.values() if is_plain(each)]))
    is_rate = measure.kind is MeasureKind.RATE
    filters = [each for each in FILTERS if not (is_rate and each.column == "action_taken")]
    chosen = draw(st.lists(st.sampled_from(filters), max_size=3, unique=True))
    question = Question(
        draw(st.sampled_from([(2019,), (2021, 2019), (2021, 2022)])),
        tuple(
            (each, draw(several(places[each.key])))
            for each in PLACES
            if draw(st.integers(0, 4)) == 0
        ),
        tuple((each, draw(several(each.values))) for each in FILTERS if each in chosen),
    )
    groupings = [
        each
        for each in GROUPINGS.values()
        if not (is_rate and each.dimension and each.dimension.column == "action_taken")
        and (each is not BY_TRACT or question.places)
    ]
    by = draw(st.lists(st.sampled_from(groupings), max_size=3, unique=True))
    is_one_place = sum(grouping.is_place for grouping in by) < 2
    return FigureQuestion(
        question,
        measure,
        tuple(by if is_one_place else by[:1]),
        draw(st.sampled_from(ShareBase)),
    )


def is_plain(measure: Measure) -> bool:
    return measure.name in VALUES or measure.name in COLUMNS


def test_figures_of_any_question_are_what_plain_sql_gives(frames):
    live = serving.live_data_sets()
    places = {
        each.key: frames[2019]
        .filter(pl.col(each.column).str.contains(f"^{each.form}$"))[each.column]
        .value_counts(sort=True)[each.column]
        .head(12)
        for each in (MSAMD, COUNTY, LEI)
    } | {"state": ("CA", "TX", "NY", "WY")}

    @settings(
        max_examples=50,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(figure_questions(places))
    def check(asked):
        expected = plain_figures(frames, asked)
        if len(expected) > MOST_FIGURES:
            return
        table = compute_figures(asked, live)
        figures = {key: figure for key, figure in table.figures.items() if figure.records}
        assert figures.keys() == {key for key, (_, records) in expected.items() if records}
        for key, figure in figures.items():
            value, records = expected[key]
            assert figure.records == records
            if asked.measure.kind is MeasureKind.QUARTILES:
                assert [figure.lower, figure.value, figure.upper] == pytest.approx(value)
            elif asked.measure.kind is not MeasureKind.SHARE:
                assert figure.value == pytest.approx(value)
            else:
                whole = expected[whole_of(asked, key)][1]
                assert figure.value == pytest.approx(100 * records / whole)
        for place, axis in enumerate(table.axes):
            shown = {key[place] for key in figures} - {None}
            assert shown <= set(axis)

    check()


def whole_of(asked: FigureQuestion, key):
    if len(key) < 2 or asked.base is ShareBase.ALL:
        return (None,) * len(key)
    kept = {0, 2} if asked.base is ShareBase.ROWS else {1, 2}
    return tuple(value if place in kept else None for place, value in enumerate(key))
