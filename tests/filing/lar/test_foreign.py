"""Files that are plainly no register are known by their bytes, as these pass or on disk."""

from pathlib import Path

import pytest

from filing.lar import foreign

WAY_OUT = "Save the register as pipe-delimited UTF-8 text and upload that."
REGISTER = b"1|Harbor Savings|2024|4\r\n2|529900HARBORSAVE0042|PK\x03\x04\n"
KINDS = [
    (b"PK\x03\x04\x14\0", "a zip archive or an Excel workbook"),
    (b"\x1f\x8b\x08", "a gzip archive"),
    (b"%PDF-1.7", "a PDF document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1", "an Excel or Word document"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    ("1|Harbor".encode("utf-16"), "text in UTF-16 or UTF-32"),
    (b"\xfe\xff" + "1|Harbor".encode("utf-16-be"), "text in UTF-16"),
    ("1|Harbor".encode("utf-32"), "text in UTF-16 or UTF-32"),
]


@pytest.mark.parametrize(("data", "kind"), KINDS)
def test_a_foreign_file_is_named_with_the_way_out(data: bytes, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "lar.txt"
    path.write_bytes(data)
    said = f"the file is {kind}. {WAY_OUT}"
    assert foreign.fault(path) == foreign.Watch().fault(data) == said


@pytest.mark.parametrize("data", [b"", REGISTER, b"\xef\xbb\xbf" + REGISTER, b"P", b"\x7f\xfe\xff"])
def test_all_else_may_be_a_register(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "lar.txt"
    path.write_bytes(data)
    assert foreign.fault(path) is None
    assert foreign.Watch().fault(data) is None


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"\0", 1),
        (b"1|a\n2|b\0\n\0", 2),
        (b"1|a\r\n\r\n\0", 3),
        ("1|a\n".encode("utf-16-le"), 1),
    ],
)
def test_a_nul_byte_is_named_with_its_line(data: bytes, line: int) -> None:
    said = f"line {line} holds a NUL byte, text has none. {WAY_OUT}"
    assert foreign.Watch().fault(data) == said


def test_what_a_file_begins_with_counts_only_at_its_beginning() -> None:
    watch = foreign.Watch()
    assert [watch.fault(piece) for piece in (b"1|a\n", b"PK\x03\x04", b"\xff\xfe")] == [None] * 3


@pytest.mark.parametrize(("data", "kind"), KINDS)
def test_the_beginning_may_come_byte_by_byte(data: bytes, kind: str) -> None:
    watch = foreign.Watch()
    said = [watch.fault(data[at : at + 1]) for at in range(len(data))]
    assert f"the file is {kind}. {WAY_OUT}" in said


def test_lines_are_counted_through_all_pieces(tmp_path: Path) -> None:
    path = tmp_path / "lar.txt"
    path.write_bytes(b"2|loan\n" * 400_000 + b"2|l\0an\n")
    said = f"line 400001 holds a NUL byte, text has none. {WAY_OUT}"
    assert foreign.fault(path) == said
