"""What queries need beyond the framework: compiled once, many keys, domains.

To write the SQL of a query with joins takes the framework ten times as long as the database takes
to answer it. For reads that come hundreds of times a second that is done once in a process, and
each call only fills in its values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.models import CharField, Expression, Field, Func, Model, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.lookups import Exact
from django.db.models.query import (  # type: ignore[attr-defined]
    ModelIterable,
    get_related_populators,
)

Row = TypeVar("Row")
_LISTS = {
    "sqlite": "SELECT value FROM json_each(%s)",
    "postgresql": "SELECT unnest(%s::bigint[])",
}


def lock_table(model: type[Model]) -> None:
    """Let other changes of a table as a whole wait until the transaction ends."""
    names = {"app_label": model._meta.app_label, "model": model._meta.model_name}
    ContentType.objects.select_for_update().get(**names)


class Parameter(Expression):
    """The place of a value that each call gives, in a condition of a queryset."""

    def __init__(self, name: str, field: Field[Any, Any]) -> None:
        """Name the value. field: of the type of the column it is compared with."""
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        """Return a placeholder. The parameter itself stands for its value."""
        return "%s", [self]


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A query in SQL. row: makes what a caller gets of the values of a row."""

    sql: str
    values: tuple[Any, ...]  # in the order of their placeholders; a parameter is filled in
    converters: Mapping[int, tuple[list[Callable[..., Any]], Any]]
    row: Callable[[Sequence[Any]], Any]


class PreparedQuery(Generic[Row]):
    """A queryset of objects, with related ones, or of tuples of values, that is compiled once."""

    def __init__(self, build: Callable[[], QuerySet[Any, Row]]) -> None:
        """Prepare a query. build: returns the queryset, with parameters in its conditions."""
        self._build = build
        self._by_database: dict[str, _Compiled] = {}

    def first(self, **values: Any) -> Row | None:
        """Return the first row, None if there is none. values: by the names of the parameters."""
        return next(iter(self.rows(**values)), None)

    def rows(self, **values: Any) -> list[Row]:
        """Return all rows. values: by the names of the parameters."""
        compiled = self._by_database.get(connection.alias)
        if compiled is None:
            compiled = self._by_database[connection.alias] = _compile(self._build())
        with connection.cursor() as cursor:
            cursor.execute(compiled.sql, [_filled_in(value, values) for value in compiled.values])
            rows = cursor.fetchall()
        return [compiled.row(_converted(row, compiled.converters)) for row in rows]


def _compile(queryset: QuerySet[Any, Any]) -> _Compiled:
    compiler: Any = queryset.query.get_compiler(connection=connection)
    sql, values = compiler.as_sql()
    columns = compiler.select
    converters = compiler.get_converters([expression for expression, _, _ in columns])
    if queryset._iterable_class is not ModelIterable:
        return _Compiled(sql, tuple(values), converters, tuple)
    model, places = compiler.klass_info["model"], compiler.klass_info["select_fields"]
    begin, end = places[0], places[-1] + 1
    names = [expression.target.attname for expression, _, _ in columns[begin:end]]
    database = connection.alias
    related = get_related_populators(compiler.klass_info, columns, database)

    def make_instance(row: Sequence[Any]) -> Any:
        instance = model.from_db(database, names, row[begin:end])
        for populator in related:
            populator.populate(row, instance)
        return instance

    return _Compiled(sql, tuple(values), converters, make_instance)


def _filled_in(value: Any, values: Mapping[str, Any]) -> Any:
    if not isinstance(value, Parameter):
        return value
    return value.output_field.get_db_prep_value(values[value.name], connection)


def _converted(
    row: Sequence[Any], converters: Mapping[int, tuple[list[Callable[..., Any]], Any]]
) -> Sequence[Any]:
    values = list(row)
    for place, (functions, expression) in converters.items():
        for function in functions:
            values[place] = function(values[place], expression, connection)
    return values


def many_keys(keys: Sequence[int]) -> RawSQL:
    """Return the keys for a condition `__in`.

    As a list, each would be a parameter: of these a database takes a limited number, and Django
    spends a second on ten thousand of them, for each query.
    """
    parameter = json.dumps(list(keys)) if connection.vendor == "sqlite" else list(keys)
    return RawSQL(_LISTS[connection.vendor], (parameter,))  # noqa: S611 -- a constant of ours


class MailDomain(Func):
    """The part of an address after the `@`, in lower case; blank for a blank address."""

    arity = 1
    output_field = CharField()
    # Without parameters: an index is only used for exactly the same expression.
    template = "LOWER(SUBSTR(%(expressions)s, INSTR(%(expressions)s, '@') + 1))"

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        template = "LOWER(SPLIT_PART(%(expressions)s, '@', 2))"
        return self.as_sql(compiler, connection, template=template, **extra)


def is_within(field: str, domain: str) -> Q:
    """Return the condition that the addresses of a column are in a domain."""
    return Q(Exact(MailDomain(field), domain))


def is_address(field: str, address: str) -> Q:
    """Return the condition that a column has an address, which the index finds by its domain."""
    return is_within(field, address.rpartition("@")[2].lower()) & Q(**{f"{field}__iexact": address})
