"""Publishes made-up rows as real ones are: a file is imported, and its years are built."""

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
REASON = "Made-up rows, to try the service with."


def write(file: Path, *, rows: int, years: Sequence[int], seed: int = 0) -> World:
    """Write made-up rows as a published file has them, the same number in each year.

    rows: in all. Returns what they were drawn from.
    """
    a_year = max(1, rows // len(years))
    world = World.of(a_year, seed=seed)
    with file.open("wb") as opened:
        is_first = True
        for year in years:
            for piece in demo_rows.pieces(world, year=year, rows=a_year):
                piece.write_csv(opened, include_header=is_first, quote_style="never")
                is_first = False
    return world


def publish(*, rows: int, years: Sequence[int], by: Caller, seed: int = 0) -> list[Version]:
    """Import made-up rows, build each year and name its MSA/MDs. Returns the versions, now public.

    Raises: NotReady when they are public already.
    """
    with storage.workshop() as made:
        panel = made / "made-up-demo-institutions.csv"
        world = write(made / NAME, rows=rows, years=years, seed=seed)
        world.institutions.frame.write_csv(panel)
        public_files.load(made / NAME, by=by, panel=panel, is_demo=True, reason=REASON)
    _name(world, years, by=by)
    return [builder.build(year, by=by, reason=REASON) for year in years]


def _name(world: World, years: Sequence[int], *, by: Caller) -> None:
    """Load names of the made-up MSA/MDs for years in which nothing names any."""
    frame = world.places.frame.filter(pl.col("derived_msa_md") != OUTSIDE)
    code = pl.col("derived_msa_md").alias("msa_md")
    names = frame.unique("derived_msa_md", maintain_order=True).select(
        code, msa_md_name=pl.format("Demo Area {}, {}", code, "state_code")
    )
    data = names.write_csv(separator="|", quote_style="never").encode()
    for year in years:
        if not any(registry.own(kind, year) for kind in (CENSUS, MSA_MD_NAMES)):
            loading.load(MSA_MD_NAMES, year, data, source="made-up names", by=by, reason=REASON)
