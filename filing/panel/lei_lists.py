"""The list of LEIs that GLEIF publishes: loading its file, and what it says of one LEI.

Source: GLEIF, golden copy files, LEI-CDF 3.1, CSV: one row for each legal entity.
"""

from __future__ import annotations

import csv
import io
import logging
import uuid
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import polars as pl
import pyarrow as pa
from django.db import transaction
from pyarrow import csv as arrow_csv

from filing import audit, storage
from filing.access import Caller
from filing.errors import BadInput
from filing.files.local_files import hash_file
from filing.models import AuditEvent, LeiList
from filing.people.institutions import LEI_SHAPE

log = logging.getLogger(__name__)
_BLOCK = 2 << 20  # bytes of the file that are read at once
_ROW_GROUP = 50_000  # entries that a lookup reads
_COLUMNS = {
    "lei": "LEI",
    "name": "Entity.LegalName",
    "entity_status": "Entity.EntityStatus",
    "registration_status": "Registration.RegistrationStatus",
}
_COUNTRY = "Entity.LegalAddress.Country"
_UNREADABLE = (
    pa.ArrowInvalid, csv.Error, UnicodeDecodeError, zipfile.BadZipFile, zlib.error, EOFError,
)  # fmt: skip
_ACTIVE, _ISSUED = "ACTIVE", "ISSUED"


@dataclass(frozen=True)
class LeiListReport:
    """The result of a loading. skipped: rows that are no entry of it."""

    lei_list: LeiList
    skipped: int

    def __str__(self) -> str:
        return (
            f"{self.lei_list.source}: {self.lei_list.entries:,} LEIs loaded, {self.skipped:,} rows "
            f"left out.\nSHA-256 {self.lei_list.sha256}"
        )


@dataclass(frozen=True)
class LeiStanding:
    """What the list says of an LEI, as a sentence; blank without a list.

    is_doubtful: the list does not have it, or has it as lapsed or inactive.
    """

    text: str
    is_doubtful: bool = False


def load_lei_list(path: Path, *, countries: Iterable[str] = (), by: Caller) -> LeiListReport:
    """Load the file, CSV or its ZIP, completely or not at all, in place of the list before.

    countries: two-letter codes; only legal entities of these are loaded.

    Raises: BadInput; OSError.
    """
    chosen = frozenset(country.strip().upper() for country in countries)
    entries, rows = _read_entries(path, chosen)
    if entries.is_empty():
        raise BadInput(f"{path.name} has no LEI to load.")
    lei_list = LeiList(
        source=path.name[:255],
        sha256=hash_file(path),
        countries=sorted(chosen),
        entries=entries.height,
        loaded_by=by.username[:255],
        path=f"reference/leis/{uuid.uuid4().hex}.parquet",
    )
    with storage.make_work_folder() as folder:
        parquet = folder / "leis.parquet"
        entries.write_parquet(parquet, row_group_size=_ROW_GROUP, statistics=True)
        storage.store_file(parquet, lei_list.path)
    with transaction.atomic():
        for earlier in LeiList.objects.all():
            storage.discard_folder(earlier.path)
            earlier.delete()
        lei_list.save()
        audit.record_event(
            AuditEvent.LEI_LIST_LOADED,
            by=by,
            about=lei_list.source,
            reason=f"{lei_list.entries:,} LEIs",
        )
    log.info("%s LEIs of %s were loaded by %s", lei_list.entries, lei_list.source, by)
    return LeiListReport(lei_list, skipped=rows - entries.height)


def describe_lei_standing(lei: str) -> LeiStanding:
    """Return what the list that is loaded says of an LEI."""
    lei_list = LeiList.objects.first()
    if lei_list is None:
        return LeiStanding("")
    of = f"GLEIF's list of {lei_list.loaded_at:%Y-%m-%d}"
    entries = pl.scan_parquet(storage.open_local_copy(lei_list.path))
    entry = next(entries.filter(pl.col("lei") == lei).collect().iter_rows(named=True), None)
    if entry is None:
        where = (
            f", of which {', '.join(lei_list.countries)} is loaded" if lei_list.countries else ""
        )
        return LeiStanding(f"{of}{where}, does not have this LEI.", is_doubtful=True)
    entity, registration = entry["entity_status"], entry["registration_status"]
    statuses = f"entity {entity.lower()}, registration {registration.lower().replace('_', ' ')}"
    is_good = (entity, registration) == (_ACTIVE, _ISSUED)
    return LeiStanding(f"{of}: {entry['name']}, {statuses}.", is_doubtful=not is_good)


@contextmanager
def _open_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a CSV file, or the only one in a ZIP. Raises: BadInput."""
    if not zipfile.is_zipfile(path):
        with path.open("rb") as file:
            yield file
        return
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.lower().endswith(".csv")]
        if len(names) != 1:
            raise BadInput(f"{path.name} has {len(names)} CSV files; it must have one.")
        with archive.open(names[0]) as packed:
            yield packed


def _read_entries(path: Path, chosen: frozenset[str]) -> tuple[pl.DataFrame, int]:
    """Return the entries of a file by LEI, and how many rows it has.

    Of its hundreds of columns only ours are kept, of an LEI that it has twice the last row.
    """
    needed = [*_COLUMNS.values(), *([_COUNTRY] if chosen else [])]
    _require_columns(path, needed)
    parts, rows = [], 0
    try:
        with _open_file(path) as file, _read_batches(file, needed) as batches:
            for batch in batches:
                rows += batch.num_rows
                parts.append(_choose_entries(pl.DataFrame(pl.from_arrow(batch)), chosen))
    except _UNREADABLE as error:
        raise BadInput(
            f"{path.name} cannot be read after {rows:,} rows: {error}. Nothing is loaded; load a "
            "complete file."
        ) from error
    if not parts:
        return pl.DataFrame(), 0
    entries = pl.concat(parts).sort("lei", maintain_order=True)
    return entries.filter(pl.col("lei").ne_missing(pl.col("lei").shift(-1))), rows


def _require_columns(path: Path, needed: list[str]) -> None:
    try:
        with _open_file(path) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
            columns = next(csv.reader(text), [])
    except _UNREADABLE as error:
        raise BadInput(f"{path.name} is not a CSV file in UTF-8: {error}.") from error
    if missing := [column for column in needed if column not in columns]:
        raise BadInput(f"The header row of {path.name} has no column {', '.join(missing)}.")


def _read_batches(file: IO[bytes], columns: list[str]) -> arrow_csv.CSVStreamingReader:
    return arrow_csv.open_csv(
        file,
        read_options=arrow_csv.ReadOptions(block_size=_BLOCK),
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            include_columns=columns, column_types=dict.fromkeys(columns, pa.string())
        ),
    )


def _choose_entries(rows: pl.DataFrame, chosen: frozenset[str]) -> pl.DataFrame:
    values = rows.with_columns(pl.all().str.strip_chars())
    if chosen:
        values = values.filter(pl.col(_COUNTRY).str.to_uppercase().is_in(chosen))
    return (
        values.select(pl.col(column).alias(field) for field, column in _COLUMNS.items())
        .with_columns(
            pl.col("lei").str.to_uppercase(),
            pl.col("name").str.replace_all("\0", "", literal=True),
        )
        .filter(pl.col("lei").str.contains(f"^{LEI_SHAPE}$"))
    )
