"""What a migration may do while the code of the former release still runs: expand, not contract.

docs/operators/upgrades.md says why. What is refused here goes into two releases.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.migrations import operations as kinds
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import NOT_PROVIDED, Field, ManyToManyField

# Neither the rows nor the columns that the former release uses change.
HARMLESS = (
    kinds.CreateModel,
    kinds.AddIndex,
    kinds.RemoveIndex,
    kinds.RenameIndex,
    kinds.RemoveConstraint,
    kinds.AlterModelOptions,
    kinds.AlterModelManagers,
    kinds.AlterModelTableComment,
)
# Of a field: what the database does not know of.
_NOT_STORED = {
    *("help_text", "verbose_name", "choices", "default", "blank", "validators", "editable"),
    *("error_messages", "related_name", "related_query_name", "db_comment"),
}


def problems(operation: Operation, before: ProjectState, app: str) -> Iterator[str]:
    """Yield what the former release cannot live with. before: the tables before the operation."""
    if isinstance(operation, HARMLESS):
        return
    if isinstance(operation, kinds.SeparateDatabaseAndState):
        for each in operation.database_operations:
            yield from problems(each, before, app)
        return
    name = type(operation).__name__
    if isinstance(operation, kinds.AddField):
        yield from _added(operation)
    elif isinstance(operation, kinds.AlterField):
        model = before.models[app, operation.model_name_lower]
        yield from _altered(model.fields[operation.name], operation.field, operation)
    elif isinstance(operation, kinds.AddConstraint):
        yield (
            f"{name} {operation.constraint.name}: the former release may write rows that it "
            "refuses; add it in the next release"
        )
    elif isinstance(operation, kinds.RunPython | kinds.RunSQL):
        yield (
            f"{name}: it may lock rows, or change what the former release reads; do it as a job, "
            "or say in AGREED why it is harmless"
        )
    else:
        yield f"{name} {operation.describe()}: the former release still uses it"


def _added(operation: kinds.AddField) -> Iterator[str]:
    field = operation.field
    if isinstance(field, ManyToManyField) or field.null or field.db_default is not NOT_PROVIDED:
        return
    yield (
        f"AddField {operation.model_name}.{operation.name}: the former release inserts rows "
        "without it; add null=True or db_default"
    )


def _altered(
    old: Field[Any, Any], new: Field[Any, Any], operation: kinds.AlterField
) -> Iterator[str]:
    where = f"AlterField {operation.model_name}.{operation.name}"
    before, after = _stored(old), _stored(new)
    if old.null and not new.null:
        yield f"{where}: the former release may write NULL"
    elif new.null and not old.null:
        yield f"{where}: the former release may read NULL, which it does not expect"
    widths = before.pop("max_length", None), after.pop("max_length", None)
    if widths[0] is not None and widths[1] is not None and widths[1] < widths[0]:
        yield f"{where}: the former release may write longer texts"
    for values in (before, after):
        values.pop("null", None)
        values.pop("db_default", None)
    if before != after:
        yield f"{where}: the type of the column changes"


def _stored(field: Field[Any, Any]) -> dict[str, Any]:
    _, path, args, options = field.deconstruct()
    return {
        "class": path,
        "args": args,
        **{name: value for name, value in options.items() if name not in _NOT_STORED},
    }
