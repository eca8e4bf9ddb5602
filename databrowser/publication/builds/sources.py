"""The sources of a data set: signed submissions, and imported files for other institutions.

Their records are written into one Parquet file, sorted by place and institution.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl
from django.core.files.storage import default_storage
from django.db.models import Max, QuerySet

from databrowser.dimensions.catalogue import DIMENSIONS, ROLLUPS
from databrowser.models import Dataset, LiveVersion, ModifiedLar, PublicImport
from databrowser.publication import record_files
from databrowser.publication.columns import SCHEMA
from databrowser.publication.layout import LOANS, NAMES
from databrowser.publication.scratch_database import GROUP_ROWS, Progress, narrow_progress
from databrowser.publication.versions import freeze_days, live_versions
from filing import standing, storage
from filing.models import Institution, ReferenceData, Submission

# Increased when the code of builds makes another data set of the same sources, columns and
# dimensions, which has to be built then.
REVISION = 4
_READ = 0.5  # the progress of sorting once all records are read, by the time it takes
_FILES_AT_ONCE = 500


@dataclass(frozen=True)
class Signed:
    """The public records of the annual submission of an institution that counts as filed.

    rows: of the public records. lines: records that the edits judged. sheet: the transmittal sheet.
    reference: the census and the loan limits with which its public records were made.
    """

    lei: str
    submission: str
    rows: int
    sha256: str
    folder: str
    lines: int
    sheet: dict[str, Any]
    signed_at: datetime
    reference: tuple[ReferenceData, ...]

    @property
    def path(self) -> Path:
        return storage.open_local_copy(f"{self.folder}/{LOANS}")


@dataclass(frozen=True)
class BuildSources:
    """The sources of the data set of a year.

    signed: one per institution. missing: institutions of whose submission that counts there is no
    modified LAR yet; while it is being prepared, what they signed before is in `signed`. imports:
    newest first; the records of an institution come from the first import that has any.
    frozen_on: of a vintage, whose sources are what was signed by the end of that day. tests:
    institutions whose records never become public, wherever they come from.
    """

    year: int
    signed: tuple[Signed, ...]
    missing: tuple[str, ...]
    imports: tuple[PublicImport, ...]
    frozen_on: date | None = None
    tests: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there are no records so far; missing institutions may add some."""
        return not self.signed and not self.imports

    @property
    def is_demo(self) -> bool:
        """Whether some records are made up."""
        is_signed = any(signed.lei.startswith(standing.MADE_UP_LEIS) for signed in self.signed)
        return is_signed or any(imported.is_demo for imported in self.imports)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the sources: equal sources give equal data sets."""
        content = {
            "revision": REVISION,
            "columns": list(SCHEMA),
            "dimensions": [[dimension.column, dimension.values] for dimension in DIMENSIONS],
            "rollups": [
                [table, *(dimension.column for dimension in dimensions)]
                for table, dimensions in ROLLUPS.items()
            ],
            "signed": [[signed.lei, signed.submission, signed.sha256] for signed in self.signed],
            "missing": self.missing,
            "imports": [imported.sha256 for imported in self.imports],
        }
        if self.imports and self.tests:
            content["tests"] = self.tests
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def read_sources(year: int, *, frozen_on: date | None = None) -> BuildSources:
    """Return the current sources of a year, or those of a vintage.

    A vintage has of each institution the last submission signed by the end of its freeze day, so
    that later signatures change nothing in it. Imported files are in it that were loaded by then;
    of a year in which none had signed by then, all are.
    """
    until = freeze_days.find_end(frozen_on) if frozen_on else None
    annual = ModifiedLar.objects.annual().filter(submission__filing__period__year=year)
    path = "submission__"
    counting = standing.is_counting(path, until=until) & standing.is_for_the_public(path)
    lars = annual.made().filter(counting) if until else annual.in_use()
    signed = [
        Signed(
            lei=lar.submission.lei,
            submission=str(lar.submission),
            rows=lar.rows,
            sha256=lar.sha256,
            folder=lar.folder,
            lines=lar.submission.records,
            sheet=lar.submission.transmittal_sheet or {},
            signed_at=lar.submission.signature.signed_at,
            reference=tuple(data for data in (lar.census, lar.limits) if data),
        )
        for lar in lars.select_related(
            *("submission__filing__institution", "submission__filing__period"),
            *("submission__signature", "census", "limits"),
        )
    ]
    unprepared = Submission.objects.filter(
        standing.is_counting(until=until),
        standing.is_for_the_public(),
        filing__period__year=year,
        filing__period__quarter="",
        modified_lar__made_at=None,
    )
    signed.sort(key=lambda source: source.lei)
    missing = sorted(unprepared.order_by().values_list("filing__institution__lei", flat=True))
    imports = find_imports(year)
    if until and (signed or missing):
        imports = imports.filter(loaded_at__lt=until)
    tests = tuple(live_versions.list_test_institutions(year))
    return BuildSources(year, tuple(signed), tuple(missing), tuple(imports), frozen_on, tests)


def find_imports(year: int) -> QuerySet[PublicImport]:
    """Return the imported files that count for a year, newest first."""
    return PublicImport.objects.filter(year=year, active=True).order_by("-loaded_at", "-pk")


def count_by_lei(loans: Path) -> dict[str, int]:
    """Return how many records each institution has, by LEI. loans: the file of a version."""
    counts = pl.scan_parquet(loans).group_by("lei").len().collect(engine="streaming")
    return dict(counts.sort("lei").rows())


def are_live(sources: BuildSources) -> bool:
    """Tell whether the published version of the data set was built from these sources.

    A vintage is built only when staff request it, and then always.
    """
    if sources.frozen_on:
        return False
    live = LiveVersion.objects.filter(
        year=sources.year,
        dataset=Dataset.DYNAMIC,
        version__manifest__fingerprint=sources.fingerprint,
    )
    return live.exists()


def institution_names(year: int, imports: Iterable[PublicImport]) -> pl.DataFrame:
    """Return the names of the institutions of a year: `lei` and `name`, one row each.

    Names come from the panel of the year, or else from the list loaded with an import.
    """
    panel = Institution.objects.filter(activity_year=year).values_list("lei", "name")
    lists = [pl.DataFrame(list(panel), schema={"lei": pl.String, "name": pl.String}, orient="row")]
    for imported in imports:
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
    sources: BuildSources, target: Path, progress: Progress = lambda share: None
) -> None:
    """Write the public records of a year.

    The records of an institution that has signed come from its submission only; those of others
    from the newest import that has any.

    Shape: the columns of `SCHEMA`, sorted by state, county, LEI, then as in its source.
    """
    by = ("state_code", "county_code", "lei")
    record_files.write_sorted(
        _pieces(sources, narrow_progress(progress, 0, _READ)),
        target,
        by=by,
        folder=target.parent,
        progress=narrow_progress(progress, _READ, 1),
    )


def count_rows(sources: BuildSources) -> int:
    """Return the number of rows in all sources, including those that will not be used."""
    signed = sum(signed.rows for signed in sources.signed)
    return signed + sum(imported.rows for imported in sources.imports)


def _pieces(sources: BuildSources, progress: Progress) -> Iterator[pl.DataFrame]:
    """Yield all records, in the order of the sources."""
    files = [signed.path for signed in sources.signed]
    parts = [
        pl.scan_parquet(files[start : start + _FILES_AT_ONCE])
        for start in range(0, len(files), _FILES_AT_ONCE)
    ]
    taken = {signed.lei for signed in sources.signed} | {*sources.missing, *sources.tests}
    for imported in sources.imports:
        records = pl.scan_parquet(_imported_file(imported))
        leis = set(records.select(pl.col("lei").unique()).collect()["lei"]) - taken
        parts.append(records.filter(pl.col("lei").is_in(leis)))
        taken |= leis
    done, rows = 0, count_rows(sources)
    for part in parts:
        batches = part.select(*SCHEMA).collect_batches(chunk_size=GROUP_ROWS, maintain_order=True)
        for piece in batches:
            done += piece.height
            progress(done / rows)
            yield piece


def _imported_file(imported: PublicImport) -> Path:
    return storage.open_local_copy(f"{imported.folder}/{LOANS}")
