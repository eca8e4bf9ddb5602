"""The counts beside the choices of the page: what a plain group-by of the same rows counts."""

from __future__ import annotations

import polars as pl
import pytest

from databrowser.dimensions.catalogue import BY_PARAMETER, FILTERS, STATE
from databrowser.publication import serving
from databrowser.query import breakdowns
from databrowser.query.questions import Question
from databrowser.query.totals import Total

YEARS = (2019, 2021)
CHOSEN = {
    "nothing": {},
    "two filters and a state": {"sexes": ("Male",), "loan_types": ("1",), "states": ("TX", "CA")},
    "an age": {"ageapplicant": ("25-34", "35-44"), "sexes": ("Female",)},
}


def question(chosen: dict[str, tuple[str, ...]], years: tuple[int, ...] = YEARS) -> Question:
    found = tuple((BY_PARAMETER[name], values) for name, values in chosen.items())
    return Question(
        years,
        tuple(each for each in found if each[0].is_place),
        tuple(each for each in found if not each[0].is_place),
    )


def plain(frames, asked: Question, dimension) -> dict[str, Total]:
    """Return how rows spread over a dimension within what is chosen of all others."""
    rows = pl.concat(frames[year] for year in asked.years)
    for each, values in asked.chosen:
        if each is not dimension:
            rows = rows.filter(pl.col(each.column).is_in(values))
    found = rows.group_by(dimension.column).agg(pl.len(), pl.col("loan_amount").sum())
    return {
        value: Total(count, amount)
        for value, count, amount in found.iter_rows()
        if not dimension.values or value in dimension.values
    }


@pytest.mark.parametrize("chosen", CHOSEN.values(), ids=CHOSEN)
def test_values_are_counted_within_what_is_chosen_otherwise(frames, chosen) -> None:
    asked = question(chosen)
    for _ in ("computed", "kept"):
        found = breakdowns.compute_spreads(asked, serving.live_data_sets())
        assert found == {each.parameter: plain(frames, asked, each) for each in (*FILTERS, STATE)}


def test_places_are_the_counties_with_rows_in_their_msa_md(frames) -> None:
    rows = pl.concat(frames.values())
    found = breakdowns.counties_with_rows(serving.live_data_sets())
    wanted = {
        (msamd if msamd.isdecimal() else "00000", county if county.isdecimal() else "00000", n)
        for msamd, county, n in rows.group_by("derived_msa_md", "county_code").len().iter_rows()
    }
    assert {(each.msamd, each.county, each.rows) for each in found} == wanted
    assert found[0].rows == max(each.rows for each in found)
    assert breakdowns.counties_with_rows(()) == []
