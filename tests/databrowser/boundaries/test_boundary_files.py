"""Files of boundaries: what is read, and what is refused with its record."""

from __future__ import annotations

from typing import Any

import pytest

from databrowser.boundaries import boundary_files
from databrowser.boundaries.boundary_files import read_boundaries
from databrowser.models import BoundaryKind
from filing.errors import BadInput
from tests.databrowser.boundaries.files import (
    counties,
    feature,
    geojson,
    make_square,
    shapefile_parts,
    zip_layers,
)

KENT, NEW_CASTLE = "10001", "10003"
COUNTY, TRACT = BoundaryKind.COUNTY, BoundaryKind.TRACT


def refusal(data: bytes, kind: BoundaryKind = COUNTY) -> str:
    with pytest.raises(BadInput) as refused:
        read_boundaries(kind, data, name="file.zip")
    return refused.value.message


def with_part(suffix: str, content: bytes) -> bytes:
    return zip_layers(shapefile_parts([KENT, NEW_CASTLE]) | {suffix: content})


@pytest.mark.parametrize("name", ["GEOID", "GEOID20", "GEOID10", "GEO_ID", "id"])
def test_the_code_has_one_of_several_names(name: str) -> None:
    for code in (KENT, f"0500000US{KENT}"):
        (boundary,) = read_boundaries(
            COUNTY, geojson(feature(code, make_square(0, 0), name=name)), name="x"
        )
        assert boundary.code == KENT
    (boundary,) = read_boundaries(COUNTY, zip_layers(shapefile_parts([KENT], name=name)), name="x")
    assert boundary.code == KENT


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is no boundary file"),
        (b"GEOID,geometry\n10001,x\n", "load a ZIP with a shapefile, or GeoJSON"),
        (b"PK\x03\x04 and no more", "no ZIP file that can be unpacked"),
        (zip_layers({"readme.txt": b"text"}), "has 0 .shp files"),
        (zip_layers(shapefile_parts([KENT]) | {"b.shp": b""}), "has 2 .shp files"),
        (zip_layers({key: part for key, part in shapefile_parts([KENT]).items() if key != ".prj"}),
         "has 0 .prj files"),
        (with_part(".prj", b'PROJCS["NAD83 / Conus Albers"]'), "is projected"),
        (with_part(".shp", b"\x00\x00\x27\x0a" + bytes(20)), "cut or broken"),
        (with_part(".shp", shapefile_parts([KENT, NEW_CASTLE])[".shp"][:-9]), "cut or broken"),
        (with_part(".dbf", b"\x03" * 40), "cut or broken"),
        (zip_layers(shapefile_parts([KENT]) | {".dbf": bytes(9_000_000)}), "unpacks to 9,000"),
        (zip_layers(shapefile_parts([])), "has no places"),
        (b"{", "is no GeoJSON"),
        (b"{" * 5000, "is no GeoJSON"),
        (b'{"type": "FeatureCollection", "features": [NaN]}', "NaN is no number of JSON"),
        (b'{"type": "Topology", "objects": {}}', "no GeoJSON with a FeatureCollection"),
        (b'{"type": "FeatureCollection", "features": {}}', "no GeoJSON with a FeatureCollection"),
        (geojson("x"), "Record 1 of file.zip is no feature"),
        (geojson(), "has no places"),
        (geojson({"type": "Feature"}), "Record 1 of file.zip has no code: give it as GEOID"),
        (counties(KENT, "1000"), 'Record 2 of file.zip: GEOID is "1000"; a county has 5 digits'),
        (counties("10001000100"), "a county has 5 digits"),
        (counties("1000\u0663"), "a county has 5 digits"),
        (counties("03001"), "there is no state 03"),
        (counties(KENT, KENT), "Record 2 of file.zip has 10001, as an earlier record does"),
        (geojson(feature(KENT, [0, 0], kind="Point")), "(10001) is Point; a place is a Polygon"),
        (geojson({"properties": {"GEOID": KENT}}), "(10001) is empty"),
        (geojson(feature(KENT, [])), "fewer than 4 points"),
        (geojson(feature(KENT, make_square(0, 0)[:-1])), "not closed"),
        (geojson(feature(KENT, make_square(0, 0)[:3])), "not closed"),
        (geojson(feature(KENT, [["a", "b"]] * 4)), "no pairs of numbers"),
        (geojson(feature(KENT, [[1]] * 4)), "no pairs of numbers"),
        (geojson(feature(KENT, 7)), "no pairs of numbers"),
        (geojson(feature(KENT, make_square(5_000_000, 0))), "no degrees"),
        (geojson({"properties": {"GEOID": KENT}, "geometry": {"type": "MultiPolygon"}}),
         "no rings"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(data: bytes, says: str) -> None:
    assert says in refusal(data)


def test_a_file_of_counties_is_none_of_tracts() -> None:
    assert "a tract has 11 digits" in refusal(counties(KENT), TRACT)


@pytest.mark.parametrize(
    ("limit", "data"),
    [("MAX_BYTES", counties(KENT)), ("MAX_GEOJSON", counties(KENT)),
     ("MAX_UNPACKED", zip_layers(shapefile_parts([KENT])))],
)  # fmt: skip
def test_files_have_limits(limit: str, data: bytes, monkeypatch: Any) -> None:
    monkeypatch.setattr(boundary_files, limit, 100)
    assert "bytes" in refusal(data)
