"""The data dictionary: every public column, where it comes from, and how it is published.

Written from the tables themselves: `columns`, the fields of the register, and `masking`.
"""

from __future__ import annotations

from dataclasses import dataclass

from databrowser.dimensions.catalogue import FILTERS
from databrowser.publication.columns import MODIFIED, PUBLIC, Column
from databrowser.publication.records.masking import MADE
from filing.lar.fields import LAR, LAR_BY_NAME, Field, Parse

_CODED = {Parse.CODE, Parse.CODE_OR_BLANK}


@dataclass(frozen=True, slots=True)
class Entry:
    """One public column.

    number: its place in the data set of a year. in_browser, in_modified: its name in what the data
    browser answers, and in the modified LAR, where it may be missing. field: the field of the
    register that it is made from, if there is one. published: in words.
    """

    number: int
    name: str
    in_browser: str
    in_modified: str
    field: str
    published: str


def entries() -> tuple[Entry, ...]:
    """Return all columns in the order of the public data set."""
    return tuple(_entry(number, column) for number, column in enumerate(PUBLIC, 1))


def _entry(number: int, column: Column) -> Entry:
    field = LAR_BY_NAME[column.field] if column.field else None
    return Entry(
        number,
        column.name,
        column.browser,
        MODIFIED.get(column.name, ""),
        field.label if field else "",
        _published(column, field),
    )


def _published(column: Column, field: Field | None) -> str:
    if column.name in MADE:
        return MADE[column.name].words + _values(column)
    return _as_filed(field) if field else "the year of the data"


def _values(column: Column) -> str:
    """Return the values of a derived column, where it has few."""
    known = [each.values for each in FILTERS if each.column == column.name and not column.field]
    return "".join(f": {', '.join(f'`{value}`' for value in values)}" for values in known)


def _as_filed(field: Field) -> str:
    if field.parse in _CODED:
        blank = "; blank where none was filed" if field.parse is Parse.CODE_OR_BLANK else ""
        return f"as filed: {', '.join(map(str, field.codes))}{blank}"
    if field.parse in {Parse.TEXT, Parse.NO_SPACE}:
        return "as filed"
    return f"as filed, in plain notation: {field.accepts}"


def left_out() -> tuple[Field, ...]:
    """Return the fields of the register of which nothing is published."""
    used = {column.field for column in PUBLIC}
    return tuple(field for field in LAR if field.name not in used)


def markdown() -> str:
    """Return the dictionary as a document."""
    rows = "".join(
        f"| {each.number} | `{each.name}` | {_code(each.in_browser)} | {_code(each.in_modified)} "
        f"| {each.field} | {each.published} |\n"
        for each in entries()
    )
    out = "".join(f"- `{field.name}`: {field.label}\n" for field in left_out())
    return (
        "# Public loans\n\nThe columns of the public data set of a year, in its order. The "
        "modified LAR of an institution has some of them, under the names given here and in an "
        "order of its own. NA and Exempt stand as filed.\n\n"
        "| # | Name | Data browser | Modified LAR | Field | Published |\n"
        f"|---|---|---|---|---|---|\n{rows}\n"
        f"## Left out\n\nOf these fields nothing is published.\n\n{out}"
    )


def _code(name: str) -> str:
    return f"`{name}`" if name else "-"
