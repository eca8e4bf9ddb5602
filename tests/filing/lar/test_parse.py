"""Reading whole files and single lines."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from filing.lar.blocks import NotText
from filing.lar.errors import FieldError, LineErrors, find_line_errors
from filing.lar.lines import Lines
from filing.lar.parser import Scan, parse_loan, parse_transmittal_sheet, scan_file

Line = Callable[..., bytes]


class Scanned:
    """A file with what a scan has found in it."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self.offsets, self.bad_rows = path, folder / "offsets", folder / "bad"
        self.progress: list[tuple[int, int]] = []
        with self.offsets.open("wb") as offsets, self.bad_rows.open("wb") as bad:
            self.scan: Scan = scan_file(
                path, offsets, bad, progress=lambda *done: self.progress.append(done)
            )

    @property
    def bad(self) -> list[int]:
        data = self.bad_rows.read_bytes()
        return list(struct.unpack(f"<{len(data) // 4}I", data))

    @property
    def errors(self) -> list[LineErrors]:
        with Lines(self.path, self.offsets) as lines:
            return find_line_errors(self.bad, lines.read(self.bad))


def test_single_lines_with_errors_have_no_line_number(loan_line: Line) -> None:
    assert parse_transmittal_sheet(b"1|x") == LineErrors(
        0, "Transmittal Sheet", (FieldError("Incorrect Number of TS Fields", "2", "15 Fields"),)
    )
    wrong = parse_loan(loan_line(uli="U 1"))
    assert wrong == LineErrors(0, "U 1", (FieldError("ULI", "U 1", "Letters and digits only"),))


REAL = {
    "2018-FRONTENDTESTBANK9999.txt": (10, {}),
    "2022-FRONTENDTESTBANK9999.txt": (10, {}),
    "2022-Q1-FRONTENDTESTBANK9999.txt": (10, {}),
    "2024-FRONTENDTESTBANK9999.txt": (10, {}),
    "2024-Q2-FRONTENDTESTBANK9999.txt": (10, {}),
    "FFVT-2018-clean-w-bom.txt": (10, {}),
    "FFVT-2018-error.txt": (10, {1: "Federal Agency", 11: "Incorrect Number of LAR Fields"}),
    "Bank_1_2024_V662-1.txt": (2, {}),
    "Bank.1_2024.Q660-1.txt": (2, {}),
    "Bank.1_2024.V660-Blank.field.test.txt": (
        2,
        {2: "Applicant or Borrower, Name and Version of Credit Scoring Model"},
    ),
    "Bank0_clean_100_rows_2025_annual.txt": (100, {}),
    "clean_file_1000_rows_Bank0_syntax_validity.txt": (1000, {}),
}


@pytest.mark.published
@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str, samples: Path, tmp_path: Path) -> None:
    loans, errors = REAL[name]
    file = Scanned(samples / name, tmp_path)
    assert file.scan.loans == loans
    assert {error.line: error.messages[0].field for error in file.errors} == errors
    assert all(len(error.messages) == 1 for error in file.errors)


@pytest.mark.published
def test_real_file_in_utf_16_is_refused(samples: Path, tmp_path: Path) -> None:
    with pytest.raises(NotText, match="UTF-16, not UTF-8: byte 1 of line 1"):
        Scanned(samples / "FFVT-Invalid-utf16.txt", tmp_path)
