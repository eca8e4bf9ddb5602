"""The yearly files of public facts that were loaded: registered, stored, handed out.

The only part of `filing.reference` that needs Django. The facts lie in storage as Parquet, under
the SHA-256 of the file they came from; a row of `ReferenceData` says which file counts.
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
from django.db import (
    DatabaseError,
    InterfaceError,
    OperationalError,
    connection,
    transaction,
)

from filing.lar.period import FIRST_YEAR, LAST_YEAR
from filing.models import ReferenceData
from filing.reference import census as census_file
from filing.reference import limits as limits_file
from filing.reference import msa_md_names as names_file
from filing.reference.census import Census
from filing.reference.kinds import CENSUS, COUNTY_LIMITS, KINDS, MSA_MD_NAMES
from filing.reference.limits import LoanLimits
from filing.reference.listing import BadLines

log = logging.getLogger(__name__)

# A year without a file of its own uses that of the year before.
_STANDS_IN = {2026: 2025}
# By year the path of the census that counted when it was last asked for; blank where none did.
_remembered: dict[int, str] = {}


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a load found and did. replaced: the file that counted before, if another one did."""

    kind: str
    year: int
    source: str
    sha256: str
    rows: int
    counts: dict[str, int]
    unchanged: bool
    replaced: str

    def __str__(self) -> str:
        found = ", ".join(f"{number:,} {what}" for what, number in self.counts.items())
        if self.unchanged:
            done = "unchanged: this very file is loaded already"
        elif self.replaced:
            done = f"loaded; replaced {self.replaced}"
        else:
            done = "loaded; the first file of this kind and year"
        return (
            f"{self.kind} {self.year} from {self.source}: {self.rows:,} rows, {found}.\n"
            f"SHA-256 {self.sha256}\n"
            f"{done}."
        )


def load_census(year: int, path: Path, *, by: str) -> LoadReport:
    """Load the census file of a year, whole or not at all.

    Raises: BadLines.
    """
    return load(CENSUS, year, path.read_bytes(), source=path.name, by=by)


def load_limits(year: int, path: Path, *, by: str) -> LoadReport:
    """Load the county loan limit list of a year, whole or not at all.

    Raises: BadLines.
    """
    return load(COUNTY_LIMITS, year, path.read_bytes(), source=path.name, by=by)


def restore(again: ReferenceData) -> ReferenceData | None:
    """Let a file that counted before count again; return the one that it replaces."""
    with transaction.atomic():
        same = ReferenceData.objects.select_for_update().filter(kind=again.kind, year=again.year)
        before = same.filter(active=True).first()
        same.filter(active=True).update(active=False)
        same.filter(pk=again.pk).update(active=True)
    return before


def rows_of(data: ReferenceData) -> pl.DataFrame:
    """Return the rows of one file that was loaded, whether it counts or not."""
    return _rows(data.kind, data.path)


def own(kind: str, year: int) -> ReferenceData | None:
    """Return the file of the year itself that counts, if it has one."""
    return ReferenceData.objects.filter(kind=kind, year=year, active=True).first()


def stands_in_for(year: int) -> int | None:
    """Return the year whose file serves a year that has none of its own."""
    return _STANDS_IN.get(year)


def active(kind: str, year: int) -> ReferenceData | None:
    """Return the file that counts for a year: its own, or the one that stands in for it."""
    years = [year, _STANDS_IN.get(year, year)]
    found = ReferenceData.objects.filter(kind=kind, year__in=years, active=True)
    return found.order_by("-year").first()


def rows(kind: str, year: int) -> pl.DataFrame | None:
    """Return the rows of the file that counts for a year, as `read_rows` of its module does."""
    found = active(kind, year)
    return _rows(kind, found.path) if found else None


def census(year: int) -> Census | None:
    """Return what edits ask of the census of a year, or nothing when none is loaded."""
    found = active(CENSUS, year)
    _remembered[year] = found.path if found else ""
    return _census(found.path) if found else None


def census_also_without_database(year: int) -> Census | None:
    """Return the census of a year, while the database is away the one that counted last.

    For checks that keep nothing. The one that counted is known to a process that has asked for it
    before, or that has remembered all.
    """
    try:
        return census(year)
    except (OperationalError, InterfaceError) as error:
        if year not in _remembered:
            raise
        log.warning("The census of %s is the one that counted last: %s", year, error)
        path = _remembered[year]
    return _census(path) if path else None


def remember_censuses() -> None:
    """Read which census counts for each year, to know it while the database is away."""
    for year in range(FIRST_YEAR, LAST_YEAR + 1):
        found = active(CENSUS, year)
        _remembered[year] = found.path if found else ""


def census_at_hand(year: int) -> Census | None:
    """Return the census of a year, or nothing where none is loaded or there is no database yet."""
    if not _has_database():
        return None
    try:
        return census(year)
    except DatabaseError:
        return None


