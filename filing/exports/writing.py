"""Writes exports: a job streams the rows of a list into a file, chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from filing import storage
from filing.errors import Hopeless, Refusal
from filing.exports.requests import RETENTION
from filing.exports.sources import OpenedList, Rows, find_source
from filing.files import responses, workbook_files
from filing.jobs import sweeper
from filing.models import ListExport
from filing.registries import Lease

_FOLDER = "exports"
_RULE = f"exports of lists are deleted after {RETENTION.days} days."


def run_export(lease: Lease) -> None:
    """Write the file of an export, with the rights that its user has now.

    Raises: Hopeless if the user may not read the list any more, or its filters are malformed.
    """
    export = ListExport.objects.select_related("user").get(job_id=lease.job_id)
    opened = _open_list(export)
    lease.rows_done, lease.rows_total = 0, opened.rows
    name = f"{_FOLDER}/{export.pk}-{lease.attempt_id}.{export.format}"
    with storage.make_work_folder() as folder:
        path = Path(folder, f"list.{export.format}")
        with path.open("wb") as file:
            counted = _count_rows(opened.chunks, lease)
            file.writelines(write_list(export.format, opened.header, counted))
        size = path.stat().st_size
        storage.store_file(path, name)
    with transaction.atomic():
        lease.finish()
        ListExport.objects.filter(pk=export.pk).update(stored_as=name, size=size)


def _open_list(export: ListExport) -> OpenedList:
    user, source = export.user, find_source(export.source)
    if user is None or not user.is_active or not user.has_perm(source.permission):
        raise Hopeless(f"The user may not read the list of {source.label} any more.")
    try:
        return source.open(user, export.query)
    except Refusal as refusal:
        raise Hopeless(refusal.message) from refusal


def _count_rows(chunks: Iterable[Rows], lease: Lease) -> Iterator[Rows]:
    for rows in chunks:
        lease.require()
        yield rows
        lease.rows_done += len(rows)


def write_list(form: str, header: Sequence[str], chunks: Iterable[Rows]) -> Iterator[bytes]:
    """Yield a list as CSV in UTF-8 with a byte order mark, or as a workbook.

    form: `csv` or `xlsx`. Texts that a spreadsheet would read as formulas are not guarded here.
    """
    if form == ListExport.Format.XLSX:
        frames = (workbook_files.frame_cells(header, rows) for rows in chunks)
        yield from workbook_files.stream_workbook("list", header, frames)
        return
    yield responses.BOM.encode()
    for rows in chain([[header]], chunks):
        yield "".join(responses.write_csv_lines(rows)).encode()


def clear_old_exports() -> int:
    """Delete the exports whose job ended long enough ago, with their files; return how many."""
    old = ListExport.objects.filter(job__finished_at__lt=timezone.now() - RETENTION)
    names = list(old.exclude(stored_as="").values_list("stored_as", flat=True))
    deleted = sweeper.delete_with_jobs(old, rule=_RULE)
    for name in names:
        storage.remove_folder(name)
    storage.remove_older_files(_FOLDER, RETENTION)  # of attempts whose end was never written
    return deleted
