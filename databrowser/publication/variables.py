"""The columns of typed files in a year, for programs: types, codes with their meanings, notes."""

from __future__ import annotations

from dataclasses import dataclass

from databrowser.dimensions.catalogue import FILTERS
from databrowser.publication.columns import PUBLIC, DataColumn
from databrowser.publication.imports.public_values import accepted_values
from databrowser.publication.records.dictionary import dictionary_entries
from filing.lar.fields import LAR_BY_NAME
from filing.spreadsheets.code_texts import list_codes


@dataclass(frozen=True, slots=True)
class Variable:
    """A column of typed files in a year.

    name, csv_name: in Parquet, and in CSV files of the data browser. type: an Arrow type. codes:
    the meanings of all values, by value; empty of numbers, places and institutions. notes: what
    `note_column` may have where there is no number.
    """

    name: str
    csv_name: str
    type: str
    description: str
    codes: dict[str, str]
    note_column: str
    notes: tuple[str, ...]


def list_variables(year: int) -> tuple[Variable, ...]:
    """Return all columns in the order of the public data set, with the codes of a year."""
    return tuple(
        Variable(
            column.name,
            column.browser,
            str(column.typed()).lower(),
            f"{entry.field}: {entry.published}" if entry.field else entry.published,
            _meanings(column, year),
            column.note,
            tuple(filter(None, accepted_values(column.name, year).words)) if column.note else (),
        )
        for column, entry in zip(PUBLIC, dictionary_entries(), strict=True)
    )


def _meanings(column: DataColumn, year: int) -> dict[str, str]:
    """Return the values of a column with their meanings; most values of texts are plain words."""
    if column.typed.is_integer():
        codes = list_codes(LAR_BY_NAME[column.field], year) if column.field else {}
        return {str(code): text for code, text in codes.items()}
    accepted = accepted_values(column.name, year)
    if column.typed.is_numeric() or accepted.form:
        return {}
    return {value: _meaning(column, value) for value in accepted.words if value}


def _meaning(column: DataColumn, value: str) -> str:
    meanings = (each.meanings.get(value) for each in FILTERS if each.column == column.name)
    return next(filter(None, meanings), value)
