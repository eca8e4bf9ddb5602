"""A file with commas, tabs or semicolons between its fields gets one hint for all its lines."""

from collections.abc import Callable
from pathlib import Path

import pytest

from filing.lar import format_errors

Line = Callable[..., bytes]

BLANK_SHEET = b""
HEADINGS = b"Record Identifier,LEI,ULI,Date,Type,Purpose,Preapproval,Method,Occupancy,Amount,Action"


def hint(path: Path, *lines: bytes) -> str:
    path.write_bytes(b"\n".join(lines) + b"\n")
    with format_errors.of(path) as errors:
        return errors.scan.hint


def said(name: str) -> str:
    return (
        f"The fields are separated by {name}; save the file again as text with a pipe (|) between "
        "the fields."
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lar.txt"


@pytest.mark.parametrize(
    ("mark", "name"), [(b",", "commas"), (b"\t", "tabs"), (b";", "semicolons")]
)
def test_the_hint_names_what_stands_in_place_of_pipes(
    path: Path, sheet_line: Line, loan_line: Line, mark: bytes, name: str
) -> None:
    lines = [line.replace(b"|", mark) for line in (sheet_line(), loan_line(), loan_line())]
    assert hint(path, *lines) == said(name)


def test_headings_quotes_short_lines_and_blank_ones_do_not_hide_it(
    path: Path, loan_line: Line
) -> None:
    quoted = b'"' + loan_line().replace(b"|", b'","') + b'"'
    assert hint(path, HEADINGS, quoted, b'"2", "x"') == said("commas")
    assert hint(path, BLANK_SHEET, b"2,529900HARBORSAVE0042") == said("commas")


def test_a_part_of_the_lines_has_its_hint_too(
    path: Path, sheet_line: Line, loan_line: Line
) -> None:
    many = [loan_line().replace(b"|", b";")] * 50
    assert hint(path, sheet_line(), loan_line(), *many) == said("semicolons")
    assert hint(path, sheet_line().replace(b"|", b","), loan_line()) == said("commas")


def test_other_faults_have_no_hint(path: Path, sheet_line: Line, loan_line: Line) -> None:
    comma = loan_line().replace(b"|", b",")
    assert hint(path, sheet_line(), loan_line()) == ""
    assert hint(path, sheet_line(), loan_line(loan_type="x"), comma) == ""
    assert hint(path, sheet_line(), b"2|a,b,c,d,e,f,g,h,i,j,k,l") == ""
    assert hint(path, sheet_line(), comma, loan_line().replace(b"|", b"\t")) == ""
    assert hint(path, b"hello, world", b"1 2 3") == ""
