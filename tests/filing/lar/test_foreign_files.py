"""Files that are plainly no LAR are known by their bytes, as these pass or on disk."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from openpyxl import Workbook

from filing.lar import foreign_files, parser

AS_TEXT = "Save the LAR as pipe-delimited UTF-8 text."
AS_UTF_8 = "Save it as UTF-8 text: in Notepad choose Save as, and the encoding UTF-8."
UNPACK = "Unpack it and use the text file in it."
SPREADSHEET = (
    "Make a LAR from it on the page Turn a spreadsheet into a LAR file, or save it as UTF-8 text "
    "(.txt) with a pipe (|) between the fields: in LibreOffice choose Save As, Text CSV, and | as "
    "the field delimiter; in Excel set | as the list separator of your computer, choose Save As, "
    "CSV UTF-8, and change the ending of the name to .txt."
)
LAR = b"1|Harbor Savings|2024|4\r\n2|529900HARBORSAVE0042|PK\x03\x04\n"
KINDS = [
    (b"PK\x03\x04\x14\0", "a zip archive", UNPACK),
    (b"\x1f\x8b\x08", "a gzip archive", UNPACK),
    (b"%PDF-1.7", "a PDF", AS_TEXT),
    (b"\xd0\xcf\x11\xe0\xa1\xb1", "an Excel (.xls) or Word (.doc) document", SPREADSHEET),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", UNPACK),
    ("1|Harbor".encode("utf-16"), "text in UTF-16 or UTF-32", AS_UTF_8),
    (b"\xfe\xff" + "1|Harbor".encode("utf-16-be"), "text in UTF-16", AS_UTF_8),
    ("1|Harbor".encode("utf-16-le"), "text in UTF-16", AS_UTF_8),
    ("1|Harbor".encode("utf-16-be"), "text in UTF-16", AS_UTF_8),
    ("1|Harbor".encode("utf-32"), "text in UTF-16 or UTF-32", AS_UTF_8),
]


def workbook() -> bytes:
    book, file = Workbook(), BytesIO()
    for _ in range(100):
        book.active.append(["2", "529900HARBORSAVE0042"])
    book.save(file)
    return file.getvalue()


def zipped(*entries: tuple[str, str]) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        for name, text in entries:
            archive.writestr(name, text)
    return file.getvalue()


@pytest.mark.parametrize(("data", "kind", "way_out"), KINDS)
def test_a_foreign_file_is_named_with_the_way_out(
    data: bytes, kind: str, way_out: str, tmp_path: Path
) -> None:
    path = tmp_path / "lar.txt"
    path.write_bytes(data)
    said = f"the file is {kind}. {way_out}"
    assert (
        foreign_files.find_foreign_content(path)
        == foreign_files.ArrivingFileCheck().fault(data)
        == said
    )


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (workbook(), f"the file is an Excel workbook. {SPREADSHEET}"),
        (
            zipped(("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("a", "b")),
            f"the file is an OpenDocument spreadsheet. {SPREADSHEET}",
        ),
        (zipped(("word/document.xml", "<w/>")), f"the file is a Word document. {AS_TEXT}"),
        (zipped(("lar.txt", "1|Harbor")), f"the file is a zip archive. {UNPACK}"),
    ],
    ids=["xlsx", "ods", "docx", "zip"],
)
def test_an_archive_is_known_by_what_is_in_it(data: bytes, said: str) -> None:
    assert foreign_files.ArrivingFileCheck().fault(data) == said


@pytest.mark.parametrize("data", [b"", LAR, b"\xef\xbb\xbf" + LAR, b"P", b"\x7f\xfe\xff"])
def test_all_else_may_be_a_lar(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "lar.txt"
    path.write_bytes(data)
    assert foreign_files.find_foreign_content(path) is None
    assert foreign_files.ArrivingFileCheck().fault(data) is None


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"\0", 1),
        (b"1|a\n2|b\0\n\0", 2),
        (b"1|a\r\n\r\n\0", 3),
        ("A1\n".encode("utf-16-le"), 1),
    ],
)
def test_a_nul_byte_is_named_with_its_line(data: bytes, line: int) -> None:
    said = f"line {line} holds a NUL byte, text has none. {AS_TEXT}"
    assert foreign_files.ArrivingFileCheck().fault(data) == said


def test_what_a_file_begins_with_counts_only_at_its_beginning() -> None:
    watch = foreign_files.ArrivingFileCheck()
    assert [watch.fault(piece) for piece in (b"1|a\n", b"PK\x03\x04", b"\xff\xfe")] == [None] * 3


def test_the_table_says_of_each_beginning_what_the_watch_says():
    table = foreign_files.list_foreign_kinds()
    for begins, fault in table["kinds"]:
        assert foreign_files.ArrivingFileCheck().fault(bytes.fromhex(begins)) == fault
    assert table["zip"] == b"PK\x03\x04".hex()
    for names, _ in table["zipped"]:
        assert names.isascii()
    assert table["nul"].format(line=2) == foreign_files.ArrivingFileCheck().fault(b"1|Bank\n2|\0")
    assert foreign_files.ArrivingFileCheck().fault(workbook()) in [
        fault for _, fault in table["zipped"]
    ]


LATIN, UTF_16, OTHER = "Windows-1252 (Latin-1)", "UTF-16", "another encoding"
LONG = "x" * (1 << 20)


@pytest.mark.parametrize(
    ("content", "line", "kind", "place"),
    [
        ("1|Cañon Bank\n".encode("latin-1"), 1, LATIN, "byte 5 of line 1 is F1"),
        ("1|a\n2|“b”\n".encode("cp1252"), 2, LATIN, "byte 3 of line 2 is 93"),
        ("1|a\r2|é\r".encode("latin-1"), 2, LATIN, "byte 3 of line 2 is E9"),
        ("1|a|ñ\n".encode("utf-16"), 1, UTF_16, "byte 1 of line 1 is FF"),
        (b"1|a\n2|\x81\n", 2, OTHER, "byte 3 of line 2 is 81"),
        (b"1|a\n2|\xc3", 2, LATIN, "byte 3 of line 2 is C3"),  # it ends within a character
        (f"1|{LONG}é".encode("latin-1"), 1, LATIN, "byte 1,048,579 of line 1 is E9"),
        (f"1|a\n{LONG[:-1]}é\n".encode("latin-1"), 2, LATIN, "byte 1,048,576 of line 2 is E9"),
        # A character of UTF-8 lies across two reads, and a byte after it is wrong.
        (f"{LONG[:-1]}é".encode() + b"\xe9\n", 1, LATIN, "byte 1,048,578 of line 1 is E9"),
        (f"{LONG[:-1]}".encode() + b"\xe9x\n", 1, LATIN, "byte 1,048,576 of line 1 is E9"),
    ],
)
def test_kind_and_place(tmp_path, content, line, kind, place):
    path = tmp_path / "lar.txt"
    path.write_bytes(content)
    sentence = foreign_files.explain_encoding(path, line=line)
    assert kind in sentence
    assert place in sentence
    assert AS_UTF_8 in sentence


Line = Callable[..., bytes]


def hint(path: Path, *lines: bytes) -> str:
    path.write_bytes(b"\n".join(lines) + b"\n")
    with parser.read_format_errors(path) as errors:
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


def test_other_faults_have_no_hint(path: Path, sheet_line: Line, loan_line: Line) -> None:
    comma = loan_line().replace(b"|", b",")
    assert hint(path, sheet_line(), loan_line()) == ""
    assert hint(path, sheet_line(), loan_line(loan_type="x"), comma) == ""
    assert hint(path, sheet_line(), b"2|a,b,c,d,e,f,g,h,i,j,k,l") == ""
    assert hint(path, sheet_line(), comma, loan_line().replace(b"|", b"\t")) == ""
    assert hint(path, b"hello, world", b"1 2 3") == ""
