"""The list of LEIs that GLEIF publishes: loading its file, and what it says of one LEI.

Source: GLEIF, golden copy files, LEI-CDF 3.1, CSV: one row for each legal entity.
"""

from __future__ import annotations

import csv
import hashlib
import io
import logging
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

from django.db import transaction
from django.utils import timezone

from filing import audit
from filing.access import Caller
from filing.errors import BadInput
from filing.models import AuditEvent, LeiEntry, LeiList
from filing.people.institutions import is_lei, normalize_lei

log = logging.getLogger(__name__)
CHUNK = 5_000  # entries written in one transaction
_BATCH = 500
_BLOCK = 1 << 20  # bytes
_LONGEST_NAME = 300
_COLUMNS = {
    "lei": "LEI",
    "name": "Entity.LegalName",
    "entity_status": "Entity.EntityStatus",
    "registration_status": "Registration.RegistrationStatus",
}
_COUNTRY = "Entity.LegalAddress.Country"
_UNREADABLE = (csv.Error, UnicodeDecodeError, zipfile.BadZipFile, zlib.error, EOFError)
_ACTIVE, _ISSUED = "ACTIVE", "ISSUED"


@dataclass(frozen=True)
class LeiListReport:
    """The result of a loading: entries written, rows left out, entries of earlier lists removed."""

    lei_list: LeiList
    skipped: int
    removed: int

    def __str__(self) -> str:
        return (
            f"{self.lei_list.source}: {self.lei_list.entries:,} LEIs loaded, {self.skipped:,} rows "
            f"left out, {self.removed:,} earlier entries removed.\nSHA-256 {self.lei_list.sha256}"
        )


@dataclass(frozen=True)
class LeiStanding:
    """What the list says of an LEI, as a sentence; blank without a list.

    is_doubtful: the list does not have it, or has it as lapsed or inactive.
    """

    text: str
    is_doubtful: bool = False


def load_lei_list(path: Path, *, countries: Iterable[str] = (), by: Caller) -> LeiListReport:
    """Load the file, CSV or its ZIP, and remove what it no longer has.

    It is read as a stream and written in parts, each in a transaction of its own: millions of rows
    in one would hold up everyone who writes. Stopped halfway, it leaves the earlier entries, and
    can be repeated.

    countries: two-letter codes; only legal entities of these are loaded.

    Raises: BadInput; OSError.
    """
    chosen = frozenset(country.strip().upper() for country in countries)
    with _open_text(path) as text:
        reader = csv.DictReader(text)
        _require_columns(path.name, reader, chosen)
        lei_list = LeiList.objects.create(
            source=path.name[:255],
            sha256=_hash_file(path),
            countries=sorted(chosen),
            loaded_by=by.username[:255],
        )
        rows = _read_entries(reader, lei_list, chosen)
        try:
            skipped = _write_entries(rows, lei_list)
        except _UNREADABLE as error:
            raise BadInput(
                f"{path.name} cannot be read after {lei_list.entries:,} LEIs: {error}. Those are "
                "loaded; load a complete file."
            ) from error
    if not lei_list.entries:
        lei_list.delete()
        raise BadInput(f"{path.name} has no LEI to load.")
    with transaction.atomic():
        removed, _ = LeiEntry.objects.exclude(lei_list=lei_list).delete()
        LeiList.objects.exclude(pk=lei_list.pk).delete()
        lei_list.loaded_at = timezone.now()
        lei_list.save(update_fields=["loaded_at"])
        audit.record_event(
            AuditEvent.LEI_LIST_LOADED,
            by=by,
            about=lei_list.source,
            reason=f"{lei_list.entries:,} LEIs",
        )
    log.info("%s LEIs of %s were loaded by %s", lei_list.entries, lei_list.source, by)
    return LeiListReport(lei_list, skipped=skipped, removed=removed)


def describe_lei_standing(lei: str) -> LeiStanding:
    """Return what the newest complete list says of an LEI."""
    lei_list = LeiList.objects.exclude(loaded_at=None).first()
    if lei_list is None:
        return LeiStanding("")
    of = f"GLEIF's list of {lei_list.begun_at:%Y-%m-%d}"
    entry = LeiEntry.objects.filter(pk=lei).first()
    if entry is None:
        where = (
            f", of which {', '.join(lei_list.countries)} is loaded" if lei_list.countries else ""
        )
        return LeiStanding(f"{of}{where}, does not have this LEI.", is_doubtful=True)
    statuses = f"entity {entry.entity_status.lower()}, registration "
    statuses += entry.registration_status.lower().replace("_", " ")
    is_good = (entry.entity_status, entry.registration_status) == (_ACTIVE, _ISSUED)
    return LeiStanding(f"{of}: {entry.name}, {statuses}.", is_doubtful=not is_good)


@contextmanager
def _open_text(path: Path) -> Iterator[IO[str]]:
    """Open the file as text: a CSV file, or the only one in a ZIP. Raises: BadInput."""
    if not zipfile.is_zipfile(path):
        with path.open(encoding="utf-8-sig", newline="") as text:
            yield text
        return
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.lower().endswith(".csv")]
        if len(names) != 1:
            raise BadInput(f"{path.name} has {len(names)} CSV files; it must have one.")
        with archive.open(names[0]) as packed:
            yield io.TextIOWrapper(packed, encoding="utf-8-sig", newline="")


def _hash_file(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _require_columns(name: str, reader: csv.DictReader[str], chosen: frozenset[str]) -> None:
    try:
        columns = set(reader.fieldnames or ())
    except _UNREADABLE as error:
        raise BadInput(f"{name} is not a CSV file in UTF-8: {error}.") from error
    needed = [*_COLUMNS.values(), *([_COUNTRY] if chosen else [])]
    if missing := [column for column in needed if column not in columns]:
        raise BadInput(f"The header row of {name} has no column {', '.join(missing)}.")


def _read_entries(
    reader: csv.DictReader[str], lei_list: LeiList, chosen: frozenset[str]
) -> Iterator[LeiEntry | None]:
    """Yield the entries of a file, and none for each row that is left out."""
    for row in reader:
        values = {field: (row[column] or "").strip() for field, column in _COLUMNS.items()}
        lei = normalize_lei(values["lei"])
        if not is_lei(lei) or (chosen and (row[_COUNTRY] or "").strip().upper() not in chosen):
            yield None
            continue
        yield LeiEntry(
            lei=lei,
            name=values["name"].replace("\0", "")[:_LONGEST_NAME],
            entity_status=values["entity_status"][:20],
            registration_status=values["registration_status"][:30],
            lei_list=lei_list,
        )


def _write_entries(rows: Iterator[LeiEntry | None], lei_list: LeiList) -> int:
    """Write the entries in parts, and count them; return the number of rows that are left out."""
    skipped = 0
    while part := list(islice(rows, CHUNK)):
        # One statement cannot write the same row twice.
        entries = {entry.lei: entry for entry in part if entry is not None}
        skipped += len(part) - len(entries)
        with transaction.atomic():
            LeiEntry.objects.bulk_create(
                entries.values(),
                batch_size=_BATCH,
                update_conflicts=True,
                unique_fields=["lei"],
                update_fields=["name", "entity_status", "registration_status", "lei_list"],
            )
            lei_list.entries += len(entries)
            lei_list.save(update_fields=["entries"])
    return skipped
