"""Imports published files of public loan records into the data sets of their years.

publication/imports/<year>/<time>-<UUID>/loans.parquet    the records, in the order of the file
                                         names.parquet    the institutions, if a list was given
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
from django.db import transaction
from django.utils import timezone

from databrowser.models import PublicImport
from databrowser.publication.events import PublicationEvent
from databrowser.publication.imports import file_reader
from databrowser.publication.imports.file_reader import Progress
from databrowser.publication.layout import IMPORTS, LOANS, NAMES
from databrowser.publication.loaded_files import switch_loaded_file
from databrowser.publication.quantities import number_of
from databrowser.publication.record_files import sink_records
from filing import audit, standing, storage
from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.files import local_files
from filing.lar.official_kinds import OfficialKind
from filing.reference import official_files
from filing.reference.official_files import LONGEST_FIRST_LINE

_LARGEST_PANEL = 20 * 1024**2  # bytes; a panel has less than 1 million
_WITH_NAMES = (
    OfficialKind.PANEL,
    OfficialKind.TRANSMITTAL_SHEET,
    OfficialKind.INSTITUTIONS,
)


@dataclass(frozen=True)
class ImportReport:
    """The result of an import. unchanged: this file was imported before.

    restored: the values with lost zeros that were made right, by column.
    """

    imports: tuple[PublicImport, ...]
    unchanged: bool = False
    restored: dict[str, dict[str, str]] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [
            f"{imported.year}: {imported.rows:,} records of {imported.institutions:,} "
            f"institutions, ${imported.loan_amount:,} in total."
            for imported in self.imports
        ]
        if self.unchanged:
            return "\n".join(["This file is already imported.", *lines])
        lines += [_describe_restored(*column) for column in self.restored.items()]
        years = " ".join(str(imported.year) for imported in self.imports)
        return "\n".join([*lines, f"Imported. Publish with `manage.py publish {years}`."])


def _describe_restored(column: str, values: dict[str, str]) -> str:
    examples = ", ".join(f"{value!r} to {right!r}" for value, right in list(values.items())[:3])
    more = f" and {len(values) - 3:,} more" if len(values) > 3 else ""
    return f"{column}: made right {examples}{more}."


def import_public_file(
    file: Path,
    *,
    by: Caller,
    year: int | None = None,
    panel: Path | None = None,
    beside: bool = False,
    is_demo: bool = False,
    reason: str = "",
    progress: Progress | None = None,
) -> ImportReport:
    """Import all of a file or nothing, as one import for each of its years.

    year: the only year accepted. panel: a list with the names of the institutions. beside: earlier
    imports of the year stay in use for institutions that are not in this file. is_demo: the
    records are made up; those of institutions that our commands made up always are.

    Raises: BadInput.
    """
    head = file_reader.read_header(file)
    sha256 = local_files.hash_file(file)
    existing = PublicImport.objects.filter(sha256=sha256, active=True).order_by("year")
    if existing and panel is None:
        return ImportReport(tuple(existing), unchanged=True)
    names = read_names(panel) if panel else None
    folders: list[str] = []
    try:
        with storage.make_work_folder() as workshop:
            rows = workshop / LOANS
            restored = file_reader.convert_to_parquet(
                file, rows, folder=workshop, progress=progress
            )
            imports = _years(rows, year, file.name, head.lines)
            for imported in imports:
                imported.source, imported.sha256, imported.loaded_by = file.name, sha256, str(by)
                imported.is_demo = is_demo or imported.is_demo
                imported.folder = (
                    f"{IMPORTS}/{imported.year}/{timezone.now():%Y%m%dT%H%M%S}-{uuid.uuid4()}"
                )
                folders.append(imported.folder)
                _keep(rows, imported, only=len(imports) == 1, names=names)
        _register(imports, by=by, beside=beside, reason=reason)
    except BaseException:
        for folder in folders:
            storage.remove_folder(folder)
        raise
    return ImportReport(tuple(imports), restored=restored)


def read_names(panel: Path) -> pl.DataFrame:
    """Return the columns `lei` and `name` of a panel file, a file of transmittal sheets or a list.

    It has a header, or the official columns in their order.

    Raises: BadInput.
    """
    data = file_reader.read_bytes(panel, _LARGEST_PANEL + 1)
    if len(data) > _LARGEST_PANEL:
        raise BadInput(f"{panel.name} is larger than {_LARGEST_PANEL // 1024**2} MB.")
    if other := official_files.describe_other_kind(data[:LONGEST_FIRST_LINE], *_WITH_NAMES):
        raise BadInput(f"{panel.name} is {other}, not a list of institutions.")
    try:
        first = official_files.read_first_line(data[:LONGEST_FIRST_LINE])
        table = pl.read_csv(
            data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"),
            separator=first.separator,
            has_header=False,
            infer_schema=False,
            encoding="utf8",
        )
    except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        raise BadInput(f"{panel.name} cannot be read as a list of institutions: {error}") from error
    columns = official_files.read_institution_columns(first)
    if missing := {"lei", "name"} - set(columns.names):
        raise BadInput(
            f"The first line of {panel.name} must name the columns lei and name. "
            f"Missing: {', '.join(sorted(missing))}."
        )
    names = table.select(
        pl.nth(columns.names.index(name)).fill_null("").str.strip_chars().alias(name)
        for name in ("lei", "name")
    )
    return (
        names[columns.lines :]
        .filter(pl.col("name") != "")
        .unique("lei", keep="last", maintain_order=True)
    )


def plan_leaving_out(imported: PublicImport) -> str:
    """Return what leaving out an import would do. Raises: NotReady when it is already left out."""
    if not imported.active:
        raise NotReady("It is already left out.")
    records = number_of(imported.rows, "record")
    return f"Its {records} will leave the {imported.year} data set with the next build."


def leave_import_out(imported: PublicImport, *, by: Caller, reason: str) -> str:
    """Leave out an import from the next build on; return what was done."""
    summary = plan_leaving_out(imported)
    switch_loaded_file(imported, PublicationEvent.PUBLIC_FILE_LEFT_OUT, by=by, reason=reason)
    return summary


def plan_taking_in(imported: PublicImport) -> str:
    """Return what including an import again would do.

    Raises: NotReady when it, or a later import of the same file, is already included.
    """
    if imported.active:
        raise NotReady("It is already included.")
    same = PublicImport.objects.filter(year=imported.year, sha256=imported.sha256, active=True)
    if same.exists():
        raise NotReady("A later import of the same file is already included.")
    records = number_of(imported.rows, "record")
    return f"Its {records} will join the {imported.year} data set with the next build."


def take_import_in(imported: PublicImport, *, by: Caller, reason: str) -> str:
    """Include an import again from the next build on; return what was done."""
    summary = plan_taking_in(imported)
    switch_loaded_file(imported, PublicationEvent.PUBLIC_FILE_TAKEN_IN, by=by, reason=reason)
    return summary


def _years(rows: Path, only: int | None, name: str, head_lines: int) -> list[PublicImport]:
    lei = pl.col("lei")
    years = (
        pl.scan_parquet(rows, row_index_name="row")
        .group_by("activity_year")
        .agg(
            rows=pl.len(),
            leis=lei.n_unique(),
            amount=pl.col("loan_amount").sum(),
            first=pl.col("row").min(),
            is_made_up=lei.str.contains(f"^({'|'.join(standing.MADE_UP_LEIS)})").any(),
        )
        .sort("activity_year")
        .collect(engine="streaming")
        .rows()
    )
    if not years:
        raise BadInput(f"{name} has no records below its first line. Nothing was loaded.")
    for year, _, _, _, first, _ in years:
        if only is not None and year != only:
            raise BadInput(
                f"activity_year on line {first + 1 + head_lines:,} of {name} is {year}; "
                f"enter {only}. Nothing was loaded."
            )
    return [
        PublicImport(
            year=year, rows=rows, institutions=leis, loan_amount=round(amount), is_demo=is_made_up
        )
        for year, rows, leis, amount, _, is_made_up in years
    ]


def _keep(rows: Path, imported: PublicImport, *, only: bool, names: pl.DataFrame | None) -> None:
    """Store the records of one year. only: the file has no other year."""
    part = rows
    if not only:
        part = rows.with_name(f"{imported.year}.parquet")
        of_year = pl.scan_parquet(rows).filter(pl.col("activity_year") == imported.year)
        sink_records(of_year, part)
    storage.store_file(part, f"{imported.folder}/{LOANS}")
    if names is not None:
        names_file = rows.with_name(NAMES)
        names.write_parquet(names_file)
        storage.store_file(names_file, f"{imported.folder}/{NAMES}")


@transaction.atomic
def _register(imports: list[PublicImport], *, by: Caller, beside: bool, reason: str) -> None:
    for imported in imports:
        before = PublicImport.objects.filter(year=imported.year, active=True)
        if beside:
            before = before.filter(sha256=imported.sha256)
        before.update(active=False)
        imported.save(force_insert=True)
        audit.record_event(
            PublicationEvent.PUBLIC_FILE_IMPORTED, by=by, about=str(imported), reason=reason
        )
