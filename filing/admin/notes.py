"""Notes: on the page of the object they are about, and a list of all notes."""

from __future__ import annotations

from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.contenttypes.prefetch import GenericPrefetch
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.views.decorators.http import require_POST

from filing import audit
from filing.admin.forms import find_caller
from filing.admin.own_pages import OwnPages, WithOwnPages
from filing.admin.tables import ReadOnlyAdmin
from filing.errors import Refusal
from filing.models import Filing, Institution, Job, Mail, Membership, Note, Submission
from filing.people.institutions import is_lei, normalize_lei

ADD_NOTE = "filing.add_note"
# The related rows that the names of the objects are made of.
_ABOUT = GenericPrefetch(
    "about",
    [
        Submission.objects.select_related("filing__institution", "filing__period"),
        Filing.objects.select_related("institution", "period"),
        Membership.objects.select_related("user"),
        Job.objects.all(),
        Mail.objects.defer("text"),
    ],
)


class NoteForm(forms.Form):
    """The text of a note."""

    text = forms.CharField(
        label="Add a note",
        max_length=audit.LONGEST_NOTE,
        help_text="All staff can read it; filers cannot. It cannot be changed or deleted.",
        widget=forms.Textarea(attrs={"rows": 3, "cols": 80}),
    )


class WithNotes(WithOwnPages):
    """Shows the notes about an object at the end of its page, with a form to add one."""

    def own_pages(self) -> OwnPages:
        """Return the address that adds a note."""
        add = require_POST(partial(_add_note, self))
        return (("<path:object_id>/note/", add, "note"), *super().own_pages())

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        obj = context.get("original")
        if obj is not None and request.user.has_perm("filing.view_note"):
            may_add = request.user.has_perm(ADD_NOTE)
            context["notes"] = audit.find_notes(obj)
            context["note_form"] = NoteForm(auto_id="note_%s") if may_add else None
            context["note_address"] = self.page_address("note", obj.pk)
        return super().render_change_form(request, context, *args, **options)


def _add_note(page: WithNotes, request: HttpRequest, object_id: str) -> HttpResponse:
    """Add a note about an object, and go back to its page."""
    obj = page.get_object(request, unquote(object_id))
    if obj is None:
        raise Http404
    if not page.has_view_permission(request, obj) or not request.user.has_perm(ADD_NOTE):
        raise PermissionDenied(ADD_NOTE)
    by = find_caller(request)
    try:
        audit.add_note(obj, by=by, text=request.POST.get("text", ""))
        page.message_user(request, "The note was added.", messages.SUCCESS)
    except Refusal as refusal:
        page.message_user(request, refusal.message, messages.ERROR)
    return HttpResponseRedirect(f"{page.page_address('change', obj.pk)}#notes")


@admin.register(Note)
class NoteAdmin(ReadOnlyAdmin):
    """All notes, newest first. They are added on the page of the object they are about."""

    how_rows_come = "Add one on the page of the item it is about."
    list_display = ["at", "text", "kind", "concerns", "actor_username"]
    list_display_links = ["at"]
    list_filter = [("content_type", admin.RelatedOnlyFieldListFilter)]
    date_hierarchy = "at"
    fields = ["at", "text", "kind", "concerns", "actor_username", "actor_email"]
    search_fields = ["reason", "=actor_username", "=actor_email"]
    search_help_text = (
        "Search by a part of the note, the author's whole user name or email address, or a whole "
        "LEI."
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Note]:
        rows = super().get_queryset(request)
        return rows.select_related("content_type").prefetch_related(_ABOUT)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Note], search_term: str
    ) -> tuple[QuerySet[Note], bool]:
        """Return the notes with the text, and those about an institution with this LEI."""
        matches, may_have_duplicates = super().get_search_results(request, queryset, search_term)
        if is_lei(lei := normalize_lei(search_term)):
            matches = matches | queryset.filter(_about_lei(lei))
        return matches, may_have_duplicates

    @admin.display(description="note", ordering="reason")
    def text(self, note: Note) -> str:
        return note.reason

    @admin.display(description="about a", ordering="content_type")
    def kind(self, note: Note) -> str:
        return str(note.content_type.name)

    @admin.display(description="about")
    def concerns(self, note: Note) -> str:
        if note.about is None:
            return f"number {note.object_id} (deleted)"
        opts = note.about._meta
        try:
            address = reverse(
                f"admin:{opts.app_label}_{opts.model_name}_change", args=[note.object_id]
            )
        except NoReverseMatch:
            return str(note.about)
        return format_html('<a href="{}">{}</a>', address, note.about)


def _about_lei(lei: str) -> Q:
    """Return the condition of notes about an institution, its filings or submissions."""

    def about(model: Any, **lookup: str) -> Q:
        return Q(
            content_type__app_label="filing",
            content_type__model=model._meta.model_name,
            object_id__in=model.objects.filter(**lookup).values("pk"),
        )

    return (
        about(Institution, lei=lei)
        | about(Filing, institution__lei=lei)
        | about(Submission, filing__institution__lei=lei)
        | about(Membership, lei=lei)
    )
