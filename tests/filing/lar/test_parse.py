"""Reading whole files, awkward and real ones, and single lines."""

import io
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from filing.lar.blocks import NotText
from filing.lar.errors import FieldError, LineErrors, find_line_errors
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME
from filing.lar.foreign_files import EMPTY_FILE
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


@pytest.fixture
def scanned(tmp_path: Path) -> Callable[[bytes], Scanned]:
    def scan_data(data: bytes) -> Scanned:
        path = tmp_path / "raw.txt"
        path.write_bytes(data)
        return Scanned(path, tmp_path)

    return scan_data


AWKWARD: dict[str, Callable[[list[bytes]], bytes]] = {
    "plain": lambda lines: b"\n".join(lines) + b"\n",
    "no last line end": lambda lines: b"\n".join(lines),
    "byte order mark": lambda lines: b"\xef\xbb\xbf" + b"\n".join(lines),
    "crlf": lambda lines: b"\r\n".join(lines) + b"\r\n",
    "cr": lambda lines: b"\r".join(lines) + b"\r",
    "blank lines at the end": lambda lines: b"\n".join(lines) + b"\n\n \r\n\t\n",
    "quotes": lambda lines: b"\n".join(b'"' + line.replace(b"|", b'"|"') + b'"' for line in lines),
    "surplus pipe": lambda lines: b"|\n".join(lines) + b"|\n",
    "one surplus pipe": lambda lines: b"\n".join([*lines[:2], lines[2] + b"|", *lines[3:]]),
    "blanks": lambda lines: b"\n".join(b" " + line.replace(b"|", b"  | ") for line in lines),
    "tabs and nuls": lambda lines: b"\n".join(line.replace(b"|", b"\t|\0") for line in lines),
}


@pytest.mark.parametrize("accident", AWKWARD)
def test_awkward_files_read_like_plain_ones(
    accident: str, scanned: Callable[[bytes], Scanned], sheet_line: Line, loan_line: Line
) -> None:
    lines = [sheet_line(), *(loan_line(uli=f"ULI{row}", city="東京 😀") for row in range(1, 6))]
    lines[4] = loan_line(uli="ULI4", lei="abc", loan_type="x")
    file = scanned(AWKWARD[accident](lines))
    assert (file.scan.lines, file.scan.loans, file.scan.bad, file.bad) == (6, 5, 1, [4])
    assert file.scan.transmittal_sheet is not None
    assert file.scan.transmittal_sheet["institution_name"] == "Harbor Savings"
    assert file.scan.transmittal_sheet["total_lines"] == 3
    assert file.errors == [
        LineErrors(5, "ULI4", (FieldError("Loan Type", "x", "Integer: 1, 2, 3, 4"),))
    ]
    with Lines(file.path, file.offsets) as read:
        assert read.fields([5], ["uli", "city"]) == [("ULI5", "東京 😀")]
    assert file.progress[-1] == (6, np.fromfile(file.offsets, "<u8")[-1])


def test_blank_line_in_the_middle_is_a_line(
    scanned: Callable[[bytes], Scanned], sheet_line: Line, loan_line: Line
) -> None:
    file = scanned(b"\n".join([sheet_line(), loan_line(), b" ", loan_line(), b""]))
    assert (file.scan.lines, file.bad) == (4, [2])
    assert file.errors[0].messages == (
        FieldError("Incorrect Number of LAR Fields", "1", "110 Fields"),
    )


def test_faults_of_all_kinds_are_found_in_one_pass(
    scanned: Callable[[bytes], Scanned], sheet_line: Line, loan_line: Line
) -> None:
    long = loan_line(city="x" * 3_000_000)
    lines = [sheet_line(total_lines="x"), loan_line(), long, b"2|LEI", loan_line(income="x,y")]
    file = scanned(b"\r\n".join(lines))
    assert file.scan == Scan(
        lines=5, loans=4, bad=4, transmittal_sheet=None, totals={1: (1, 240500.0)}
    )
    assert file.bad == [0, 2, 3, 4]
    assert [(error.line, error.messages[0].field) for error in file.errors] == [
        (1, "Total Number of Entries Contained in Submission"),
        (3, "Line Length"),
        (4, "Incorrect Number of LAR Fields"),
        (5, "Income"),
    ]


def test_sheet_alone_is_a_file(scanned: Callable[[bytes], Scanned], sheet_line: Line) -> None:
    file = scanned(sheet_line())
    assert (file.scan.lines, file.scan.loans, file.bad, file.errors) == (1, 0, [], [])
    assert np.fromfile(file.offsets, "<u8").tolist() == [0, len(sheet_line())]


def test_file_without_lines_lacks_its_sheet(scanned: Callable[[bytes], Scanned]) -> None:
    file = scanned(b" \r\n\r\n")
    assert file.scan == Scan(
        lines=0, loans=0, bad=1, transmittal_sheet=None, hint=EMPTY_FILE.capitalize()
    )
    assert file.errors == [
        LineErrors(
            1,
            "Transmittal Sheet",
            (FieldError("Incorrect Number of TS Fields", "0", "15 Fields"),),
        )
    ]


def test_single_lines_are_read_by_field(sheet_line: Line, loan_line: Line) -> None:
    sheet, read = (
        parse_transmittal_sheet(sheet_line() + b"\r\n"),
        parse_loan(loan_line(lei="abc") + b"\n"),
    )
    assert not isinstance(sheet, LineErrors)
    assert not isinstance(read, LineErrors)
    assert list(sheet) == list(TS_BY_NAME)
    assert list(read) == list(LAR_BY_NAME)
    assert (read["lei"], read["loan_type"]) == ("ABC", 1)


def test_single_lines_with_errors_have_no_line_number(loan_line: Line) -> None:
    assert parse_transmittal_sheet(b"1|x") == LineErrors(
        0, "Transmittal Sheet", (FieldError("Incorrect Number of TS Fields", "2", "15 Fields"),)
    )
    wrong = parse_loan(loan_line(uli="U 1"))
    assert wrong == LineErrors(0, "U 1", (FieldError("ULI", "U 1", "Letters and digits only"),))


@pytest.mark.parametrize("data", [b"\xff\xfe1\0|\0", b"1|a\n2|caf\xe9\n"])
def test_file_that_is_not_utf_8_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "raw.txt"
    path.write_bytes(data)
    with pytest.raises(NotText, match="UTF-8"):
        scan_file(path, io.BytesIO(), io.BytesIO())


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
