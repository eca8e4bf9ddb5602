"""The base of tables that staff change in forms: nothing is overwritten unseen or without reason.

It is the same for all: a reason for each change, one entry of the audit log with the values before
and after, and deletion one at a time, with a reason, of what no legal hold keeps.
"""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.admin.utils import flatten_fieldsets, unquote
from django.contrib.auth.models import User
from django.db import transaction
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from filing import access, audit
from filing.admin.guarded_forms import OWN, GuardedForm
from filing.admin.reasons import ReasonForm
from filing.errors import Refusal
from filing.models import AuditEvent
from filing.periods import legal_holds


class GuardedAdmin(admin.ModelAdmin):
    """A table with guarded forms. records_itself: its saving writes the entry of the audit log."""

    records_itself = False
    delete_confirmation_template = "admin/guarded_delete.html"

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any
    ) -> type[ModelForm]:
        """Return the form of the table with the reason and the digest of what was loaded."""
        fields = options.pop("fields", ())
        if fields is None:  # only to list the fields
            return super().get_form(request, obj, change=change, fields=None, **options)
        fields = fields or flatten_fieldsets(self.get_fieldsets(request, obj))
        plain = [name for name in fields if name not in OWN]
        form = super().get_form(request, obj, change=change, fields=plain, **options)
        return cast(type[ModelForm], type(form.__name__, (GuardedForm, form), {}))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the fieldsets; the last one has the reason, for users who may change the row."""
        may = self.has_change_permission(request, obj) if obj else self.has_add_permission(request)
        fieldsets = [
            (title, {**options, "fields": [name for name in options["fields"] if name not in OWN]})
            for title, options in super().get_fieldsets(request, obj)
        ]
        fieldsets = [each for each in fieldsets if each[1]["fields"]]
        own = list(OWN) if obj else ["reason"]
        return [*fieldsets, ("This change", {"fields": own})] if may else fieldsets

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [name for name in super().get_fields(request, obj) if name not in OWN]

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return the list actions without Django's deletion, which asks for no reason."""
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Show or save the form; while it saves, the row is locked and the reason is known."""
        if request.method != "POST":
            return super().changeform_view(request, object_id, form_url, extra_context)
        with transaction.atomic(), audit.because(request.POST.get("reason", "").strip()):
            if object_id and (row := self.get_object(request, unquote(object_id))):
                rows = self.model._base_manager.select_for_update().filter(pk=row.pk)
                list(rows.values_list("pk"))
            return super().changeform_view(request, object_id, form_url, extra_context)

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> Any:
        """Return what changed, with the values before and after, for the history and the log."""
        if not isinstance(form, GuardedForm):
            return super().construct_change_message(request, form, formsets, add)
        return "\n".join(form.change_lines())

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        self._record(request, AuditEvent.RECORD_ADDED, obj, message)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        if message:
            self._record(request, AuditEvent.RECORD_CHANGED, obj, message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        for obj in queryset:
            self._record(request, AuditEvent.RECORD_DELETED, obj, "")
        return super().log_deletions(request, queryset)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """Delete a row for a reason, unless a legal hold keeps it."""
        row = self.get_object(request, unquote(object_id))
        if row is None or not self.has_delete_permission(request, row):
            return super().delete_view(request, object_id, extra_context)
        try:
            legal_holds.require_removable(self.model._default_manager.filter(pk=row.pk))
        except Refusal as refusal:
            text = f"Nothing was deleted. {refusal.message}"
            return self._back(request, "../change/", text)
        form = ReasonForm(request.POST or None)
        if request.method == "POST" and not form.is_valid():
            return self._back(
                request, request.get_full_path(), "Nothing was deleted: enter a reason."
            )
        with audit.because(form.cleaned_data["reason"] if form.is_valid() else ""):
            return super().delete_view(request, object_id, {**(extra_context or {}), "form": form})

    def _back(self, request: HttpRequest, address: str, text: str) -> HttpResponse:
        messages.error(request, text)
        return HttpResponseRedirect(address)

    def _record(self, request: HttpRequest, event: AuditEvent, obj: Any, message: Any) -> None:
        # What Django itself changes, such as a password, has a message in its own form.
        if not isinstance(message, str) or (
            self.records_itself and event != AuditEvent.RECORD_DELETED
        ):
            return
        audit.record(
            event,
            by=access.caller_of(cast(User, request.user)),
            lei=_lei_of(obj),
            about=f"{self.opts.verbose_name} {obj}",
            reason="\n".join(filter(None, [audit.reason(), message])),
        )


def _lei_of(obj: Any) -> str:
    """Return the LEI of the institution that a row is about; blank for other rows."""
    return str(getattr(obj, "lei", "") or getattr(getattr(obj, "institution", None), "lei", ""))
