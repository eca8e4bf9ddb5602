"""A column for names that areas register: a new area needs no migration."""

from __future__ import annotations

from typing import Any

from django.db import models


class RegisteredField(models.CharField):
    """A name among `choices`, a function that reads a registry. Rows with other names are refused.

    Migrations see a plain text column: the registry is not part of the database.
    """

    def deconstruct(self) -> Any:
        name, _, arguments, options = super().deconstruct()
        options.pop("choices", None)
        return name, "django.db.models.CharField", arguments, options

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        name = super().pre_save(model_instance, add)
        if add and name not in dict(self.flatchoices):
            table = model_instance._meta.verbose_name_plural
            message = f"No app has registered {str(name)!r} as {self.verbose_name} of {table}."
            raise ValueError(message)
        return name
