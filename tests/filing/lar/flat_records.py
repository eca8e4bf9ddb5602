"""The flat record of a nested one: the inverse of `nest_record`."""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from filing.lar.fields import LAR, Field, Parse
from filing.lar.nested import write_plain_number


def flatten_record(nested: Mapping[str, Any], fields: Sequence[Field] = LAR) -> dict[str, Any]:
    return {field.name: _value(nested, field) for field in fields}


def _value(nested: Mapping[str, Any], field: Field) -> Any:
    value: Any = reduce(lambda part, key: part[key], field.json.split("."), nested)
    return write_plain_number(str(value)) if field.parse is Parse.DECIMAL else value
