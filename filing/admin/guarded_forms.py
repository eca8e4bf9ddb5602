"""A change form that overwrites nothing unseen, asks for a reason and knows before and after."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, cast

from auditlog.models import LogEntry
from django import forms
from django.core import signing
from django.core.exceptions import FieldDoesNotExist
from django.db.models import Model, QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.formats import localize

from filing.admin.reasons import LONGEST, MISSING, RECORDED, Reason
from filing.panel import history

OWN = ("reason", "loaded")  # the fields that every form of the admin has besides its own
OVERTAKEN = "overtaken"  # the code of the error
_SALT = "filing.admin.guarded_forms"
_SECRET = {"password", "client_secret"}  # their values are never shown or recorded
_NEWEST = 50  # changes of an object in which the author of a value is looked for


@dataclass(frozen=True)
class Conflict:
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
    reason = Reason(max_length=LONGEST, missing=MISSING, help_text=RECORDED, columns=80)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.conflicts: list[Conflict] = []
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
                lines.append(f"{self._label(name)}: {before} → {after}")
        return lines

    def _refuse_overwriting(self) -> None:
        sent = self.data.get(self.add_prefix("loaded"), "")
        try:
            loaded: dict[str, str] = signing.loads(sent, salt=self._salt())
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

    def _conflicts(self, names: list[str]) -> Iterator[Conflict]:
        entries = list(LogEntry.objects.get_for_object(self.instance).select_related("actor")
                       .order_by("-timestamp", "-pk")[:_NEWEST])  # fmt: skip
        for name in names:
            entry = next((entry for entry in entries if name in (entry.changes or {})), None)
            theirs, yours = self._before_and_after(name)
            who = history.author_of(entry) if entry else "unknown"
            at = entry.timestamp if entry else None
            yield Conflict(self._label(name), theirs, yours, who, at)

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
        try:
            self._meta.model._meta.get_field(name)
        except FieldDoesNotExist:
            return False
        return not field.disabled


def _readable(field: forms.Field, value: Any) -> str:
    """Return a value of a form as people read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(field, forms.ModelChoiceField) and not isinstance(value, Model | list | QuerySet):
        value = field.queryset.filter(pk=value).first() if value and field.queryset else None
    elif isinstance(field, forms.ChoiceField):
        return str(dict(_flat(field.choices)).get(str(value), value))
    if isinstance(field, forms.ModelMultipleChoiceField):
        value = sorted(map(str, value or []))
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "(blank)"
    if isinstance(value, datetime) and timezone.is_aware(value):
        value = timezone.localtime(value)
    if isinstance(value, date):
        return str(localize(value))
    return "(blank)" if value in (None, "") else str(value)


def _flat(choices: Any) -> Iterator[tuple[str, Any]]:
    for key, label in choices:
        if isinstance(label, list | tuple):
            yield from _flat(label)
        else:
            yield str(key), label
