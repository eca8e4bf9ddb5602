"""Small files of boundaries: squares in a grid of degrees, as GeoJSON and as shapefiles."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

import shapefile

DEGREES = 'GEOGCS["GCS_North_American_1983",UNIT["Degree",0.017453292519943295]]'


def make_square(column: float, row: float, *, west: float = -75.0, south: float = 39.0) -> list:
    """Return a ring of one tenth of a degree, clockwise."""
    x, y = west + column / 10, south + row / 10
    return [[x, y], [x, y + 0.1], [x + 0.1, y + 0.1], [x + 0.1, y], [x, y]]


def feature(code: str, ring: Any, *, name: str = "GEOID", kind: str = "Polygon") -> dict[str, Any]:
    return {
        "type": "Feature",
        "properties": {name: code},
        "geometry": {"type": kind, "coordinates": [ring]},
    }


def geojson(*features: Any) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": list(features)}).encode()


def counties(*codes: str) -> bytes:
    """Return squares side by side."""
    return geojson(*(feature(code, make_square(place, 0)) for place, code in enumerate(codes)))


def shapefile_parts(
    codes: Iterable[str], *, name: str = "GEOID", rings: Mapping[str, list] | None = None
) -> dict[str, bytes]:
    """Return the files of a shapefile, by suffix."""
    shp, shx, dbf = io.BytesIO(), io.BytesIO(), io.BytesIO()
    with shapefile.Writer(shp=shp, shx=shx, dbf=dbf, shapeType=shapefile.POLYGON) as writer:
        writer.field(name, "C", size=12)
        for place, code in enumerate(codes):
            writer.poly((rings or {}).get(code) or [make_square(place, 0)])
            writer.record(code)
    return {
        ".shp": shp.getvalue(),
        ".shx": shx.getvalue(),
        ".dbf": dbf.getvalue(),
        ".prj": DEGREES.encode(),
    }


def zip_layers(parts: Mapping[str, bytes], *, stem: str = "cb_2024_us_county_500k") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for suffix, content in parts.items():
            archive.writestr(suffix if "." in suffix[1:] else f"{stem}{suffix}", content)
    return packed.getvalue()
