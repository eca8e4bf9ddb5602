"""Pages that only show: what they show is written by actions and workers, never by hand."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from filing.admin.big_lists import BigListAdmin

# What a submission needs so that its name can be written without asking again.
SUBMISSION = ["submission__filing__institution", "submission__filing__period"]


class ReadOnly(admin.options.BaseModelAdmin):
    """Takes adding, changing and deleting from a page or an inline; `related` is read along."""

    related: list[str] = []

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found = super().get_queryset(request)
        # Without a name it would follow every key there is.
        return found.select_related(*self.related) if self.related else found

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, BigListAdmin):
    """A list and a page to look at."""

    def beside(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        """Return what the page of a row shows beside its fields, by its name in the template."""
        return {}

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show a row. To post to it would be to add one, where it is said to be saved as new."""
        if request.method == "POST":
            raise PermissionDenied
        shown = self.beside(request, object_id) | (extra_context or {})
        return super().change_view(request, object_id, form_url, shown)


class AddedByForm(ReadOnlyAdmin):
    """A list and pages to look at; who may add a row does so by a form of its own."""

    def add(self, request: HttpRequest) -> HttpResponse:
        """Show the form, and do what it asks for once it is sent."""
        raise NotImplementedError

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form to who may add a row."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        return self.add(request)


class Followed(ReadOnlyAdmin):
    """A list and pages to look at, of what a job makes: until it is made, a page follows the job.

    For rows with a `state` that begins with `State.ASKED`, and a `job`.
    """

    def outcome(self, thing: Any) -> str:
        """Return the sentence that says how far it is, or what has come of it."""
        raise NotImplementedError

    def followed_at(self, request: HttpRequest, thing: Any) -> str:
        """Return the address at which the page asks for itself."""
        return request.path

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        """Show a row; while its job is not done, the page keeps itself current."""
        if thing := context.get("original"):
            context |= {
                "is_followed": thing.state == thing.State.ASKED and thing.job.is_unfinished,
                "address": self.followed_at(request, thing),
                "outcome": self.outcome(thing),
            }
        return super().render_change_form(request, context, *args, **options)


class ReadOnlyInline(ReadOnly, admin.TabularInline):
    """Rows that belong to the page, to look at."""

    extra = 0
    can_delete = False
