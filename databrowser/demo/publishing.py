"""Publishes made-up records as real ones are: a file is imported, and its years are built."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from databrowser.demo import rows as demo_rows
from databrowser.demo.rows import World
from databrowser.models import Version
from databrowser.publication.builds import builder
from databrowser.publication.imports import public_files
from filing import storage
from filing.access import Caller
from filing.reference.kinds import CENSUS, MSA_MD_NAMES
from filing.reference.msa_md_names import OUTSIDE
from filing.reference_data import loading, registry

NAME = "made-up-demo-rows.csv"
REASON = "Made-up records, for trying out the service."


def write(file: Path, *, rows: int, years: Sequence[int], seed: int = 0) -> World:
    """Write made-up records in the form of a published file, the same number for each year.

    rows: the total. Returns the world they were drawn from.
    """
    rows_a_year = max(1, rows // len(years))
    world = World.of(rows_a_year, seed=seed)
    with file.open("wb") as stream:
        is_first = True
        for year in years:
            for piece in demo_rows.pieces(world, year=year, rows=rows_a_year):
                piece.write_csv(stream, include_header=is_first, quote_style="never")
                is_first = False
    return world


def publish(*, rows: int, years: Sequence[int], by: Caller, seed: int = 0) -> list[Version]:
    """Import made-up records, then build each year and name its MSA/MDs. Returns the versions.

    Raises: NotReady when they are published already.
    """
    with storage.work_folder() as folder:
        panel = folder / "made-up-demo-institutions.csv"
        world = write(folder / NAME, rows=rows, years=years, seed=seed)
        world.institutions.frame.write_csv(panel)
        public_files.load(folder / NAME, by=by, panel=panel, is_demo=True, reason=REASON)
    _name(world, years, by=by)
    return [builder.build(year, by=by, reason=REASON) for year in years]


def _name(world: World, years: Sequence[int], *, by: Caller) -> None:
    """Load names of the made-up MSA/MDs for years without a list of names."""
    frame = world.places.frame.filter(pl.col("derived_msa_md") != OUTSIDE)
    code = pl.col("derived_msa_md").alias("msa_md")
    names = frame.unique("derived_msa_md", maintain_order=True).select(
        code, msa_md_name=pl.format("Demo Area {}, {}", code, "state_code")
    )
    data = names.write_csv(separator="|", quote_style="never").encode()
    for year in years:
        if not any(registry.own(kind, year) for kind in (CENSUS, MSA_MD_NAMES)):
            loading.load(MSA_MD_NAMES, year, data, source="made-up names", by=by, reason=REASON)
