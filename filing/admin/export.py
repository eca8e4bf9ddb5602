"""Exports an admin list as a file, filtered and sorted as shown: every row, not one page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import chain, islice
from typing import Any

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_GET

from filing import day_hours
from filing.admin.own_pages import OwnPages, WithOwnPages
from filing.admin.tables import LargeTableAdmin
from filing.files import responses, workbook_files
from filing.lar.formulas import mark_formula

CHUNK = 1_000
MAX_XLSX_ROWS = 100_000  # a workbook is complete before it is sent: about 30 s at this size
ExportedColumns = dict[str, Callable[[Any], Any]]


class ExportedList(WithOwnPages, LargeTableAdmin):
    """A list with CSV and XLSX exports. exported: the columns of the file, by heading.

    `{zone}` in a heading stands for the time zone of the column's times.
    """

    exported: ExportedColumns = {}

    def own_pages(self) -> OwnPages:
        """Return the addresses of the two files."""
        pages = (
            ("export.csv", require_GET(self.csv_view), "export_csv"),
            ("export.xlsx", require_GET(self.xlsx_view), "export_xlsx"),
        )
        return (*pages, *super().own_pages())

    def csv_view(self, request: HttpRequest) -> HttpResponseBase:
        """Stream the list as CSV in UTF-8."""
        rows = self._listed(request)
        if rows is None:
            return self._bad_address()
        pieces = responses.write_csv_pieces(self._table(rows), size=CHUNK)
        return responses.stream_attachment(self._file_name("csv"), chain([responses.BOM], pieces))

    def xlsx_view(self, request: HttpRequest) -> HttpResponseBase:
        """Send the list as a workbook."""
        rows = self._listed(request)
        if rows is None:
            return self._bad_address()
        if rows.count() > MAX_XLSX_ROWS:
            problem = (
                f"The list has more than {MAX_XLSX_ROWS:,} rows, too many for XLSX. Filter the "
                "list, or export CSV."
            )
            messages.error(request, problem)
            return HttpResponseRedirect(self.page_address("changelist"))
        file = workbook_files.write_workbook({"list": self._table(rows)})
        return FileResponse(file, as_attachment=True, filename=self._file_name("xlsx"))

    def _listed(self, request: HttpRequest) -> QuerySet[Any] | None:
        """Return all rows of the list at this address; None if the address is malformed."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        try:
            return self.get_changelist_instance(request).queryset
        except IncorrectLookupParameters:
            return None

    def _bad_address(self) -> HttpResponseRedirect:
        return HttpResponseRedirect(f"{self.page_address('changelist')}?e=1")

    def _file_name(self, kind: str) -> str:
        name = str(self.opts.verbose_name_plural).replace(" ", "-")
        return f"{name}-{timezone.localtime():%Y-%m-%d-%H%M}.{kind}"

    def _table(self, queryset: QuerySet[Any]) -> Iterator[list[Any]]:
        return chain([self._header()], self._rows(queryset))

    def _header(self) -> list[str]:
        """Return the headings; those of times name the zone."""
        return [name.format(zone=day_hours.filing_zone().key) for name in self.exported]

    def _rows(self, queryset: QuerySet[Any]) -> Iterator[list[Any]]:
        """Yield the cells of each row. One query reads the keys, one or two read each chunk."""
        keys = queryset.values_list("pk", flat=True).iterator(chunk_size=CHUNK)
        whole_rows = self.rows_to_export()
        while chunk := list(islice(keys, CHUNK)):
            by_key = whole_rows.order_by().in_bulk(chunk)
            rows = [by_key[key] for key in chunk if key in by_key]
            self.add_column_data(rows)
            for row in rows:
                yield [_cell(value_of(row)) for value_of in self.exported.values()]

    def rows_to_export(self) -> QuerySet[Any]:
        """Return the rows of the table with all that the columns of the file need."""
        return self.model._default_manager.select_related(*getattr(self, "related", []))


def _cell(value: Any) -> Any:
    """Return a value for a spreadsheet: never a formula; times without the header's zone."""
    if isinstance(value, datetime):
        return f"{day_hours.to_filing_zone(value):%Y-%m-%d %H:%M:%S}"
    return mark_formula(value) if isinstance(value, str) else value
