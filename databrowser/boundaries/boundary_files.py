"""Reads files of boundaries: ZIP files with a shapefile, and GeoJSON.

A file is read whole or refused: the first thing that is wrong is named with its record.

Source: ESRI Shapefile Technical Description, 1998; RFC 7946 (GeoJSON); Census Bureau, cartographic
boundary files, whose property GEOID has the code of a place.
"""

from __future__ import annotations

import io
import json
import struct
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import shapefile

from databrowser.models import BoundaryKind
from filing.errors import BadInput
from filing.lar.fields import STATES

MAX_BYTES = 200 * 1024**2  # of a file; that of all census tracts has 70 million
MAX_UNPACKED = 600 * 1024**2
MAX_GEOJSON = 64 * 1024**2  # which takes ten times as much memory
MAX_RATIO = 50  # of the unpacked size to the packed one; shapefiles have about 2
# The properties with the code of a place, in this order: those of files by year, then of others.
_CODES = ("GEOID", "GEOID20", "GEOID10", "GEO_ID", "id")
_LAYERS = (".shp", ".dbf", ".prj")
_STATE_CODES = frozenset(STATES.values())
_SMALLEST_RING = 4  # points, the last one equal to the first
_BROKEN = (
    shapefile.ShapefileException,
    shapefile.PossiblyCorruptFileHeader,
    struct.error,
    ValueError,
    LookupError,
    TypeError,
)

Ring = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class PlaceBoundary:
    """The boundary of a place, in degrees: polygons of rings, the outer one first."""

    code: str
    polygons: tuple[tuple[Ring, ...], ...]


