"""The data dictionary: every public column, its source, and how it is published.

It is generated from two tables: `columns` and the LAR fields.
"""

from __future__ import annotations

from dataclasses import dataclass

from databrowser.dimensions.catalogue import FILTERS
from databrowser.dimensions.dimension import Dimension
from databrowser.publication.columns import MODIFIED, PUBLIC, DataColumn
from filing.lar.fields import LAR, LAR_BY_NAME, Field, Parse

_CODED = {Parse.CODE, Parse.CODE_OR_BLANK}


@dataclass(frozen=True, slots=True)
class DictionaryEntry:
    """One public column.

    number: its position in the data set of a year. in_browser, in_modified: its name in downloads
    of the data browser, and in the modified LAR, where it may be missing. field: the LAR field that
    it is made from, if any. published: how it is published, in words.
    """

    number: int
    name: str
    in_browser: str
    in_modified: str
    field: str
    published: str


def dictionary_entries() -> tuple[DictionaryEntry, ...]:
    """Return all columns in the order of the public data set."""
    return tuple(_entry(number, column) for number, column in enumerate(PUBLIC, 1))


def _entry(number: int, column: DataColumn) -> DictionaryEntry:
    field = LAR_BY_NAME[column.field] if column.field else None
    return DictionaryEntry(
        number,
        column.name,
        column.browser,
        MODIFIED.get(column.name, ""),
        field.label if field else "",
        _published(column, field),
    )


def _published(column: DataColumn, field: Field | None) -> str:
    if column.words:
        return column.words + _values(column)
    return _as_filed(field) if field else "the year of the data"


def _values(column: DataColumn) -> str:
    """Return the values of a derived column if it is a data filter."""
    lists = [
        dimension.values
        for dimension in FILTERS
        if dimension.column == column.name and not column.field
    ]
    return "".join(f": {', '.join(f'`{value}`' for value in values)}" for values in lists)


def _as_filed(field: Field) -> str:
    if field.parse in _CODED:
        blank = "; blank if none was filed" if field.parse is Parse.CODE_OR_BLANK else ""
        return f"as filed: {', '.join(map(str, field.codes))}{blank}"
    if field.parse in {Parse.TEXT, Parse.NO_SPACE}:
        return "as filed"
    return f"as filed, in plain notation: {field.accepts}"


def left_out() -> tuple[Field, ...]:
    """Return the LAR fields that are not published."""
    published = {column.field for column in PUBLIC}
    return tuple(field for field in LAR if field.name not in published)


def dictionary_as_markdown() -> str:
    """Return the dictionary as a Markdown document."""
    rows = "".join(
        f"| {entry.number} | `{entry.name}` | {_code(entry.in_browser)} "
        f"| {_code(entry.in_modified)} | {entry.field} | {entry.published} |\n"
        for entry in dictionary_entries()
    )
    out = "".join(f"- `{field.name}`: {field.label}\n" for field in left_out())
    filters = "".join(
        f"| `{dimension.parameter}` | `{dimension.column}` | {_listed(dimension)} |\n"
        for dimension in FILTERS
    )
    return (
        "# Columns of the public records\n\n"
        "The columns of the public data set of a year, in order. The "
        "modified LAR of an institution has some of them, under the names listed here and in its "
        "own order. NA and Exempt are published as filed.\n\n"
        "| # | Name | Data browser | Modified LAR | Field | Published |\n"
        f"|---|---|---|---|---|---|\n{rows}\n"
        f"## Left out\n\nThese fields are not published.\n\n{out}\n"
        "## Data filters\n\nThe parameters of the data browser that choose records by a column.\n\n"
        f"| Parameter | Column | Values |\n|---|---|---|\n{filters}"
    )


def _listed(dimension: Dimension) -> str:
    meanings = ((value, dimension.meanings.get(value)) for value in dimension.values)
    return ", ".join(
        f"`{value}` ({meaning})" if meaning else f"`{value}`" for value, meaning in meanings
    )


def _code(name: str) -> str:
    return f"`{name}`" if name else "-"
