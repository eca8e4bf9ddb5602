"""Imports published files of public loan rows, to be part of the data sets of their years.

    publication/imports/<year>/<time and something never used again>/loans.parquet
                                                                     names.parquet

The rows lie there in the order of the file; the names are those of a list of institutions that may
come with it.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from django.db import transaction
from django.utils import timezone

from databrowser.models import PublicImport
from databrowser.publication import scratch_database
from databrowser.publication.events import PublicationEvent
from databrowser.publication.imports import file_reader
from databrowser.publication.layout import IMPORTS, LOANS, NAMES
from databrowser.publication.lazy_imports import duckdb
from databrowser.publication.scratch_database import PARQUET, Progress
from filing import audit, storage
from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.files import digests


@dataclass(frozen=True)
class Report:
    """What a load did. unchanged: that this very file was loaded before."""

    made: tuple[PublicImport, ...]
    unchanged: bool = False

    def __str__(self) -> str:
        told = [
            f"{each.year}: {each.rows:,} rows of {each.institutions:,} institutions, "
            f"${each.loan_amount:,} in all."
            for each in self.made
        ]
        if self.unchanged:
            return "\n".join(["This file is loaded already.", *told])
        years = " ".join(str(each.year) for each in self.made)
        return "\n".join([*told, f"Loaded. Publish with `manage.py publish {years}`."])


def load(
    file: Path,
    *,
    by: Caller,
    year: int | None = None,
    panel: Path | None = None,
    beside: bool = False,
    is_demo: bool = False,
    reason: str = "",
    progress: Progress | None = None,
) -> Report:
    """Import a file whole or not at all, as one import for each year that is in it.

    year: the only one that may be in it. panel: a list with the names of the institutions.
    beside: what was imported for the year before goes on to count, too, for institutions that are
    not in this file. is_demo: its rows are made up.

    Raises: BadInput.
    """
    file_reader.header(file)
    sha256 = digests.sha256(file)
    there = PublicImport.objects.filter(sha256=sha256, active=True).order_by("year")
    if there and panel is None:
        return Report(tuple(there), unchanged=True)
    names = read_names(panel) if panel else None
    folders: list[str] = []
    try:
        with storage.workshop() as made, scratch_database.opened(made) as database:
            rows = made / LOANS
            file_reader.to_parquet(database, file, rows, folder=made, progress=progress)
            found = _years(database, rows, year, file.name)
            for each in found:
                each.source, each.sha256, each.loaded_by = file.name, sha256, str(by)
                each.is_demo = is_demo
                each.folder = f"{IMPORTS}/{each.year}/{timezone.now():%Y%m%dT%H%M%S}-{uuid.uuid4()}"
                folders.append(each.folder)
                _keep(database, rows, each, only=len(found) == 1, names=names)
        _register(found, by=by, beside=beside, reason=reason)
    except BaseException:
        for folder in folders:
            storage.discard(folder)
        raise
    return Report(tuple(found))


def read_names(panel: Path) -> pl.DataFrame:
    """Return the columns `lei` and `name` of a list with a header, with commas or pipes.

    Raises: BadInput.
    """
    with panel.open("rb") as opened:
        first = opened.readline()
    try:
        found = pl.read_csv(
            panel, separator="|" if b"|" in first else ",", infer_schema=False, encoding="utf8"
        )
    except pl.exceptions.PolarsError as error:
        raise BadInput(f"{panel.name} cannot be read as a list of institutions: {error}") from error
    columns = {name.strip().lower(): name for name in found.columns}
    if missing := {"lei", "name"} - set(columns):
        raise BadInput(
            f"The first line of {panel.name} must name the columns lei and name. "
            f"Missing: {', '.join(sorted(missing))}."
        )
    named = found.select(
        pl.col(columns[name]).fill_null("").str.strip_chars().alias(name)
        for name in ("lei", "name")
    )
    return named.filter(pl.col("name") != "").unique("lei", keep="last", maintain_order=True)


def plan_leave_out(found: PublicImport) -> str:
    """Return what leaving an import out would do.

    Raises: NotReady when it does not count.
    """
    if not found.active:
        raise NotReady("It does not count already.")
    return f"Its {found.rows:,} rows leave the data set of {found.year} at the next build."


def leave_out(found: PublicImport, *, by: Caller, reason: str) -> str:
    """Let an import no longer count, from the next build on; returns what was done."""
    told = plan_leave_out(found)
    _set_active(found, PublicationEvent.PUBLIC_FILE_LEFT_OUT, by=by, reason=reason)
    return told


def plan_take_in(found: PublicImport) -> str:
    """Return what taking an import in again would do.

    Raises: NotReady when it counts, or a later load of the same file does.
    """
    if found.active:
        raise NotReady("It counts already.")
    same = PublicImport.objects.filter(year=found.year, sha256=found.sha256, active=True)
    if same.exists():
        raise NotReady("A later load of the same file counts.")
    return f"Its {found.rows:,} rows are in the data set of {found.year} from the next build on."


def take_in(found: PublicImport, *, by: Caller, reason: str) -> str:
    """Let an import count again, from the next build on; returns what was done."""
    told = plan_take_in(found)
    _set_active(found, PublicationEvent.PUBLIC_FILE_TAKEN_IN, by=by, reason=reason)
    return told


def _set_active(found: PublicImport, event: PublicationEvent, *, by: Caller, reason: str) -> None:
    with transaction.atomic():
        wanted = not found.active
        moved = PublicImport.objects.filter(pk=found.pk, active=not wanted).update(active=wanted)
        if not moved:
            raise NotReady("It was changed by another user just now.")
        audit.record(event, by=by, about=str(found), reason=reason)


def _years(
    database: duckdb.DuckDBPyConnection, rows: Path, only: int | None, name: str
) -> list[PublicImport]:
    found = database.execute(
        "SELECT activity_year, count(*), count(DISTINCT lei), sum(loan_amount), "
        "min(file_row_number) FROM read_parquet(?, file_row_number = true) GROUP BY 1 ORDER BY 1",
        [str(rows)],
    ).fetchall()
    if not found:
        raise BadInput(f"{name} has no rows below its first line. Nothing was loaded.")
    for year, _, _, _, first in found:
        if only is not None and year != only:
            raise BadInput(
                f"Line {first + 2} of {name}, column activity_year: {year} is not {only}. "
                "Nothing was loaded."
            )
    return [
        PublicImport(year=year, rows=rows, institutions=leis, loan_amount=round(amount))
        for year, rows, leis, amount, _ in found
    ]


def _keep(
    database: duckdb.DuckDBPyConnection,
    rows: Path,
    found: PublicImport,
    *,
    only: bool,
    names: pl.DataFrame | None,
) -> None:
    """Store the rows of one year; `only`: the file has no other."""
    part = rows
    if not only:
        part = rows.with_name(f"{found.year}.parquet")
        scratch_database.run(
            database,
            f"COPY (SELECT * FROM read_parquet({scratch_database.text(rows)}) "
            f"WHERE activity_year = {found.year:d}) TO {scratch_database.text(part)} {PARQUET}",
        )
    storage.keep(part, f"{found.folder}/{LOANS}")
    if names is not None:
        listed = rows.with_name(NAMES)
        names.write_parquet(listed)
        storage.keep(listed, f"{found.folder}/{NAMES}")


@transaction.atomic
def _register(found: list[PublicImport], *, by: Caller, beside: bool, reason: str) -> None:
    for each in found:
        before = PublicImport.objects.filter(year=each.year, active=True)
        if beside:
            before = before.filter(sha256=each.sha256)
        before.update(active=False)
        each.save(force_insert=True)
        audit.record(PublicationEvent.PUBLIC_FILE_IMPORTED, by=by, about=str(each), reason=reason)
