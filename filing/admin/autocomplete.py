"""Autocomplete fields that survive a malformed key in a submitted form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.db.models import ForeignKey
from django.forms import ModelChoiceField
from django.http import HttpRequest

_KEY = re.compile(r"[0-9]{1,18}")  # fits the key columns of every database


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
