"""The registry of loaded reference data: yearly files of public facts, stored and read.

The facts are in storage as Parquet, under the SHA-256 of the file they came from; a row of
`ReferenceData` says which file is in use.
"""

from __future__ import annotations

import hashlib
import io
import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import polars as pl
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction

from filing.lar.years import filing_years, find_year
from filing.models import ReferenceData
from filing.models.database import lock_table
from filing.models.filing_years import has_database
from filing.reference import census
from filing.reference.census import Census
from filing.reference.kinds import CENSUS, MSA_MD_NAMES, REFERENCE_KINDS, read_reference_file
from filing.reference.listing import BadLines

log = logging.getLogger(__name__)

# The path of the census in use at its last reading, by year; blank where there was none.
_remembered: dict[int, str] = {}


@dataclass(frozen=True, slots=True)
class LoadReport:
    """The result of loading a file. replaced: the file in use before, if it was another one."""

    kind: str
    year: int
    source: str
    sha256: str
    rows: int
    counts: dict[str, int]
    unchanged: bool
    replaced: str

    def __str__(self) -> str:
        counts = ", ".join(f"{number:,} {name}" for name, number in self.counts.items())
        if self.unchanged:
            outcome = "unchanged: this file is already loaded"
        elif self.replaced:
            outcome = f"loaded; replaced {self.replaced}"
        else:
            outcome = "loaded; the first file of this kind and year"
        return (
            f"{self.kind} {self.year} from {self.source}: {self.rows:,} rows, {counts}.\n"
            f"SHA-256 {self.sha256}\n"
            f"{outcome}."
        )


def lock_files() -> None:
    """Lock the registry until the transaction ends: no other file is put into use meanwhile."""
    lock_table(ReferenceData)


def load_file(kind: str, year: int, data: bytes, *, source: str, by: str) -> LoadReport:
    """Load a file of a year, completely or not at all, and use it from now on.

    source: the name or the address it came from.

    Raises: BadLines.
    """
    rows = read_reference_file(REFERENCE_KINDS[kind], data, year=year)
    sha256 = hashlib.sha256(data).hexdigest()
    before = find_own_file(kind, year)
    unchanged = before is not None and before.sha256 == sha256
    if not unchanged:
        new = ReferenceData(
            kind=kind, year=year, source=source, rows=rows.height, sha256=sha256, loaded_by=by
        )
        _register(new, rows)
    return LoadReport(
        kind=kind,
        year=year,
        source=source,
        sha256=sha256,
        rows=rows.height,
        counts=REFERENCE_KINDS[kind].counts(rows),
        unchanged=unchanged,
        replaced=_description(before) if before and not unchanged else "",
    )


def _register(new: ReferenceData, rows: pl.DataFrame) -> None:
    """Store the facts and put their file into use; an error leaves nothing behind."""
    new.path = _store(new, rows)
    try:
        with transaction.atomic():
            same = ReferenceData.objects.filter(kind=new.kind, year=new.year, active=True)
            same.update(active=False)
            new.save(force_insert=True)
    except DatabaseError:
        if not _is_registered(new.path):
            default_storage.delete(new.path)
        raise


def _store(new: ReferenceData, rows: pl.DataFrame) -> str:
    path = f"reference/{new.kind}/{new.year}/{new.sha256}.parquet"
    if _is_registered(path):
        return path
    # A file without a row was left by a killed process, and may be incomplete.
    if default_storage.exists(path):
        default_storage.delete(path)
    parquet = io.BytesIO()
    rows.write_parquet(parquet)
    return default_storage.save(path, ContentFile(parquet.getvalue()))


def _is_registered(path: str) -> bool:
    return ReferenceData.objects.filter(path=path).exists()


def _description(data: ReferenceData) -> str:
    return (
        f"{data.source} of {data.loaded_at:%Y-%m-%d} "
        f"({data.rows:,} rows, SHA-256 {data.sha256[:12]})"
    )


def restore_file(data: ReferenceData) -> ReferenceData | None:
    """Use an earlier file again; return the file that it replaces."""
    with transaction.atomic():
        same = ReferenceData.objects.select_for_update().filter(kind=data.kind, year=data.year)
        before = same.filter(active=True).first()
        same.filter(active=True).update(active=False)
        same.filter(pk=data.pk).update(active=True)
    return before


