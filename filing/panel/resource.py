"""Reads the rows of a panel file: the institution that each adds or changes, or why it does not."""

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
from filing.panel.sheets import PanelSheet
from filing.people.institutions import normalize_lei

KEY = ("lei", "activity_year")
_FEW = 100  # rows, of which the institutions are looked up by LEI
_FIELD_NAMES = {field.name for field in Institution._meta.fields}

# The value before and after, by the field that changes.
Differences = dict[str, tuple[Any, Any]]


@dataclass(frozen=True)
class InstitutionChange:
    """The change that a row makes: a new institution, or new values of an existing one."""

    row: int
    institution: Institution
    is_new: bool
    differences: Differences

    def __str__(self) -> str:
        differences = ", ".join(
            f"{name} {before!r} to {value!r}" for name, (before, value) in self.differences.items()
        )
        return f"row {self.row}, {self.institution.lei}: {differences}"


def cell_text(value: Any) -> str:
    """Return a value of an institution as the text of a cell, which reads back as the value."""
    if isinstance(value, bool):
        return str(value).lower()
    return ";".join(value) if isinstance(value, list) else str(value)


class InstitutionCell(Widget):
    """Reads a cell with the reader of its column, which raises ValueError for a mistake."""

    def __init__(self, reader: Callable[[str], Any]) -> None:
        super().__init__()
        self.reader = reader

    def clean(self, value: str, row: Any = None, **options: Any) -> Any:
        return self.reader(value)

    def render(self, value: Any, obj: Any = None, **options: Any) -> str:
        return cell_text(value)


class Loader(BaseInstanceLoader):
    """Finds existing institutions, read for all years of a file in one query."""

    def __init__(self, resource: InstitutionResource, dataset: Dataset) -> None:
        super().__init__(resource, dataset)
        years = {int(text) for text in dataset["activity_year"] if _is_small(text)}
        institutions = Institution.objects.filter(activity_year__in=years)
        if len(dataset) <= _FEW:
            institutions = institutions.filter(lei__in=map(normalize_lei, dataset["lei"]))
        self.existing = {
            (institution.lei, str(institution.activity_year)): institution
            for institution in institutions
        }

    def get_instance(self, row: Mapping[str, str]) -> Institution | None:
        institution = self.existing.get((normalize_lei(row["lei"]), row["activity_year"]))
        return copy.copy(institution) if institution else None  # the original is compared later


class InstitutionResource(ModelResource):
    """Collects the changes of all rows of a file, without writing any."""

    class Meta:
        model = Institution
        import_id_fields = KEY
        instance_loader_class = Loader
        use_bulk = True
        skip_diff = True
        fields = tuple(READERS)

    def __init__(self, sheet: PanelSheet) -> None:
        super().__init__()
        self.sheet = sheet
        self.columns = sheet.known_columns
        self.fields = {
            column: Field(column, column, InstitutionCell(READERS[column]))
            for column in self.columns
        }
        self.changes: list[InstitutionChange] = []
        self.unchanged = 0
        self.skipped: dict[int, list[str]] = dict(sheet.faults)
        self._first_rows: dict[tuple[str, int], int] = {}
        self._before: Institution | None = None
        self._row = 0

    def read(self) -> None:
        """Collect the changes of all rows."""
        dataset = Dataset(*self.sheet.rows, headers=self.sheet.columns)
        result = self.import_data(dataset, use_transactions=False)
        for error in [
            *result.base_errors,
            *(failure for row in result.rows for failure in row.errors),
        ]:
            raise error.error  # no content of a row causes one, so this is a defect of ours

    def get_import_order(self) -> list[str]:
        return self.columns

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
        """Refuse what the readers or the database refuse, and repeated rows."""
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
            raise ValidationError(f"the same LEI and year are in row {first}")

    def save_instance(
        self, instance: Institution, is_create: bool, row: Any, **options: Any
    ) -> None:
        differences = {
            name: (getattr(self._before, name, None), value)
            for name in self.columns
            if (value := getattr(instance, name)) != getattr(self._before, name, None)
        }
        if is_create or differences:
            self.changes.append(InstitutionChange(self._row, instance, is_create, differences))
        else:
            self.unchanged += 1

    def import_row(self, row: Any, instance_loader: Any, **options: Any) -> Any:
        """Import a row, and store the reasons if it is refused."""
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
