"""Read-only pages, for rows that actions and workers write, and lists of millions of such rows.

A page of a large list counts, sorts and reads only what it shows.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, cast

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import connections
from django.db.models import Max, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from filing.access import fields
from filing.access.fields import Readers
from filing.admin import search

MAX_COUNTED = 10_000  # rows; to reach later ones, users filter or reverse the order
# The related rows that the name of a submission is made of.
SUBMISSION = ["submission__filing__institution", "submission__filing__period"]


def tag_state(text: str, *, kind: str) -> SafeString:
    """Return a state as a tag: a word whose color, by kind good, info, warn, bad or quiet, says it.

    As in `components/tag.html`, which a list of many rows should not render for each.
    """
    return format_html('<span class="site-tag site-tag--{}">{}</span>', kind, text)


class CappedCount(int):
    """A number of rows that reads `more than 10,000` or `about 812,000` if not counted exactly.

    Its value is the number of rows that can be paged through.
    """

    text: str

    def __new__(cls, number: int, text: str = "") -> CappedCount:
        count = super().__new__(cls, number)
        count.text = text or f"{number:,}"
        return count

    def __str__(self) -> str:
        return self.text


class CappedPaginator(Paginator):
    """Pages through the first rows, and estimates the size of a whole large table."""

    @property
    def queryset(self) -> QuerySet[Any]:
        return cast("QuerySet[Any]", self.object_list)

    @cached_property
    def count(self) -> CappedCount:
        number = self.queryset.order_by().values("pk")[: MAX_COUNTED + 1].count()
        if number <= MAX_COUNTED:
            return CappedCount(number)
        rows = self._estimate()
        about = f"about {rows:,}" if rows > MAX_COUNTED else f"more than {MAX_COUNTED:,}"
        return CappedCount(MAX_COUNTED, about)

    def _estimate(self) -> int:
        """Return the approximate size of the table, to two digits; 0 for a filtered list."""
        query = self.queryset.query
        if query.where or query.distinct or query.combinator:
            return 0
        rows = _table_size(self.queryset)
        scale = 10 ** max(len(str(rows)) - 2, 0)
        return rows // scale * scale


def _table_size(queryset: QuerySet[Any]) -> int:
    table, connection = queryset.model._meta.db_table, connections[queryset.db]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:  # -1 before the table is first analyzed
            cursor.execute("SELECT reltuples FROM pg_class WHERE oid = to_regclass(%s)", [table])
            rows = int(cursor.fetchone()[0])
        if rows > 0:
            return rows
    # Rows are rarely deleted, so the last key is close to the number of rows.
    return queryset.model._default_manager.aggregate(last=Max("pk"))["last"] or 0


class LargeTableList(ChangeList):
    """Sorts keys only, then reads the whole rows of one page."""

    def get_ordering_field(self, field_name: Any) -> Any:
        """Return the field to sort a column by; None for a column that is not sortable.

        Django hides the link of such a column, but would still follow a typed address.
        """
        is_sortable = self.sortable_by is None or field_name in self.sortable_by
        return super().get_ordering_field(field_name) if is_sortable else None

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        keys = list(self.result_list.values_list("pk", flat=True))
        by_key = self.root_queryset.order_by().in_bulk(keys)
        rows = [by_key[key] for key in keys if key in by_key]  # one may be deleted meanwhile
        cast(LargeTableAdmin, self.model_admin).add_column_data(rows)
        self.result_list = rows


class KnownValuesFilter(admin.SimpleListFilter):
    """A filter by a column whose values are known, so the table is not read to list them."""

    values: tuple[tuple[str, str], ...] = ()

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(self.values)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        if value not in dict(self.values):
            return queryset
        return queryset.filter(**{str(self.parameter_name): value})


class LargeTableAdmin(admin.ModelAdmin):
    """The list of a large table. `search_condition` can replace the search by `search_fields`."""

    paginator = CappedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        return LargeTableList

    def add_column_data(self, rows: list[Any]) -> None:
        """Add data from other tables that the columns show, in one query for all rows."""

    def search_condition(self, term: search.SearchTerm) -> Q | None:
        """Return the condition on rows; None to search in `search_fields`."""
        return None

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        condition = self.search_condition(search.recognize_term(search_term))
        if condition is None:
            return super().get_search_results(request, queryset, search_term)
        return queryset.filter(condition), False


class ReadOnly(admin.options.BaseModelAdmin):
    """A page or inline without adding, changing and deleting. related: tables to join."""

    related: list[str] = []

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        # Without names, select_related would follow every foreign key.
        return rows.select_related(*self.related) if self.related else rows

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """Return the fields of the page that staff may read."""
        return fields.visible_fields(self.model, super().get_fields(request, obj), Readers.STAFF)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, LargeTableAdmin):
    """A read-only list with a read-only page for each row."""

    def page_context(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        """Return what the page of a row shows besides its fields, as template context."""
        return {}

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show a row. A POST is refused: with "save as new" it could add a row."""
        if request.method == "POST":
            raise PermissionDenied
        context = self.page_context(request, object_id) | (extra_context or {})
        return super().change_view(request, object_id, form_url, context)


class AddedByForm(ReadOnlyAdmin):
    """A read-only list and pages; users with the right add rows through a custom form."""

    def add(self, request: HttpRequest) -> HttpResponse:
        """Show the form, and add the row once it is submitted."""
        raise NotImplementedError

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form to users who may add a row."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        return self.add(request)


class Followed(ReadOnlyAdmin):
    """A read-only list and pages of rows that jobs produce; a page refreshes until its job is done.

    By default for rows with a `job` and a `state` whose first value is `State.ASKED`.
    """

    def is_followed(self, thing: Any) -> bool:
        """Return whether the page refreshes."""
        return bool(thing.state == thing.State.ASKED and thing.job.is_unfinished)

    def outcome(self, thing: Any) -> str:
        """Return a sentence about the progress of the job, or its result."""
        raise NotImplementedError

    def followed_at(self, request: HttpRequest, thing: Any) -> str:
        """Return the address from which the page refreshes."""
        return request.path

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        """Show a row; the page refreshes while its job is unfinished."""
        if thing := context.get("original"):
            context |= {
                "is_followed": self.is_followed(thing),
                "address": self.followed_at(request, thing),
                "outcome": self.outcome(thing),
            }
        return super().render_change_form(request, context, *args, **options)


class ReadOnlyInline(ReadOnly, admin.TabularInline):
    """A read-only table of related rows."""

    extra = 0
    can_delete = False
