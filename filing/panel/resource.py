"""What a row of a panel file means: the institution that it adds or changes, or why it does not."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from import_export.fields import Field
from import_export.instance_loaders import BaseInstanceLoader
from import_export.resources import ModelResource
from import_export.widgets import Widget
from tablib import Dataset

from filing.models import Institution
from filing.panel.columns import READERS
from filing.panel.sheets import Sheet

KEY = ("lei", "activity_year")
_FIELD_NAMES = {each.name for each in Institution._meta.fields}

# Of each field that changes: what it was and what it will be.
Differences = dict[str, tuple[Any, Any]]


@dataclass(frozen=True)
class Change:
    """What a row does: adds an institution, or makes one that is there differ."""

    row: int
    institution: Institution
    is_new: bool
    differences: Differences

    def __str__(self) -> str:
        told = ", ".join(
            f"{name} {before!r} to {value!r}" for name, (before, value) in self.differences.items()
        )
        return f"row {self.row}, {self.institution.lei}: {told}"


def shown(value: Any) -> str:
    """Return a value of an institution as the text that would be read as it."""
    if isinstance(value, bool):
        return str(value).lower()
    return ";".join(value) if isinstance(value, list) else str(value)


class Cell(Widget):
    """Reads a cell as the panel does; a mistake is a ValueError with a sentence."""

    def __init__(self, reader: Callable[[str], Any]) -> None:
        super().__init__()
        self.reader = reader

    def clean(self, value: str, row: Any = None, **options: Any) -> Any:
        return self.reader(value)

    def render(self, value: Any, obj: Any = None, **options: Any) -> str:
        return shown(value)


class Loader(BaseInstanceLoader):
    """Knows all institutions of the years that a file names, by one query."""

    def __init__(self, resource: InstitutionResource, dataset: Dataset) -> None:
        super().__init__(resource, dataset)
        years = {int(text) for text in dataset["activity_year"] if _is_small(text)}
        self.there = {
            (found.lei, str(found.activity_year)): found
            for found in Institution.objects.filter(activity_year__in=years)
        }

    def get_instance(self, row: Mapping[str, str]) -> Institution | None:
        found = self.there.get((row["lei"], row["activity_year"]))
        return copy.copy(found) if found else None  # what is there is compared with later


class InstitutionResource(ModelResource):
    """Finds out what each row of a file does. Nothing is written: the changes are collected."""

    class Meta:
        model = Institution
        import_id_fields = KEY
        instance_loader_class = Loader
        use_bulk = True
        skip_diff = True
        fields = tuple(READERS)

    def __init__(self, sheet: Sheet) -> None:
        super().__init__()
        self.sheet = sheet
        self.known = sheet.known_columns
        self.fields = {
            column: Field(column, column, Cell(READERS[column])) for column in self.known
        }
        self.changes: list[Change] = []
        self.unchanged = 0
        self.skipped: dict[int, list[str]] = dict(sheet.faults)
        self._first_rows: dict[tuple[str, int], int] = {}
        self._before: Institution | None = None
        self._row = 0

    def read(self) -> None:
        """Find out what all the rows do."""
        dataset = Dataset(*self.sheet.rows, headers=self.sheet.columns)
        result = self.import_data(dataset, use_transactions=False)
        for error in [*result.base_errors, *(each for row in result.rows for each in row.errors)]:
            raise error.error  # no row makes one, whatever it holds: such an error is ours

    def get_import_order(self) -> list[str]:
        return self.known

    def before_import_row(self, row: Any, **options: Any) -> None:
        self._row = self.sheet.numbers[options["row_number"] - 1]

    def after_init_instance(self, instance: Any, new: bool, row: Any, **options: Any) -> None:
        self._before = None if new else copy.copy(instance)

    def validate_instance(
        self,
        instance: Institution,
        import_validation_errors: dict[str, Any] | None = None,
        validate_unique: bool = True,
    ) -> None:
        """Refuse what the readers refuse, what the database would, and what stands there twice."""
        errors = dict(import_validation_errors or {})
        readable = self.fields.keys() - errors.keys()
        try:
            instance.clean_fields(exclude=_FIELD_NAMES - readable)
        except ValidationError as error:
            errors = error.update_error_dict(errors)
        if errors:
            raise ValidationError(errors)
        first = self._first_rows.setdefault((instance.lei, instance.activity_year), self._row)
        if first != self._row:
            raise ValidationError(f"the same LEI and year stand in row {first}")

    def save_instance(
        self, instance: Institution, is_create: bool, row: Any, **options: Any
    ) -> None:
        differences = {
            name: (getattr(self._before, name, None), value)
            for name in self.known
            if (value := getattr(instance, name)) != getattr(self._before, name, None)
        }
        if is_create or differences:
            self.changes.append(Change(self._row, instance, is_create, differences))
        else:
            self.unchanged += 1

    def import_row(self, row: Any, instance_loader: Any, **options: Any) -> Any:
        """Keep the reasons of a row that is not taken."""
        result = super().import_row(row, instance_loader, **options)
        if error := result.validation_error:
            self.skipped[self._row] = _reasons(error)
        return result


def _reasons(error: ValidationError) -> list[str]:
    if not hasattr(error, "error_dict"):
        return error.messages
    return [f"{name}: {' '.join(texts)}" for name, texts in error.message_dict.items()]


def _is_small(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 4
