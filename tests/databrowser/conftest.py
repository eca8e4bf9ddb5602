"""Two years of public rows that are live, some of them with values that no filter knows."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import polars as pl
import pytest
from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

from databrowser.demo import rows as demo_rows
from databrowser.models import LiveVersion, Version
from databrowser.publication import layout
from databrowser.publication.builds import version_files
from databrowser.publication.columns import PUBLIC
from filing.models import Job

ORDER = ["state_code", "county_code", "lei"]
ODD = {
    "state_code": "NA",
    "county_code": "NA",
    "derived_msa_md": "",
    "action_taken": "9",
    "derived_race": "N/A",
    "total_units": "",
    "applicant_age": "9999",
}
_numbers = count(1)


def public_rows(year: int, rows: int = 3_000, *, seed: int = 0) -> pl.DataFrame:
    """Return made-up public rows, of which every fiftieth is odd, in the order of a data set."""
    world = demo_rows.DemoWorld.of(100_000, seed=7)
    frame = pl.concat(
        demo_rows.demo_pieces(
            demo_rows.DemoWorld(world.places, world.institutions, seed), year=year, rows=rows
        )
    )
    is_odd = pl.int_range(pl.len()) % 50 == 0
    return frame.with_columns(
        pl.when(is_odd).then(pl.lit(odd)).otherwise(pl.col(name)).alias(name)
        for name, odd in ODD.items()
    ).sort(ORDER, maintain_order=True)


def write(frame: pl.DataFrame) -> str:
    """Write the files of a data set, as a build does, and return their folder in storage."""
    folder = f"data-sets-of-tests/{next(_numbers)}"
    where = Path(settings.STORAGES["default"]["OPTIONS"]["location"], folder)
    where.mkdir(parents=True)
    frame.write_parquet(where / layout.LOANS, row_group_size=500)
    names = frame.select("lei", name="Demo " + pl.col("lei").str.slice(-4)).unique()
    version_files.write_serving_file(
        where / layout.LOANS,
        names.filter(pl.col("name") != "Demo 0176"),
        where / layout.SERVING,
    )
    return folder


def publish(frame: pl.DataFrame, folder: str) -> Version:
    """Make a data set that is written the live one of its year."""
    year = int(frame["activity_year"][0])
    number = Version.objects.filter(year=year).count() + 1
    version = Version.objects.create(
        year=year,
        number=number,
        state="built",
        job=Job.objects.create(stage="publish", state="done"),
        folder=folder,
        rows=frame.height,
        sha256=f"{abs(hash(folder)):064x}",
        made_at=timezone.now(),
    )
    LiveVersion.objects.update_or_create(
        year=year, dataset="dynamic", defaults={"version": version}
    )
    return version


@pytest.fixture(scope="session")
def written() -> dict[int, tuple[pl.DataFrame, str]]:
    """The rows of each year, and where their files lie."""
    frames = {year: public_rows(year, seed=year) for year in (2019, 2021)}
    return {year: (frame, write(frame)) for year, frame in frames.items()}


@pytest.fixture
def frames(db: None, written: dict[int, tuple[pl.DataFrame, str]]) -> dict[int, pl.DataFrame]:
    """The rows of each year that is live."""
    cache.clear()
    for frame, folder in written.values():
        publish(frame, folder)
    return {year: frame for year, (frame, _) in written.items()}


def csv_of(frame: pl.DataFrame, separator: str = ",") -> str:
    """Return rows as they are downloaded, written by other means."""
    names = {each.name: each.browser for each in PUBLIC}
    return frame.rename(names).write_csv(separator=separator, quote_style="never")