def read_boundaries(kind: BoundaryKind, data: bytes, *, name: str) -> list[PlaceBoundary]:
    """Return the boundaries in a file.

    Raises: BadInput.
    """
    if len(data) > MAX_BYTES:
        raise BadInput(f"{name} has {len(data):,} bytes; a file has at most {MAX_BYTES:,}.")
    if data.startswith(b"PK"):
        features = _read_zip(data, name)
    elif data.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{"):
        features = _read_geojson(data, name)
    else:
        raise BadInput(f"{name} is no boundary file: load a ZIP with a shapefile, or GeoJSON.")
    boundaries: dict[str, PlaceBoundary] = {}
    for number, (properties, geometry) in enumerate(features, 1):
        where = f"Record {number:,} of {name}"
        code = _read_code(kind, properties, where)
        if code in boundaries:
            raise BadInput(f"{where} has {code}, as an earlier record does; give each place once.")
        boundaries[code] = PlaceBoundary(code, _read_polygons(geometry, f"{where} ({code})"))
    if not boundaries:
        raise BadInput(f"{name} has no places.")
    return list(boundaries.values())


Features = Iterable[tuple[Mapping[str, Any], Mapping[str, Any] | None]]


def _read_zip(data: bytes, name: str) -> Features:
    """Return the records of the shapefile in a ZIP file."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            layers = _unpack(archive, name, packed=len(data))
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError) as error:
        raise BadInput(f"{name} is no ZIP file that can be unpacked: {error}.") from error
    if not layers[".prj"].lstrip().upper().startswith((b"GEOGCS", b"GEOGCRS")):
        raise BadInput(f"{name} is projected; load one whose .prj has degrees (GEOGCS).")
    return _read_shapes(layers, name)


def _unpack(archive: zipfile.ZipFile, name: str, *, packed: int) -> dict[str, bytes]:
    entries = {}
    for suffix in _LAYERS:
        found = [each for each in archive.infolist() if each.filename.lower().endswith(suffix)]
        if len(found) != 1:
            raise BadInput(f"{name} has {len(found)} {suffix} files; a boundary file has one.")
        entries[suffix] = found[0]
    if len({PurePosixPath(each.filename).stem for each in entries.values()}) > 1:
        raise BadInput(f"The .shp, .dbf and .prj files of {name} have different names.")
    size = sum(each.file_size for each in entries.values())
    if size > min(MAX_UNPACKED, MAX_RATIO * packed):
        raise BadInput(f"{name} unpacks to {size:,} bytes, more than a boundary file has.")
    layers = {}
    for suffix, entry in entries.items():
        with archive.open(entry) as file:
            layers[suffix] = file.read(entry.file_size + 1)
        if len(layers[suffix]) != entry.file_size:
            raise BadInput(f"{name} has a {suffix} file of another size than it says.")
    return layers


def _read_shapes(layers: Mapping[str, bytes], name: str) -> Features:
    files = {each: io.BytesIO(layers[f".{each}"]) for each in ("shp", "dbf")}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", shapefile.PossiblyCorruptFileHeader)
            reader = shapefile.Reader(**files, encoding="utf-8")
        with reader:
            for each in reader.iterShapeRecords():
                geometry = each.shape.__geo_interface__ if each.shape.points else None
                yield each.record.as_dict(), geometry
    except _BROKEN as error:
        raise BadInput(f"The shapefile of {name} cannot be read: it is cut or broken.") from error


def _read_geojson(data: bytes, name: str) -> Features:
    if len(data) > MAX_GEOJSON:
        raise BadInput(f"{name} has {len(data):,} bytes; GeoJSON has at most {MAX_GEOJSON:,}.")
    try:
        document = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name} is no GeoJSON: {error}.") from error
    features = document.get("features")
    if document.get("type") != "FeatureCollection" or not isinstance(features, list):
        raise BadInput(f"{name} is no GeoJSON with a FeatureCollection.")
    for number, feature in enumerate(features, 1):
        if not isinstance(feature, dict):
            raise BadInput(f"Record {number:,} of {name} is no feature.")
        properties = feature.get("properties")
        geometry = feature.get("geometry")
        yield (
            {"id": feature.get("id"), **(properties if isinstance(properties, dict) else {})},
            geometry if isinstance(geometry, dict) else None,
        )


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")


def _read_code(kind: BoundaryKind, properties: Mapping[str, Any], where: str) -> str:
    for name in _CODES:
        if value := properties.get(name):
            code = str(value).strip().rpartition("US")[2]
            break
    else:
        raise BadInput(f"{where} has no code: give it as {_CODES[0]}.")
    if not (code.isascii() and code.isdecimal() and len(code) == kind.digits):
        raise BadInput(f'{where}: {name} is "{code[:40]}"; a {kind} has {kind.digits} digits.')
    if code[:2] not in _STATE_CODES:
        raise BadInput(f"{where}: {name} is {code}, but there is no state {code[:2]}.")
    return code


def _read_polygons(geometry: Mapping[str, Any] | None, where: str) -> tuple[tuple[Ring, ...], ...]:
    type_of_geometry = geometry.get("type") if geometry else None
    if geometry is None or type_of_geometry not in ("Polygon", "MultiPolygon"):
        raise BadInput(f"{where} is {type_of_geometry or 'empty'}; a place is a Polygon.")
    coordinates = geometry.get("coordinates")
    polygons = [coordinates] if type_of_geometry == "Polygon" else coordinates
    try:
        rings = tuple(tuple(_read_rings(polygon)) for polygon in polygons or ())
    except _BROKEN as error:
        raise BadInput(f"{where} has coordinates that are no pairs of numbers.") from error
    if not rings or not all(rings):
        raise BadInput(f"{where} has no rings.")
    for ring in (ring for polygon in rings for ring in polygon):
        _check_ring(ring, where)
    return rings


def _read_rings(polygon: Any) -> Iterator[Ring]:
    for ring in polygon:
        pairs = [(float(x), float(y)) for x, y, *_ in ring]
        yield np.array(pairs, dtype=np.float64).reshape(-1, 2)


def _check_ring(ring: Ring, where: str) -> None:
    if len(ring) < _SMALLEST_RING or not np.array_equal(ring[0], ring[-1]):
        raise BadInput(f"{where} has a ring that is not closed, or has fewer than 4 points.")
    if not np.isfinite(ring).all() or (np.abs(ring) > (180, 90)).any():
        raise BadInput(f"{where} has coordinates that are no degrees; load a file in degrees.")