def read_rows_of_file(data: ReferenceData) -> pl.DataFrame:
    """Return the rows of a loaded file, whether it is in use or not."""
    return _rows(data.kind, data.path)


def find_own_file(kind: str, year: int) -> ReferenceData | None:
    """Return the file in use that a year has of its own, if any."""
    return ReferenceData.objects.filter(kind=kind, year=year, active=True).first()


def find_stand_in_year(kind: str, year: int) -> int | None:
    """Return the year whose file stands in for a year without its own, if staff named one."""
    rules = find_year(year)
    return rules.stand_ins.get(kind) if rules else None


def find_active_file(kind: str, year: int) -> ReferenceData | None:
    """Return the file in use for a year: its own, or the one that stands in for it."""
    years = [year, find_stand_in_year(kind, year) or year]
    files = ReferenceData.objects.filter(kind=kind, year__in=years, active=True)
    return files.order_by("-year").first()


def find_census(year: int) -> Census | None:
    """Return the census of a year, as edits look it up; none if it is not loaded."""
    file = find_active_file(CENSUS, year)
    _remembered[year] = file.path if file else ""
    return _census(file.path) if file else None


def find_census_without_database(year: int) -> Census | None:
    """Return the census of a year; while the database is down, the last one that was in use.

    For checks whose results are not stored. A process knows the last one if it has read it before,
    or called `remember_censuses`.
    """
    try:
        return find_census(year)
    except (OperationalError, InterfaceError) as error:
        if year not in _remembered:
            raise
        log.warning("The database is down, using the last known census of %s: %s", year, error)
        path = _remembered[year]
    return _census(path) if path else None


def remember_censuses() -> None:
    """Remember which census is in use for each year, for the time when the database is down."""
    for year in filing_years():
        file = find_active_file(CENSUS, year)
        _remembered[year] = file.path if file else ""


def read_censuses_ahead() -> None:
    """Remember the censuses in use at the start of a process, if the database answers."""
    try:
        remember_censuses()
    except DatabaseError as error:
        log.info("The census data could not be read yet: %s", error)
    finally:
        connection.close()


def find_census_if_available(year: int) -> Census | None:
    """Return the census of a year; none if it is not loaded or there is no database yet."""
    if not has_database():
        return None
    try:
        return find_census(year)
    except DatabaseError:
        return None


def read_census_file(path: Path, year: int) -> Census:
    """Return the census in a file, which need not be loaded.

    Raises: BadLines; also for lines of a year that does not stand in for the requested one.
    """
    data, own = path.read_bytes(), find_stand_in_year(CENSUS, year) or year
    try:
        return census.build_census(census.read_census(data, year=year))
    except BadLines:
        if own == year:
            raise
    return census.build_census(census.read_census(data, year=own))


def find_msa_md_names(years: Collection[int]) -> Mapping[str, str]:
    """Return the names of MSA/MDs by their five digits, preferably from the given years.

    A list of names is preferred to the census of its year, the given years to all others, and newer
    years to older ones.
    """
    files = ReferenceData.objects.filter(kind__in=(CENSUS, MSA_MD_NAMES), active=True)
    ascending = sorted(
        files.values_list("kind", "year", "path"),
        key=lambda file: (file[1] in years, file[1], file[0] == MSA_MD_NAMES),
    )
    return _all_names(tuple(path for _, _, path in ascending))


# A stored file never changes (its path has the SHA-256), so a process reads it only once.
@lru_cache(maxsize=4)
def _rows(kind: str, path: str) -> pl.DataFrame:
    with default_storage.open(path) as stored:
        return REFERENCE_KINDS[kind].resolved(pl.read_parquet(stored.read()))


@lru_cache(maxsize=4)
def _census(path: str) -> Census:
    return census.build_census(_rows(CENSUS, path))


@lru_cache(maxsize=16)
def _all_names(paths: tuple[str, ...]) -> Mapping[str, str]:
    """Return the names in some files; those of later files replace earlier ones."""
    names: dict[str, str] = {}
    for path in paths:
        names |= _names(path)
    return MappingProxyType(names | {census.OUTSIDE_MSA_MD: census.OUTSIDE_NAME})


@lru_cache(maxsize=64)
def _names(path: str) -> dict[str, str]:
    with default_storage.open(path) as stored:
        columns = [column.name for column in census.MSA_MD_COLUMNS]  # a census has others, too
        rows = pl.read_parquet(stored.read(), columns=columns)
    return census.find_names_by_code(rows)
