"""A template can be filled in and converted."""

from __future__ import annotations

import io
from pathlib import Path

import openpyxl
import pytest

from filing.spreadsheets.refusals import Refusal
from filing.spreadsheets.templates import KINDS, NAMES, template
from tests.filing.spreadsheets.loan_rows import NAMES as FIELDS
from tests.filing.spreadsheets.loan_rows import SHEET, converted, lines, records


@pytest.mark.parametrize("names", NAMES)
def test_a_workbook_filled_in_is_a_lar(names: str, tmp_path: Path) -> None:
    book = openpyxl.load_workbook(io.BytesIO(template(kind="xlsx", names=names, year=2024)))
    assert book.sheetnames == ["Loans", "Transmittal sheet", "Codes"]
    loans = records()
    for record in loans:
        book["Loans"].append([record[name] or None for name in FIELDS])
    rows = list(book["Transmittal sheet"].iter_rows(min_row=2))
    for row, value in zip(rows, SHEET.values(), strict=True):
        row[1].value = value
    assert rows[2][1].value == "2024"
    book.save(tmp_path / "file.xlsx")
    assert converted(tmp_path / "file.xlsx", sheet=None).data == lines(loans)


@pytest.mark.parametrize("names", NAMES)
def test_a_csv_filled_in_is_a_lar(names: str, tmp_path: Path) -> None:
    data = template(kind="csv", names=names, year=2024)
    loans = records()
    rows = ["\t".join(record.values()).replace("\t", ",") for record in loans]
    (tmp_path / "file.csv").write_bytes(data + "\n".join(rows).encode())
    assert converted(tmp_path / "file.csv").data == lines(loans)


@pytest.mark.parametrize(
    "wrong", [{"kind": "pdf"}, {"names": "labels"}, {"year": 2017}], ids=lambda one: next(iter(one))
)
def test_other_choices_are_refused(wrong: dict[str, object]) -> None:
    wishes = {"kind": KINDS[0], "names": NAMES[0], "year": 2024} | wrong
    with pytest.raises(Refusal) as refused:
        template(**wishes)  # type: ignore[arg-type]
    assert refused.value.status == 400
