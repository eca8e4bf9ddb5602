"""Lists of tables with a million rows: no page counts, sorts or reads more of it than it shows."""

from __future__ import annotations

from functools import cached_property
from typing import Any, cast

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db import connections
from django.db.models import Max, Q, QuerySet
from django.http import HttpRequest

from filing.admin import search

COUNTED = 10_000  # rows at most; further on one filters, or sorts the other way round


class Count(int):
    """A number of rows that reads `more than 10,000` or `about 812,000` where it was not counted.

    As a number it is how many of the rows can be paged through.
    """

    told: str

    def __new__(cls, number: int, told: str = "") -> Count:
        count = super().__new__(cls, number)
        count.told = told or f"{number:,}"
        return count

    def __str__(self) -> str:
        return self.told


class CappedPaginator(Paginator):
    """Pages through the first rows, and estimates how many there are of a whole large table."""

    @property
    def found(self) -> QuerySet[Any]:
        return cast("QuerySet[Any]", self.object_list)

    @cached_property
    def count(self) -> Count:
        counted = self.found.order_by().values("pk")[: COUNTED + 1].count()
        if counted <= COUNTED:
            return Count(counted)
        rows = self._estimate()
        about = f"about {rows:,}" if rows > COUNTED else f"more than {COUNTED:,}"
        return Count(COUNTED, about)

    def _estimate(self) -> int:
        """Return about how many rows there are without any condition, in two digits; 0 with one."""
        query = self.found.query
        if query.where or query.distinct or query.combinator:
            return 0
        rows = _rows_of(self.found)
        scale = 10 ** max(len(str(rows)) - 2, 0)
        return rows // scale * scale


def _rows_of(found: QuerySet[Any]) -> int:
    table, connection = found.model._meta.db_table, connections[found.db]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:  # -1 before the table was analysed for the first time
            cursor.execute("SELECT reltuples FROM pg_class WHERE oid = to_regclass(%s)", [table])
            rows = int(cursor.fetchone()[0])
        if rows > 0:
            return rows
    # Rows are seldom deleted, and keys count them.
    return found.model._default_manager.aggregate(last=Max("pk"))["last"] or 0


class BigList(ChangeList):
    """Sorts keys alone, then reads the rows of the one page whole."""

    def get_ordering_field(self, field_name: Any) -> Any:
        """Return what a column is sorted by: nothing, also where the address says so, for some."""
        sortable = self.sortable_by is None or field_name in self.sortable_by
        return super().get_ordering_field(field_name) if sortable else None

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        keys = list(self.result_list.values_list("pk", flat=True))
        rows = self.root_queryset.order_by().in_bulk(keys)
        shown = [rows[key] for key in keys if key in rows]  # one may have gone meanwhile
        cast(BigListAdmin, self.model_admin).complete(shown)
        self.result_list = shown


class FixedFilter(admin.SimpleListFilter):
    """A filter by a column whose values are known, and need not be looked for in the table."""

    fixed: tuple[tuple[str, str], ...] = ()

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(self.fixed)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        if chosen not in dict(self.fixed):
            return queryset
        return queryset.filter(**{str(self.parameter_name): chosen})


class BigListAdmin(admin.ModelAdmin):
    """Of a large table. `asks` turns what was typed into a condition, where search has shapes."""

    paginator = CappedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        return BigList

    def complete(self, rows: list[Any]) -> None:
        """Add to the rows of a page what their columns show besides, for all in one go."""

    def asked_for(self, asked: search.Asked) -> Q | None:
        """Return the condition on rows; none where `search_fields` are to be looked through."""
        return None

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        condition = self.asked_for(search.recognise(search_term))
        if condition is None:
            return super().get_search_results(request, queryset, search_term)
        return queryset.filter(condition), False
