"""Boundaries that staff load: by command, in use on maps of their years, left out and taken in."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from databrowser.boundaries import loading
from databrowser.charts import atlas
from databrowser.models import BoundaryFile, BoundaryKind
from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.models import TrailEntry
from tests.databrowser.boundaries.files import counties, shapefile_parts, zip_layers

STAFF = Caller(id="1", username="ann")
COUNTY, TRACT = BoundaryKind.COUNTY, BoundaryKind.TRACT
KENT, NEW_CASTLE, NEW = "10001", "10003", "10999"


def load(data: bytes, years: str = "2021", kind: BoundaryKind = COUNTY) -> BoundaryFile:
    return loading.load_boundaries(
        kind, loading.read_years(years), data, source="cb_500k.zip", by=STAFF
    ).file


def events() -> list[str]:
    return [entry.event for entry in TrailEntry.objects.filter(event__startswith="boundaries")]


@pytest.mark.parametrize(
    "text", ["", "24", "2024-2022", "2022-", "-2022", "2022-23", "all", "2022,2024"]
)
def test_other_years_are_refused(text) -> None:
    with pytest.raises(BadInput, match="enter a year of four digits"):
        loading.read_years(text)


def test_a_file_is_in_use_in_its_years_and_states_alone(db) -> None:
    file = load(zip_layers(shapefile_parts([KENT, NEW])), "2020-2021")
    assert (file.states, file.places, file.loaded_by) == (["DE"], 2, str(STAFF))
    for year in (2020, 2021):
        shapes = atlas.county_shapes("DE", year=year)
        assert shapes.codes == {KENT, NEW}
        assert shapes.source == "cb_500k.zip"
    for year in (2019, 2022):
        assert NEW_CASTLE in atlas.county_shapes("DE", year=year).codes
    assert "24001" in atlas.county_shapes("MD", year=2021).codes
    assert atlas.tract_shapes(KENT, year=2021) is None
    assert events() == ["boundaries loaded"]


def test_the_newest_file_is_in_use_until_it_is_left_out(db) -> None:
    load(counties(KENT))
    newest = load(counties(KENT, NEW))
    assert NEW in atlas.county_shapes("DE", year=2021).codes
    loading.leave_boundaries_out(newest, by=STAFF, reason="It is wrong.")
    assert atlas.county_shapes("DE", year=2021).codes == {KENT}
    newest.refresh_from_db()
    with pytest.raises(NotReady, match="already left out"):
        loading.leave_boundaries_out(newest, by=STAFF, reason="Again.")
    loading.take_boundaries_in(newest, by=STAFF, reason="It is right.")
    newest.refresh_from_db()
    with pytest.raises(NotReady, match="already in use"):
        loading.plan_taking_in(newest)
    assert NEW in atlas.county_shapes("DE", year=2021).codes
    assert sorted(events()) == [
        "boundaries left out",
        *["boundaries loaded"] * 2,
        "boundaries taken in again",
    ]


def test_the_same_file_is_loaded_once(db) -> None:
    data = counties(KENT)
    load(data)
    report = loading.load_boundaries(COUNTY, (2021, 2021), data, source="again", by=STAFF)
    assert report.unchanged
    assert BoundaryFile.objects.count() == 1


def test_a_file_that_is_refused_leaves_nothing(db) -> None:
    before = (
        default_storage.listdir("boundaries")[0] if default_storage.exists("boundaries") else []
    )
    with pytest.raises(BadInput):
        load(counties(KENT, "03001"))
    after = default_storage.listdir("boundaries")[0] if default_storage.exists("boundaries") else []
    assert (BoundaryFile.objects.count(), events(), after) == (0, [], before)


def test_tracts_have_a_map_of_each_county(db) -> None:
    load(counties("10001000100", "10001000200", "10003000100"), kind=TRACT)
    shapes = atlas.tract_shapes(KENT, year=2021)
    assert shapes is not None
    assert shapes.codes == {"10001000100", "10001000200"}
    assert atlas.tract_shapes("10005", year=2021) is None
    assert atlas.tract_shapes("99999", year=2021) is None


def test_the_command_loads_a_file_or_says_what_is_wrong(db, tmp_path: Path, capsys) -> None:
    path = tmp_path / "cb_2024_10_county_500k.zip"
    path.write_bytes(zip_layers(shapefile_parts([KENT, NEW_CASTLE])))
    call_command("load_boundaries", "county", "2024", str(path), by="ann", reason="Census of 2024")
    assert capsys.readouterr().out == "Loaded 2 counties of 2024 in DE.\n"
    assert TrailEntry.objects.get(event="boundaries loaded").reason == "Census of 2024"
    call_command("load_boundaries", "county", "2024", str(path))
    assert "already loaded" in capsys.readouterr().out
    path.write_bytes(b"no boundaries")
    for arguments in (["county", "2024"], ["tract", "2024"], ["county", "x"]):
        with pytest.raises(CommandError):
            call_command("load_boundaries", *arguments, str(path))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("load_boundaries", "county", "2024", str(tmp_path / "none.zip"))