def _has_database() -> bool:
    """Return whether there is one to be asked: SQLite makes a file that is not there."""
    return connection.vendor != "sqlite" or Path(connection.settings_dict["NAME"]).exists()


def census_of_file(path: Path, year: int) -> Census:
    """Return the census of a file, which need not be loaded.

    Raises: BadLines; also for lines of a year that does not serve the one asked for.
    """
    data, own = path.read_bytes(), _STANDS_IN.get(year, year)
    try:
        return census_file.facts(census_file.read_rows(data, year=year))
    except BadLines:
        if own == year:
            raise
    return census_file.facts(census_file.read_rows(data, year=own))


def limits(year: int) -> LoanLimits | None:
    """Return the county loan limits of a year, or nothing when none are loaded."""
    found = active(COUNTY_LIMITS, year)
    return _limits(found.path) if found else None


def msa_md_names(years: Collection[int]) -> Mapping[str, str]:
    """Return the names of MSA/MDs by their five digits, as some years call them.

    A list of names goes before the census of its year, the years asked for before all others, and
    newer years before older ones.
    """
    files = ReferenceData.objects.filter(kind__in=(CENSUS, MSA_MD_NAMES), active=True)
    ascending = sorted(
        files.values_list("kind", "year", "path"),
        key=lambda file: (file[1] in years, file[1], file[0] == MSA_MD_NAMES),
    )
    return _all_names(tuple(path for _, _, path in ascending))


# What lies under a path never changes (the SHA-256 is in it), so a process reads it once.
@lru_cache(maxsize=4)
def _rows(kind: str, path: str) -> pl.DataFrame:
    with default_storage.open(path) as stored:
        return KINDS[kind].resolved(pl.read_parquet(stored.read()))


@lru_cache(maxsize=4)
def _census(path: str) -> Census:
    return census_file.facts(_rows(CENSUS, path))


@lru_cache(maxsize=4)
def _limits(path: str) -> LoanLimits:
    return limits_file.facts(_rows(COUNTY_LIMITS, path))


@lru_cache(maxsize=16)
def _all_names(paths: tuple[str, ...]) -> Mapping[str, str]:
    """Return the names in some files; the last file that has one counts."""
    found: dict[str, str] = {}
    for path in paths:
        found |= _names(path)
    return MappingProxyType(found | {names_file.OUTSIDE: names_file.OUTSIDE_NAME})


@lru_cache(maxsize=64)
def _names(path: str) -> dict[str, str]:
    with default_storage.open(path) as stored:
        columns = [column.name for column in names_file.COLUMNS]  # a census has others, too
        rows = pl.read_parquet(stored.read(), columns=columns)
    return names_file.by_code(rows)


def load(kind: str, year: int, data: bytes, *, source: str, by: str) -> LoadReport:
    """Load a file of a year, whole or not at all. It counts from now on.

    source: the name or the address it came from.

    Raises: BadLines.
    """
    found = KINDS[kind].read(data, year)
    sha256 = hashlib.sha256(data).hexdigest()
    before = ReferenceData.objects.filter(kind=kind, year=year, active=True).first()
    unchanged = before is not None and before.sha256 == sha256
    if not unchanged:
        new = ReferenceData(
            kind=kind, year=year, source=source, rows=found.height, sha256=sha256, loaded_by=by
        )
        _register(new, found)
    return LoadReport(
        kind=kind,
        year=year,
        source=source,
        sha256=sha256,
        rows=found.height,
        counts=KINDS[kind].counts(found),
        unchanged=unchanged,
        replaced=_description(before) if before and not unchanged else "",
    )


def _register(new: ReferenceData, found: pl.DataFrame) -> None:
    """Store the facts and make their row the one that counts; a failure leaves nothing behind."""
    new.path = _store(new, found)
    try:
        with transaction.atomic():
            same = ReferenceData.objects.filter(kind=new.kind, year=new.year, active=True)
            same.update(active=False)
            new.save(force_insert=True)
    except DatabaseError:
        if not _is_registered(new.path):
            default_storage.delete(new.path)
        raise


def _store(new: ReferenceData, found: pl.DataFrame) -> str:
    path = f"reference/{new.kind}/{new.year}/{new.sha256}.parquet"
    if _is_registered(path):
        return path
    # A file without a row was left by a process that was killed, and may be cut short.
    if default_storage.exists(path):
        default_storage.delete(path)
    parquet = io.BytesIO()
    found.write_parquet(parquet)
    return default_storage.save(path, ContentFile(parquet.getvalue()))


def _is_registered(path: str) -> bool:
    return ReferenceData.objects.filter(path=path).exists()


def _description(data: ReferenceData) -> str:
    return (
        f"{data.source} of {data.loaded_at:%Y-%m-%d} "
        f"({data.rows:,} rows, SHA-256 {data.sha256[:12]})"
    )
