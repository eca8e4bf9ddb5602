"""Publishes made-up records as real ones are: a file is imported, and its years are built."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from databrowser.demo import rows as demo_rows
from databrowser.demo.rows import DemoWorld
from databrowser.models import Version
from databrowser.publication.builds import builder
from databrowser.publication.imports import public_files
from filing import storage
from filing.access import Caller
from filing.reference.census import OUTSIDE_MSA_MD
from filing.reference.kinds import CENSUS, MSA_MD_NAMES
from filing.reference_data import loading, registry

NAME = "made-up-demo-rows.csv"
REASON = "Made-up records, for trying out the service."


def write_demo_file(file: Path, *, rows: int, years: Sequence[int], seed: int = 0) -> DemoWorld:
    """Write made-up records in the form of a published file, the same number for each year.

    rows: the total. Returns the world they were drawn from.
    """
    rows_a_year = max(1, rows // len(years))
    world = DemoWorld.of(rows_a_year, seed=seed)
    with file.open("wb") as stream:
        is_first = True
        for year in years:
            for piece in demo_rows.demo_pieces(world, year=year, rows=rows_a_year):
                piece.write_csv(stream, include_header=is_first, quote_style="never")
                is_first = False
    return world


def publish_demo(*, rows: int, years: Sequence[int], by: Caller, seed: int = 0) -> list[Version]:
    """Import made-up records, then build each year and name its MSA/MDs. Returns the versions.

    Raises: NotReady when they are published already.
    """
    with storage.make_work_folder() as folder:
        panel = folder / "made-up-demo-institutions.csv"
        world = write_demo_file(folder / NAME, rows=rows, years=years, seed=seed)
        world.institutions.frame.write_csv(panel)
        public_files.import_public_file(
            folder / NAME, by=by, panel=panel, is_demo=True, reason=REASON
        )
    _name(world, years, by=by)
    return [builder.build_year(year, by=by, reason=REASON) for year in years]


def _name(world: DemoWorld, years: Sequence[int], *, by: Caller) -> None:
    """Load names of the made-up MSA/MDs for years without a list of names."""
    frame = world.places.frame.filter(pl.col("derived_msa_md") != OUTSIDE_MSA_MD)
    code = pl.col("derived_msa_md").alias("msa_md")
    names = frame.unique("derived_msa_md", maintain_order=True).select(
        code, msa_md_name=pl.format("Demo Area {}, {}", code, "state_code")
    )
    data = names.write_csv(separator="|", quote_style="never").encode()
    for year in years:
        if not any(registry.find_own_file(kind, year) for kind in (CENSUS, MSA_MD_NAMES)):
            loading.load_with_reason(
                MSA_MD_NAMES, year, data, source="made-up names", by=by, reason=REASON
            )
