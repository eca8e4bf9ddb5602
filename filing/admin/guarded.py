"""Tables that staff change in forms: nothing is overwritten unseen or without a reason.

It is the same for all: a reason for each change, one entry of the audit log with the values before
and after, and deletion one at a time, with a reason, of what no legal hold keeps.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from auditlog.models import LogEntry
from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import flatten_fieldsets, unquote
from django.core import signing
from django.core.exceptions import FieldDoesNotExist
from django.db import transaction
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.crypto import salted_hmac

from filing import audit
from filing.admin.forms import REASON_MAX_LENGTH, ReasonField, ReasonForm, find_caller
from filing.audit.value_changes import describe_change, describe_value
from filing.errors import Refusal
from filing.models import AuditEvent
from filing.panel import history
from filing.periods import legal_holds
from filing.previews import PreviewChanged, digest_preview

GUARD_FIELDS = ("reason", "loaded")  # the fields that every form of the admin has besides its own
OVERTAKEN = "overtaken"  # the code of the error
_SALT = "filing.admin.guarded_forms"
_SECRET = {"password", "client_secret"}  # their values are never shown or recorded
_NEWEST = 50  # changes of an object in which the author of a value is looked for


@dataclass(frozen=True)
class OverwriteConflict:
    """A field that someone else changed after the form was opened, with both values."""

    label: str
    theirs: str
    yours: str
    who: str
    at: datetime | None


class GuardedForm(forms.ModelForm):
    """The base that `GuardedAdmin` gives each of its forms.

    `loaded` has a signed digest of each value as the form was opened. It is compared with the row,
    which is locked by then. conflicts: what was saved meanwhile and would be overwritten.
    """

    loaded = forms.CharField(required=False, widget=forms.HiddenInput)
    reason = ReasonField(max_length=REASON_MAX_LENGTH, columns=80)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.conflicts: list[OverwriteConflict] = []
        # What the row has now, before cleaning writes the new values into it.
        self.stored = {name: self[name].initial for name in self.guarded}
        if self.instance.pk:
            self.initial["loaded"] = self._signed_digests()

    @property
    def guarded(self) -> list[str]:
        """The fields of the form that are columns of the table and can be changed."""
        return [name for name, field in self.fields.items() if self._is_guarded(name, field)]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.instance.pk:
            self._refuse_overwriting()
        return cleaned

    def change_lines(self) -> list[str]:
        """Return each change as a line with the values before and after."""
        lines = []
        for name in self.guarded:
            before, after = self._before_and_after(name)
            if name in self.changed_data or before != after:
                lines.append(describe_change(self._label(name), before, after))
        return lines

    def _refuse_overwriting(self) -> None:
        signed_digests = self.data.get(self.add_prefix("loaded"), "")
        try:
            loaded: dict[str, str] = signing.loads(signed_digests, salt=self._salt())
        except signing.BadSignature:
            text = "This page is out of date. Review the values below, and save again."
            self.add_error(None, forms.ValidationError(text, code=OVERTAKEN))
            self._load_again()
            return
        overtaken = [
            name
            for name in self.guarded
            if loaded.get(name) != self._digest(name) and name in self.changed_data
        ]
        if not overtaken:
            return
        self.conflicts = list(self._conflicts(overtaken))
        text = "Nothing was saved: someone else has changed this while you had the page open."
        self.add_error(None, forms.ValidationError(text, code=OVERTAKEN))
        self._load_again()

    def _load_again(self) -> None:
        """Let the next attempt save: it has seen the values of now."""
        data = cast(QueryDict, self.data).copy()
        data[self.add_prefix("loaded")] = self._signed_digests()
        self.data = data

    def _conflicts(self, names: list[str]) -> Iterator[OverwriteConflict]:
        entries = list(LogEntry.objects.get_for_object(self.instance).select_related("actor")
                       .order_by("-timestamp", "-pk")[:_NEWEST])  # fmt: skip
        for name in names:
            entry = next((entry for entry in entries if name in (entry.changes or {})), None)
            theirs, yours = self._before_and_after(name)
            who = history.find_author(entry) if entry else "unknown"
            at = entry.timestamp if entry else None
            yield OverwriteConflict(self._label(name), theirs, yours, who, at)

    def _before_and_after(self, name: str) -> tuple[str, str]:
        if name in _SECRET:
            return "(not shown)", "(not shown)"
        field, new = self.fields[name], self.cleaned_data.get(name, self[name].data)
        return _readable(field, self.stored[name]), _readable(field, new)

    def _label(self, name: str) -> str:
        return str(self[name].label)

    def _salt(self) -> str:
        return f"{_SALT}:{self.instance._meta.label}:{self.instance.pk}"

    def _signed_digests(self) -> str:
        digests = {name: self._digest(name) for name in self.guarded}
        return signing.dumps(digests, salt=self._salt())

    def _digest(self, name: str) -> str:
        value = self.stored[name]
        if isinstance(value, list | tuple | set | QuerySet):
            value = sorted(str(getattr(each, "pk", each)) for each in value)
        text = json.dumps([name, value], default=str)
        return salted_hmac(self._salt(), text).hexdigest()[:16]

    def _is_guarded(self, name: str, field: forms.Field) -> bool:
        if name in GUARD_FIELDS:
            return False
        try:
            self._meta.model._meta.get_field(name)
        except FieldDoesNotExist:
            return False
        return not field.disabled


def _readable(field: forms.Field, value: Any) -> str:
    """Return a value of a form as people read it."""
    if isinstance(field, forms.ModelChoiceField) and not isinstance(value, Model | list | QuerySet):
        value = field.queryset.filter(pk=value).first() if value and field.queryset else None
    elif isinstance(field, forms.ChoiceField) and not isinstance(value, bool):
        return str(dict(_flat(field.choices)).get(str(value), value))
    if isinstance(field, forms.ModelMultipleChoiceField):
        value = sorted(map(str, value or []))
    return describe_value(value)


def _flat(choices: Any) -> Iterator[tuple[str, Any]]:
    for key, label in choices:
        if isinstance(label, list | tuple):
            yield from _flat(label)
        else:
            yield str(key), label


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
        plain = [name for name in fields if name not in GUARD_FIELDS]
        form = super().get_form(request, obj, change=change, fields=plain, **options)
        return cast(type[ModelForm], type(form.__name__, (GuardedForm, form), {}))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the fieldsets; the last one has the reason, for users who may change the row."""
        may = self.has_change_permission(request, obj) if obj else self.has_add_permission(request)
        fieldsets = [
            (
                title,
                {
                    **options,
                    "fields": [name for name in options["fields"] if name not in GUARD_FIELDS],
                },
            )
            for title, options in super().get_fieldsets(request, obj)
        ]
        fieldsets = [each for each in fieldsets if each[1]["fields"]]
        own = list(GUARD_FIELDS) if obj else ["reason"]
        return [*fieldsets, ("This change", {"fields": own})] if may else fieldsets

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [name for name in super().get_fields(request, obj) if name not in GUARD_FIELDS]

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
        with transaction.atomic(), audit.set_reason(request.POST.get("reason", "").strip()):
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
        with (
            transaction.atomic(),
            audit.set_reason(form.cleaned_data["reason"] if form.is_valid() else ""),
        ):
            rows = self.model._base_manager.select_for_update().filter(pk=row.pk)
            _, numbers, _, _ = self.get_deleted_objects([row], request)
            digest = digest_preview(str(row), list(rows.values()), list(numbers.items()))
            if request.method == "POST" and request.POST.get("digest") != digest:
                return self._back(request, request.get_full_path(), PreviewChanged().message)
            context = {**(extra_context or {}), "form": form, "digest": digest}
            return super().delete_view(request, object_id, context)

    def _back(self, request: HttpRequest, address: str, text: str) -> HttpResponse:
        messages.error(request, text)
        return HttpResponseRedirect(address)

    def _record(self, request: HttpRequest, event: AuditEvent, obj: Any, message: Any) -> None:
        # What Django itself changes, such as a password, has a message in its own form.
        if not isinstance(message, str) or (
            self.records_itself and event != AuditEvent.RECORD_DELETED
        ):
            return
        audit.record_event(
            event,
            by=find_caller(request),
            lei=_lei_of(obj),
            about=f"{self.opts.verbose_name} {obj}",
            reason="\n".join(filter(None, [audit.current_reason(), message])),
        )


def _lei_of(obj: Any) -> str:
    """Return the LEI of the institution that a row is about; blank for other rows."""
    return str(getattr(obj, "lei", "") or getattr(getattr(obj, "institution", None), "lei", ""))
