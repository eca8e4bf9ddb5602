"""What forms of the admin share: who sends them, reasons, checks, refusals, autocomplete fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AutocompleteSelect
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import ForeignKey
from django.forms import ModelChoiceField
from django.http import HttpRequest
from django.shortcuts import redirect

from filing import access
from filing.access import Caller
from filing.errors import Refusal
from filing.people import institutions

REASON_MAX_LENGTH = 2000  # characters, on pages with a limit
REASON_MISSING = "Enter a reason; one sentence for the audit log is enough."
REASON_HELP_TEXT = "Recorded in the audit log with your name."
Value = TypeVar("Value")
_KEY = re.compile(r"[0-9]{1,18}")  # fits the key columns of every database


def find_caller(request: HttpRequest) -> Caller:
    """Return the user of the request as the caller that actions expect."""
    return access.caller_of(cast(User, request.user))


class ReasonField(forms.CharField):
    """A reason of a few lines, by default for the audit log.

    missing: the error for a blank one; without it, that of Django. look: a CSS class.
    """

    def __init__(
        self,
        *,
        missing: str = REASON_MISSING,
        help_text: str = REASON_HELP_TEXT,
        rows: int = 2,
        columns: int = 60,
        look: str = "",
        **options: Any,
    ) -> None:
        attributes: dict[str, Any] = {"rows": rows, "cols": columns}
        if look:
            attributes["class"] = look
        if missing:
            options["error_messages"] = {"required": missing}
        widget = forms.Textarea(attrs=attributes)
        super().__init__(widget=widget, help_text=help_text, **options)


class LeiField(forms.CharField):
    """A valid LEI, typed in any case; it may be pasted with spaces around it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"label": "LEI", "max_length": 40, **options})

    def clean(self, value: Any) -> str:
        return clean_field(institutions.check_lei, super().clean(value))


class ReasonForm(forms.Form):
    """A reason for the audit log."""

    reason = ReasonField()


class WithRefusals(admin.ModelAdmin):
    """Shows a refusal while a form is saved as a message, and the form again; nothing is saved."""

    def changeform_view(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        try:
            return super().changeform_view(request, *args, **options)
        except Refusal as refusal:
            messages.error(request, refusal.message)
            return redirect(request.get_full_path())


def clean_field(check: Callable[[str], Value], text: str) -> Value:
    """Return the value that a check makes of the text.

    Raises: ValidationError with the message of the check's ValueError.
    """
    try:
        return check(text)
    except ValueError as error:
        raise ValidationError(f"{error}.") from error


class Autocomplete(AutocompleteSelect):
    """Django's widget, which fails on a value that is not a key; this one ignores it."""

    def optgroups(self, name: str, value: Sequence[Any], attr: Any = None) -> Any:
        """Return the selected rows, without values that are not keys."""
        keys = [key for key in value if _KEY.fullmatch(str(key))]
        return super().optgroups(name, keys, attr)


class WithAutocomplete(admin.ModelAdmin):
    """An admin page whose `autocomplete_fields` use this widget."""

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **options: Any
    ) -> ModelChoiceField[Any] | None:
        """Return the form field of a foreign key, with the widget where it autocompletes."""
        if db_field.name in self.get_autocomplete_fields(request):
            options["widget"] = Autocomplete(db_field, self.admin_site, using=options.get("using"))
        return super().formfield_for_foreignkey(db_field, request, **options)
