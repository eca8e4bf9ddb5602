"""The people and homes of places, which numbers of records are divided by.

Source: FFIEC census data of the year.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from databrowser import errors
from databrowser.dimensions.catalogue import COUNTY, MSAMD, STATE, TRACT
from databrowser.dimensions.dimension import Dimension
from databrowser.dimensions.groupings import BY_YEAR
from databrowser.query.figure_questions import FigureQuestion, Key
from filing.lar.fields import STATES
from filing.reference.kinds import CENSUS
from filing.reference_data import registry

_STATE_CODE = 2  # digits of a county
_BY_STATE_CODE = {code: state for state, code in STATES.items()}
_PLACES: dict[Dimension, pl.Expr] = {
    STATE: pl.col("county").str.slice(0, _STATE_CODE).replace(_BY_STATE_CODE),
    MSAMD: pl.col("msa_md").cast(pl.String).str.zfill(5),
    COUNTY: pl.col("county"),
    TRACT: pl.col("census_tract"),
}


def count_per_place(figure_question: FigureQuestion, keys: Iterable[Key]) -> dict[Key, int]:
    """Return the people or homes of the place of each key, in all its years together.

    Raises: QueryRefused, if the census data of a year are not loaded.
    """
    by = figure_question.by
    place = next((number for number, grouping in enumerate(by) if grouping.is_place), None)
    year = next((number for number, grouping in enumerate(by) if grouping is BY_YEAR), None)
    dimension = by[place].dimension if place is not None else None
    frame = _read_places(figure_question, dimension)
    totals: dict[tuple[str, ...], Mapping[tuple[str | None, ...], int]] = {
        kept: _totals(frame, kept) for kept in ((), ("year",), ("place",), ("place", "year"))
    }
    counted = {}
    for key in keys:
        values = {
            "place": key[place] if place is not None else None,
            "year": key[year] if year is not None else None,
        }
        kept = tuple(name for name, value in values.items() if value is not None)
        counted[key] = totals[kept].get(tuple(values[name] for name in kept), 0)
    return counted


def _totals(frame: pl.DataFrame, kept: tuple[str, ...]) -> Mapping[tuple[str | None, ...], int]:
    if not kept:
        return {(): int(frame["number"].sum())}
    sums = frame.group_by(kept).agg(pl.col("number").sum())
    return {tuple(names): number for *names, number in sums.iter_rows()}


def _read_places(figure_question: FigureQuestion, dimension: Dimension | None) -> pl.DataFrame:
    """Return the number of each place of the question in each year, as place, year, number."""
    frames = []
    for year in sorted(figure_question.question.years):
        file = registry.find_active_file(CENSUS, year)
        if file is None:
            raise errors.no_census(figure_question.measure.name, year)
        rows = registry.read_rows_of_file(file).unique("census_tract", keep="last")
        for chosen, values in figure_question.question.places:
            if chosen in _PLACES:
                rows = rows.filter(_PLACES[chosen].is_in(values))
        frames.append(
            rows.select(
                place=_PLACES[dimension] if dimension else pl.lit(""),
                year=pl.lit(str(year)),
                number=pl.col(figure_question.measure.denominator).cast(pl.Int64),
            )
        )
    return pl.concat(frames)
