"""The map of a county by census tract, where boundaries of tracts are loaded."""

from __future__ import annotations

import html
import re

import polars as pl
import pytest
from django.test import Client

from databrowser.boundaries import loading
from databrowser.boundaries.boundary_files import BoundaryKind
from databrowser.charts import atlas
from filing.access import Caller
from tests.databrowser.boundaries.files import counties
from tests.databrowser.pages.texts import words

pytestmark = pytest.mark.any_database

PAGE = "/data/browser/"


@pytest.fixture
def tracts(frames, settings) -> dict[str, int]:
    """The number of records of each tract of the county with most of them in 2021."""
    settings.BROWSER_SMALLEST_CELL = 0
    rows = frames[2021].filter(pl.col("county_code") != "NA", pl.col("census_tract") != "NA")
    county = rows["county_code"].mode().sort()[0]
    of_county = rows.filter(pl.col("county_code") == county)
    return dict(of_county.group_by("census_tract").len().sort("census_tract").iter_rows())


def county_page(tracts: dict[str, int]) -> str:
    answer = Client().get(f"{PAGE}?years=2021&counties={next(iter(tracts))[:5]}")
    assert answer.status_code == 200
    return answer.content.decode()


def load(*codes: str) -> None:
    loading.load_boundaries(
        BoundaryKind.TRACT,
        (2021, 2021),
        counties(*codes),
        source="cb_tract_500k.zip",
        by=Caller(id="1", username="ann"),
    )


def test_tracts_have_their_figures_on_the_map_and_lead_no_further(tracts) -> None:
    *on_the_map, last = tracts
    load(*on_the_map)
    page = county_page(tracts)
    named = re.findall(r'<g role="img" aria-label="([^"]*)"', page)
    assert set(map(html.unescape, named)) == {
        f"{atlas.tract_name(code)}: {tracts[code]:,} record{'' if tracts[code] == 1 else 's'}"
        for code in on_the_map
    }
    assert "<a " not in page.partition("<place-map")[2].partition("</svg>")[0]
    assert f"Not on the map: {atlas.tract_name(last)}." in words(page)
    assert "Boundaries: cb_tract_500k.zip." in page
    for ending in ("svg", "png"):
        address = f"{PAGE}map.{ending}?years=2021&counties={last[:5]}"
        assert Client().get(address).status_code == 200


def test_without_boundaries_tracts_are_listed_and_have_no_map(tracts) -> None:
    page = county_page(tracts)
    assert "<place-map" not in page
    assert "the service has no boundaries of these places" in page
    assert all(code in page for code in tracts)


@pytest.mark.parametrize(
    ("code", "name"),
    [("06037207710", "Census tract 2077.10"), ("06037980000", "Census tract 9800")],
)
def test_a_tract_is_named_by_its_number(code, name) -> None:
    assert atlas.tract_name(code) == name
