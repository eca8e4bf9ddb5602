"""The cells of a sheet with an error, or with a formula that has no stored value.

The library reads both as blank. Needs the standard library alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from filing.spreadsheets import faulty_cells_ods, faulty_cells_xls, faulty_cells_xlsb
from filing.spreadsheets import faulty_cells_xlsx as xlsx

# By number of row (from 1) and position of column (from 0): the error, a blank for a formula.
Faults = dict[int, dict[int, str]]

_READERS: dict[str, Callable[[Path, str], Faults]] = {
    "xlsx": xlsx.faults,
    "xlsb": faulty_cells_xlsb.faults,
    "xls": faulty_cells_xls.faults,
    "ods": faulty_cells_ods.faults,
}


def of(path: str, kind: str, sheet: str) -> Faults:
    """Return the faults in a sheet of a workbook."""
    return _READERS[kind](Path(path), sheet)
