"""The facts that edits use beside the record.

A rule never asks for the year: the year and everything that changes with it is a fact. A fact is
read like a column; it has a plain name (`filing_year`) or one with its source (`ts.lei`,
`institution.agency`, `census.tracts`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import numpy as np
import polars as pl

from filing.edits.edit import Edit, EditNeed
from filing.edits.texts import read_array
from filing.lar import years
from filing.lar.fields import SHEET_PREFIX
from filing.lar.formats import Record
from filing.lar.years import EditWithdrawal, Period
from filing.reference.census import Census

ANNUAL_QUARTER = 4  # the calendar quarter on the transmittal sheet of an annual file


@dataclass(frozen=True, slots=True)
class PanelRecord:
    """The panel's record of an institution for a year; a blank TIN is unknown."""

    lei: str
    agency: int
    tax_id: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class EditFacts:
    """The facts for the loans of one submission, or for a single record.

    transmittal_sheet: its typed values by field name. census: that of the filing year. rules_year:
    the year whose rules are run, with its withdrawals, if it is another than the filing year.
    Raises: NoRulebookError for a period, or a year, without rules.
    """

    period: Period
    transmittal_sheet: Mapping[str, str | int] | None = None
    institution: PanelRecord | None = None
    census: Census | None = None
    rules_year: int | None = None
    rules: Period = field(init=False)
    _withdrawals: Mapping[str, EditWithdrawal] = field(init=False)
    _constants: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        year = self.period.year if self.rules_year is None else self.rules_year
        rules = years.rulebook_period(Period(year, self.period.quarter))
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "_withdrawals", years.find_withdrawals(year))
        object.__setattr__(self, "_constants", self._constant_values())

    def lacks(self, edit: Edit, *, whole_file: bool = False) -> str:
        """Return why the edit cannot run, or a blank if it can."""
        if withdrawal := self._withdrawals.get(edit.code):
            return str(withdrawal)
        if not edit.needs:  # as most
            return ""
        available = {
            EditNeed.CENSUS: self.census is not None,
            EditNeed.INSTITUTION: self.institution is not None,
            EditNeed.OTHER_ROWS: whole_file,
            EditNeed.TS: self.transmittal_sheet is not None,
        }
        return "; ".join(
            need.value for need in EditNeed if need in edit.needs and not available[need]
        )

    def expected(self) -> dict[str, str | int]:
        """Return the values of the panel that the transmittal sheet should have, by field name."""
        panel = self.institution
        if panel is None:
            return {}
        return {"federal_agency": panel.agency, "tax_id": panel.tax_id, "lei": panel.lei}

    def value(self, name: str) -> Any:
        """Return a fact; codes of the census are a series.

        Raises: LookupError for an unknown name.
        """
        try:
            return self._constants[name]
        except KeyError:
            raise LookupError(
                f"An edit needs {name}, which is not known for {self.period}."
            ) from None

    def reading(self, records: pl.DataFrame | Record) -> Callable[[str], Any]:
        """Return what reads a column of a typed frame, or else a fact, by name.

        The values of a single record are a text or a number. A number that is missing is NaN.
        Raises: ValueError, naming a column without a text on some record.
        """
        values: Mapping[str, Any] = {}
        columns: Mapping[str, pl.Series] = {}
        if not isinstance(records, pl.DataFrame):
            values = records
        else:
            columns = dict(zip(records.columns, records.get_columns(), strict=True))
            if records.height == 1:
                values = records.row(0, named=True)

        def read(name: str) -> Any:
            value = values.get(name)
            if value is not None:
                return value
            if name not in columns:
                return self.value(name)
            if columns[name].dtype == pl.String and columns[name].null_count():
                raise ValueError(f"{name} has no text on some row.")
            return np.nan if values else read_array(columns[name])

        return read

    def _constant_values(self) -> dict[str, Any]:
        period, panel = self.period, self.institution
        values: dict[str, Any] = {
            "filing_year": period.year,
            "filing_quarter": period.quarter or ANNUAL_QUARTER,
            "quarter_start": _day(period.starts),
            "quarter_end": _day(period.ends),
        }
        sheet = self.transmittal_sheet or {}
        values |= {f"{SHEET_PREFIX}{name}": value for name, value in sheet.items()}
        if panel is not None:
            values["institution.lei"] = panel.lei
            values["institution.agency"] = panel.agency
            values["institution.tax_id"] = panel.tax_id
        if self.census is not None:
            values["census.tracts"] = self.census.tracts
            values["census.counties"] = self.census.counties
            values["census.small_counties"] = self.census.small_counties
        return values


def _day(day: date) -> int:
    return int(day.strftime("%Y%m%d"))
