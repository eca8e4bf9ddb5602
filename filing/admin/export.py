"""Sends a list of the admin as a file, as it is filtered and sorted: every row, not one page."""

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
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from filing import day_hours
from filing.admin.big_lists import BigListAdmin
from filing.admin.own_pages import OwnPages, WithOwnPages
from filing.files import attachments, workbooks
from filing.lar.formulas import marked

CHUNK = 1_000
MOST_XLSX_ROWS = 100_000  # a workbook is made whole before it is sent: some 30 s for so many
Columns = dict[str, Callable[[Any], Any]]


class ExportedList(WithOwnPages, BigListAdmin):
    """A list with two addresses more. exported: what each column of the file says of a row.

    `{zone}` in the name of a column stands for the time zone of its times.
    """

    exported: Columns = {}

    def own_pages(self) -> OwnPages:
        """Return the two files."""
        ours = (
            ("export.csv", require_GET(self.csv_view), "export_csv"),
            ("export.xlsx", require_GET(self.xlsx_view), "export_xlsx"),
        )
        return (*ours, *super().own_pages())

    def csv_view(self, request: HttpRequest) -> HttpResponseBase:
        """Stream the list as CSV in UTF-8."""
        found = self._asked(request)
        if found is None:
            return self._refused()
        pieces = attachments.csv_pieces(self._table(found), size=CHUNK)
        return attachments.streamed(self._file_name("csv"), chain([attachments.MARK], pieces))

    def xlsx_view(self, request: HttpRequest) -> HttpResponseBase:
        """Send the list as a workbook."""
        found = self._asked(request)
        if found is None:
            return self._refused()
        if found.count() > MOST_XLSX_ROWS:
            told = f"These are more than {MOST_XLSX_ROWS:,} rows: filter them, or export CSV."
            messages.error(request, told)
            return HttpResponseRedirect(self._list())
        file = workbooks.written("list", self._table(found))
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

    def _table(self, found: QuerySet[Any]) -> Iterator[list[Any]]:
        return chain([self._header()], self._rows(found))

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
