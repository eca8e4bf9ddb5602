"""The sources of a data set: signed submissions, and imported files for other institutions.

Their records are written into one Parquet file, sorted by place and institution.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

import polars as pl
from django.core.files.storage import default_storage
from django.db.models import Max

from databrowser.dimensions.catalogue import DIMENSIONS
from databrowser.models import LiveVersion, ModifiedLar, PublicImport
from databrowser.publication import scratch_database
from databrowser.publication.columns import SCHEMA
from databrowser.publication.distinct_values import read_distinct_values
from databrowser.publication.layout import LOANS, NAMES
from databrowser.publication.lazy_imports import duckdb
from databrowser.publication.scratch_database import PARQUET, Progress
from filing import standing, storage
from filing.models import Institution, Submission

# Increased when the code of builds makes another data set of the same sources, columns and
# dimensions, which has to be built then.
REVISION = 1
# A column with at most this many values is sorted as numbers of one or two bytes, not as text.
_FEW_VALUES = 20_000
# With fewer rows, nothing is gained.
_WORTH_CODING = 100_000
_FILES_AT_ONCE = 500


@dataclass(frozen=True)
class Signed:
    """The public records of the annual submission of an institution that counts as filed."""

    lei: str
    submission: str
    rows: int
    sha256: str
    folder: str

    @property
    def path(self) -> Path:
        return storage.open_local_copy(f"{self.folder}/{LOANS}")


@dataclass(frozen=True)
class BuildSources:
    """The sources of the data set of a year.

    signed: one per institution. missing: institutions of whose submission that counts there is no
    modified LAR yet; while it is being prepared, what they signed before is in `signed`. imports:
    newest first; the records of an institution come from the first import that has any.
    """

    year: int
    signed: tuple[Signed, ...]
    missing: tuple[str, ...]
    imports: tuple[PublicImport, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there are no records so far; missing institutions may add some."""
        return not self.signed and not self.imports

    @property
    def is_demo(self) -> bool:
        """Whether some records are made up."""
        return any(imported.is_demo for imported in self.imports)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the sources: equal sources give equal data sets."""
        content = {
            "revision": REVISION,
            "columns": list(SCHEMA),
            "dimensions": [
                [dimension.column, dimension.values, dimension.in_rollup]
                for dimension in DIMENSIONS
            ],
            "signed": [[signed.lei, signed.sha256] for signed in self.signed],
            "missing": self.missing,
            "imports": [imported.sha256 for imported in self.imports],
        }
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def read_sources(year: int) -> BuildSources:
    """Return the current sources of a year."""
    lars = ModifiedLar.objects.annual().in_use().filter(submission__filing__period__year=year)
    signed = [
        Signed(lar.submission.lei, str(lar.submission), lar.rows, lar.sha256, lar.folder)
        for lar in lars.select_related(
            "submission__filing__institution", "submission__filing__period"
        )
    ]
    unprepared = Submission.objects.filter(
        standing.is_counting(),
        standing.is_for_the_public(),
        filing__period__year=year,
        filing__period__quarter="",
        modified_lar__made_at=None,
    )
    signed.sort(key=lambda source: source.lei)
    missing = sorted(unprepared.order_by().values_list("filing__institution__lei", flat=True))
    imports = PublicImport.objects.filter(year=year, active=True).order_by("-loaded_at", "-pk")
    return BuildSources(year, tuple(signed), tuple(missing), tuple(imports))


def are_live(sources: BuildSources) -> bool:
    """Tell whether the published version of the year was built from these sources."""
    live = LiveVersion.objects.filter(
        year=sources.year, version__manifest__fingerprint=sources.fingerprint
    )
    return live.exists()


def institution_names(sources: BuildSources) -> pl.DataFrame:
    """Return the names of the institutions of a year: `lei` and `name`, one row each.

    Names come from the panel of the year, or else from the list loaded with an import.
    """
    panel = Institution.objects.filter(activity_year=sources.year).values_list("lei", "name")
    lists = [pl.DataFrame(list(panel), schema={"lei": pl.String, "name": pl.String}, orient="row")]
    for imported in sources.imports:
        names_file = f"{imported.folder}/{NAMES}"
        if default_storage.exists(names_file):
            lists.append(pl.read_parquet(storage.open_local_copy(names_file)))
    return pl.concat(lists).unique("lei", keep="first", maintain_order=True)


def last_prepared() -> dict[int, datetime]:
    """Return when the newest annual modified LAR was prepared, by year."""
    lars = ModifiedLar.objects.made().annual()
    by_year = lars.order_by().values_list("submission__filing__period__year")
    return dict(by_year.annotate(Max("made_at")))


def write_sorted_rows(
    database: duckdb.DuckDBPyConnection,
    sources: BuildSources,
    target: Path,
    progress: Progress | None = None,
) -> None:
    """Write the public records of a year.

    The records of an institution that has signed come from its submission only; those of others
    from the newest import that has any.

    Shape: the columns of `SCHEMA`, sorted by state, county, LEI, then as in its source.
    """
    _gather(database, sources)
    coded_columns = (
        read_distinct_values(_files(sources), most=_FEW_VALUES)
        if count_rows(sources) >= _WORTH_CODING
        else {}
    )
    for name, values in coded_columns.items():
        enumerated = ", ".join(map(scratch_database.quote, sorted(values)))
        database.execute(f"CREATE TYPE values_of_{name} AS ENUM ({enumerated})")
    coded = ", ".join(
        f"{name}::values_of_{name} AS {name}" if name in coded_columns else name
        for name in (*SCHEMA, "file_row_number")
    )
    plain = ", ".join(
        f"{name}::VARCHAR AS {name}" if name in coded_columns else name for name in SCHEMA
    )
    scratch_database.run_statement(
        database,
        f"COPY (SELECT {plain} FROM (SELECT {coded} FROM gathered "
        "ORDER BY state_code, county_code, lei, file_row_number)) "
        f"TO {scratch_database.quote(target)} {PARQUET}",
        progress,
    )


def count_rows(sources: BuildSources) -> int:
    """Return the number of rows in all sources, including those that will not be used."""
    signed = sum(signed.rows for signed in sources.signed)
    return signed + sum(imported.rows for imported in sources.imports)


def _gather(database: duckdb.DuckDBPyConnection, sources: BuildSources) -> None:
    """Create the view `gathered` of all records, each with its row number in its file."""
    database.execute("CREATE TABLE taken_from (lei VARCHAR, source INTEGER)")
    if leis := {signed.lei for signed in sources.signed} | {*sources.missing}:
        database.executemany("INSERT INTO taken_from VALUES (?, -1)", [[lei] for lei in leis])
    columns = ", ".join((*SCHEMA, "file_row_number"))
    selects = []
    files = [str(signed.path) for signed in sources.signed]
    for start in range(0, len(files), _FILES_AT_ONCE):
        batch = scratch_database.quote_all(files[start : start + _FILES_AT_ONCE])
        selects.append(f"SELECT {columns} FROM read_parquet({batch}, file_row_number = true)")
    for number, imported in enumerate(sources.imports):
        path = scratch_database.quote(_imported_file(imported))
        database.execute(
            f"INSERT INTO taken_from SELECT DISTINCT lei, {number:d} FROM read_parquet({path}) "
            "WHERE lei NOT IN (SELECT lei FROM taken_from)"
        )
        selects.append(
            f"SELECT {columns} FROM read_parquet({path}, file_row_number = true) "
            f"WHERE lei IN (SELECT lei FROM taken_from WHERE source = {number:d})"
        )
    database.execute(f"CREATE VIEW gathered AS {' UNION ALL '.join(selects)}")


def _files(sources: BuildSources) -> Iterator[Path]:
    """Yield the files with the public records of all sources."""
    yield from (signed.path for signed in sources.signed)
    yield from map(_imported_file, sources.imports)


def _imported_file(imported: PublicImport) -> Path:
    return storage.open_local_copy(f"{imported.folder}/{LOANS}")
