"""Loans with a known right record each, and conversions of files of them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from filing.edits import examples
from filing.lar.fields import LAR, TRANSMITTAL_SHEET
from filing.lar.years import Period
from filing.spreadsheets.conversion import Conversion, convert_spreadsheet
from filing.spreadsheets.options import ConversionOptions

LEI = "529900EXAMPLELEI0001"
PERIOD = Period(2024)
NAMES = [field.name for field in LAR]
LABELS = [field.label for field in LAR]

Record = dict[str, str]

SHEET: Record = dict(
    zip(
        (field.name for field in TRANSMITTAL_SHEET),
        examples.write_record_line(examples.correct_transmittal_sheet(PERIOD, LEI, 5)).split("|"),
        strict=True,
    )
)
GIVEN = {name: text for name, text in SHEET.items() if name not in ("record_id", "total_lines")}
_CHANGES: Sequence[dict[str, str | int]] = (
    {"loan_amount": "110500", "interest_rate": "4.125", "income": "36", "zip_code": "02116"},
    {"loan_amount": "250000.5", "interest_rate": "6.5", "income": "-12", "rate_spread": "-0.5"},
    {"loan_amount": "75000", "interest_rate": "3.875", "income": "NA", "discount_points": ""},
    {"loan_amount": "1250000", "property_value": "Exempt", "zip_code": "02116-1234"},
    {"loan_amount": "98765", "street": "12 Ré Street", "city": "Exempt", "rate_spread": "1.75"},
)


def records(total: int = 5) -> list[Record]:
    """Return loans by field name as text, each with its own ULI."""
    made = []
    for number in range(total):
        uli = examples.numbered_uli(LEI, number + 1)
        loan = examples.correct_loan(PERIOD, LEI, uli=uli) | _CHANGES[number % len(_CHANGES)]
        made.append(dict(zip(NAMES, examples.write_record_line(loan).split("|"), strict=True)))
    return made


def lines(loans: Sequence[Mapping[str, str]], sheet: Mapping[str, str] | None = None) -> bytes:
    """Return the pipe file of loans."""
    head = {**SHEET, **(sheet or {}), "total_lines": str(len(loans))}
    rows = [list(head.values()), *([loan[name] for name in NAMES] for loan in loans)]
    return "".join("|".join(row) + "\n" for row in rows).encode()


def grid(
    loans: Sequence[Mapping[str, Any]], names: Sequence[str] = NAMES, headers: Sequence[str] = ()
) -> list[list[Any]]:
    """Return a header row of labels and a row of values for each loan."""
    labels = dict(zip(NAMES, LABELS, strict=True))
    head = list(headers) or [labels.get(name, name) for name in names]
    return [head, *([loan[name] for name in names] for loan in loans)]


class Converted:
    """The outcome of a conversion, read before its folder is gone."""

    def __init__(self, conversion: Conversion) -> None:
        self.conversion = conversion
        self.report = conversion.report()
        self.data = conversion.lar.read_bytes()

    @property
    def records(self) -> list[Record]:
        rows = self.data.decode().splitlines()[1:]
        return [dict(zip(NAMES, row.split("|"), strict=True)) for row in rows]

    def findings(self, kind: str = "") -> list[dict[str, Any]]:
        first = self.report["findings"]["first"]
        return [one for one in first if kind in ("", one["kind"])]

    def cells(self, kind: str = "reading") -> set[str]:
        """Return the cells with findings of a kind, as `C4`; `line 1` for the transmittal sheet."""
        return {_cell(one) for one in self.findings(kind)}

    def rules(self) -> dict[str, int]:
        return self.report["changes"]["byRule"]


def _cell(finding: dict[str, Any]) -> str:
    where = finding["row"] or f"line {finding['line']}"
    return f"{finding['column']}{where}" if finding["column"] else f"{finding['field']} {where}"


def converted(
    path: Path,
    *,
    options: ConversionOptions = ConversionOptions(),  # noqa: B008 -- a frozen value
    sheet: Mapping[str, str] | None = GIVEN,
    **arguments: Any,
) -> Converted:
    with tempfile.TemporaryDirectory() as folder:
        return Converted(
            convert_spreadsheet(
                path, folder=Path(folder), sheet=sheet, options=options, **arguments
            )
        )
