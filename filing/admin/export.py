"""Sends a list of the admin as a file, as it is filtered and sorted: every row, not one page."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any, BinaryIO

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponseRedirect, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_GET
from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from filing import day_hours
from filing.admin.big_lists import BigListAdmin
from filing.lar.formulas import marked

CHUNK = 1_000
MOST_XLSX_ROWS = 100_000  # a workbook is made whole before it is sent: some 30 s for so many
Columns = dict[str, Callable[[Any], Any]]


class ExportedList(BigListAdmin):
    """A list with two addresses more. exported: what each column of the file says of a row.

    `{zone}` in the name of a column stands for the time zone of its times.
    """

    exported: Columns = {}

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}"
        views = {"csv": self.csv_view, "xlsx": self.xlsx_view}
        ours = [
            path(
                f"export.{kind}",
                self.admin_site.admin_view(require_GET(view)),
                name=f"{name}_export_{kind}",
            )
            for kind, view in views.items()
        ]
        return [*ours, *super().get_urls()]

    def csv_view(self, request: HttpRequest) -> HttpResponseBase:
        """Stream the list as CSV in UTF-8."""
        found = self._asked(request)
        if found is None:
            return self._refused()
        lines = _csv(self._header(), self._rows(found))
        headers = {"Content-Disposition": f'attachment; filename="{self._file_name("csv")}"'}
        return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)

    def xlsx_view(self, request: HttpRequest) -> HttpResponseBase:
        """Send the list as a workbook."""
        found = self._asked(request)
        if found is None:
            return self._refused()
        if found.count() > MOST_XLSX_ROWS:
            told = f"These are more than {MOST_XLSX_ROWS:,} rows: filter them, or export CSV."
            messages.error(request, told)
            return HttpResponseRedirect(self._list())
        file = _workbook(self._header(), self._rows(found))
        return FileResponse(file, as_attachment=True, filename=self._file_name("xlsx"))

    def _asked(self, request: HttpRequest) -> QuerySet[Any] | None:
        """Return all rows that the list of this address has; none for a bad address."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        try:
            return self.get_changelist_instance(request).queryset
        except IncorrectLookupParameters:
            return None

    def _refused(self) -> HttpResponseRedirect:
        return HttpResponseRedirect(f"{self._list()}?e=1")

    def _list(self) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")

    def _file_name(self, kind: str) -> str:
        name = str(self.opts.verbose_name_plural).replace(" ", "-")
        return f"{name}-{timezone.localtime():%Y-%m-%d-%H%M}.{kind}"

    def _header(self) -> list[str]:
        """Return the names of the columns; those of times name the zone."""
        return [name.format(zone=day_hours.zone().key) for name in self.exported]

    def _rows(self, found: QuerySet[Any]) -> Iterator[list[Any]]:
        """Yield the cells of each row: keys by one query, the rest by one or two a chunk."""
        keys = found.values_list("pk", flat=True).iterator(chunk_size=CHUNK)
        whole = found.model._default_manager.select_related(*self.related_to_export)
        while chunk := list(islice(keys, CHUNK)):
            there = whole.order_by().in_bulk(chunk)
            rows = [there[key] for key in chunk if key in there]
            self.complete(rows)
            for row in rows:
                yield [_cell(of(row)) for of in self.exported.values()]

    @property
    def related_to_export(self) -> list[str]:
        return list(getattr(self, "related", []))


def _cell(value: Any) -> Any:
    """Return a value as a spreadsheet takes it: no formulas; the header has the zone of times."""
    if isinstance(value, datetime):
        return f"{day_hours.local(value):%Y-%m-%d %H:%M:%S}"
    return marked(value) if isinstance(value, str) else value


class _Line:
    """What a CSV writer writes into: it hands each line on."""

    def write(self, line: str) -> str:
        return line


def _csv(header: list[str], rows: Iterator[list[Any]]) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield "\ufeff" + writer.writerow(header)  # the mark by which spreadsheets know UTF-8
    while some := list(islice(rows, CHUNK)):
        yield "".join(writer.writerow(row) for row in some)


def _workbook(header: list[str], rows: Iterator[list[Any]]) -> BinaryIO:
    """Return a workbook in a file that is gone when it is closed, written row by row."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet("list")
    sheet.append(header)
    for row in rows:
        sheet.append([_printable(value) for value in row])
    file = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the answer that sends it
    book.save(file)
    file.seek(0)
    return file


def _printable(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return ILLEGAL_CHARACTERS_RE.sub("\N{REPLACEMENT CHARACTER}", value)
