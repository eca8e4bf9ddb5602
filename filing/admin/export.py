"""Exports an admin list as a file, filtered and sorted as shown: every row, not one page.

A short list is sent at once. A long one is written by a job, which opens the list again: the same
filters, and the rights that the user has by then.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from importlib import import_module
from typing import Any, cast

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseRedirect, QueryDict
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from filing import day_hours, exports
from filing.access import fields
from filing.access.fields import Readers
from filing.admin.forms import ReasonForm
from filing.admin.own_pages import OwnPages, WithOwnPages, name_number, render_own_page
from filing.admin.tables import LargeTableAdmin
from filing.errors import BadInput, Refusal
from filing.exports import OpenedList
from filing.files import responses, workbook_files
from filing.lar.formulas import mark_formula

CHUNK = 1_000
MAX_DIRECT_ROWS = 5_000  # XLSX of so many submissions takes about a second
_CONTENT_TYPES = {"csv": responses.CSV, "xlsx": workbook_files.XLSX}
ExportedColumns = dict[str, Callable[[Any], Any]]


class ExportedList(WithOwnPages, LargeTableAdmin):
    """A list with CSV and XLSX exports. exported: the columns of the file, by heading.

    `{zone}` in a heading stands for the time zone of the column's times.
    """

    exported: ExportedColumns = {}

    def own_pages(self) -> OwnPages:
        """Return the addresses of the two files, and those where a job is asked to write them."""
        return (
            *(
                (f"export.{form}", require_GET(partial(self.file_view, form)), f"export_{form}")
                for form in _CONTENT_TYPES
            ),
            *(
                (f"export/{form}/", partial(self.request_view, form), f"request_{form}")
                for form in _CONTENT_TYPES
            ),
            *super().own_pages(),
        )

    def file_view(self, form: str, request: HttpRequest) -> HttpResponseBase:
        """Stream a short list as a file; lead to the page that has a long one written by a job."""
        rows = self._listed(request)
        if rows is None:
            return self._bad_address()
        if is_long_list(rows):
            address = self.page_address(f"request_{form}")
            return HttpResponseRedirect(f"{address}?{request.GET.urlencode()}")
        pieces = exports.write_list(form, self.header(), self.chunks(rows))
        name = str(self.opts.verbose_name_plural).replace(" ", "-")
        return responses.stream_attachment(
            f"{name}-{timezone.localtime():%Y-%m-%d-%H%M}.{form}",
            pieces,
            content_type=_CONTENT_TYPES[form],
        )

    def request_view(self, form: str, request: HttpRequest) -> HttpResponseBase:
        """Show how long the list is and ask why it is exported; then queue the export."""
        rows = self._listed(request)
        if rows is None:
            return self._bad_address()
        why, query = ReasonForm(request.POST or None), request.GET.urlencode()
        if why.is_valid():
            try:
                export = exports.request_export(
                    self.opts.label_lower,
                    user=cast(User, request.user),
                    form=form,
                    query=query,
                    reason=why.cleaned_data["reason"],
                )
            except Refusal as refusal:
                messages.error(request, refusal.message)
            else:
                return HttpResponseRedirect(
                    reverse("admin:filing_listexport_change", args=[export.pk])
                )
        number = name_number(rows.order_by().count(), self.opts)
        back = f"{self.page_address('changelist')}{f'?{query}' if query else ''}"
        context = {
            "form": why,
            "number": number,
            "is_filtered": bool(query),
            "days": exports.RETENTION.days,
            "act": f"Export {number} as {form.upper()}",
            "back": back,
        }
        title = f"Export {self.opts.verbose_name_plural}"
        return render_own_page(self, request, "admin/filing/export.html", title, context)

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

    def open_list(self, user: User, query: str) -> OpenedList:
        """Return the list as a user reads it with these filters. Raises: BadInput."""
        rows = self._listed(make_list_request(user, query))
        if rows is None:
            raise BadInput("The filters of the list are malformed.")
        return OpenedList(self.header(), rows.order_by().count(), self.chunks(rows))

    def header(self) -> list[str]:
        """Return the headings; those of times name the zone."""
        return [name.format(zone=day_hours.filing_zone().key) for name in self.exported]

    def chunks(self, queryset: QuerySet[Any]) -> Iterator[list[list[Any]]]:
        """Yield the cells of rows, some rows at a time.

        One query reads the keys, one or two read each chunk. Keys are all that is kept of a list.
        """
        keys = array("q", queryset.values_list("pk", flat=True).iterator(chunk_size=CHUNK))
        whole_rows, columns = self.rows_to_export(), self.exported.values()
        for start in range(0, len(keys), CHUNK):
            chunk = keys[start : start + CHUNK]
            by_key = whole_rows.order_by().in_bulk(chunk)
            rows = [fields.as_read_by(Readers.STAFF, by_key[key]) for key in chunk if key in by_key]
            self.add_column_data(rows)
            yield [[_cell(value_of(row)) for value_of in columns] for row in rows]

    def rows_to_export(self) -> QuerySet[Any]:
        """Return the rows of the table with all that the columns of the file need."""
        return self.model._default_manager.select_related(*getattr(self, "related", []))


def make_list_request(user: User, query: str) -> HttpRequest:
    """Return the request of a user for a list with these filters, outside of any request."""
    request = HttpRequest()
    request.method, request.user, request.GET = "GET", user, QueryDict(query)
    return request


def open_admin_list(label: str, user: User, query: str) -> OpenedList:
    """Return a list of the admin by the label of its table, such as `filing.submission`."""
    import_module(settings.ROOT_URLCONF)  # registers the tables, which workers do without
    tables: dict[str, Any] = {
        model._meta.label_lower: table for model, table in admin.site._registry.items()
    }
    opened: OpenedList = tables[label].open_list(user, query)
    return opened


def is_long_list(rows: QuerySet[Any]) -> bool:
    """Return whether a list is so long that a job exports it. It is not counted to its end."""
    return rows.order_by().values("pk")[: MAX_DIRECT_ROWS + 1].count() > MAX_DIRECT_ROWS


def _cell(value: Any) -> Any:
    """Return a value for a spreadsheet: never a formula; times without the header's zone."""
    if isinstance(value, datetime):
        return f"{day_hours.to_filing_zone(value):%Y-%m-%d %H:%M:%S}"
    return mark_formula(value) if isinstance(value, str) else value
