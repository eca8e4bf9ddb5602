"""Fields that offer rows as one types, and show a form again whatever was sent in their place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.db.models import ForeignKey
from django.forms import ModelChoiceField
from django.http import HttpRequest

_KEY = re.compile(r"[0-9]{1,18}")  # fits the keys of every database


class Autocomplete(AutocompleteSelect):
    """The library's widget, which takes for granted that what was sent are keys."""

    def optgroups(self, name: str, value: Sequence[Any], attr: Any = None) -> Any:
        """Return the chosen rows; what is no key chooses none."""
        keys = [each for each in value if _KEY.fullmatch(str(each))]
        return super().optgroups(name, keys, attr)


class WithAutocomplete(admin.ModelAdmin):
    """A page whose `autocomplete_fields` have that widget."""

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **options: Any
    ) -> ModelChoiceField[Any] | None:
        """Return the field of a form that chooses a row."""
        if db_field.name in self.get_autocomplete_fields(request):
            options["widget"] = Autocomplete(db_field, self.admin_site, using=options.get("using"))
        return super().formfield_for_foreignkey(db_field, request, **options)
