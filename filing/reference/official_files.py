"""Official public files: their kinds and columns; and the one text file in an archive.

Every loader asks here which file it was given, so that a file of another kind is named. No Django.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from filing.lar.foreign_files import ArrivingFileCheck
from filing.lar.official_kinds import (
    PANEL_HEADINGS,
    SHEET_HEADINGS,
    OfficialKind,
    recognize_cells,
)

LONGEST_FIRST_LINE = 1 << 16  # bytes

# Our names of their columns, and of a column of 2018 that has no name in the documentation.
_OUR_NAMES = {
    "agency_code": "agency",
    "id_2017": "institution_id_2017",
    "respondent_rssd": "rssd",
    "respondent_name": "name",
    "respondent_state": "state",
    "respondent_city": "city",
    "topholder_rssd": "top_holder_rssd",
    "topholder_name": "top_holder_name",
    "upper": "lei",
}

_HTML = re.compile(rb"\s*<(?:!doctype|html|\?xml)", re.IGNORECASE)
_SEPARATORS = "|,;\t"
_MACOS = "__MACOSX/"  # what an archive made on a Mac has beside the files
_WORKBOOK_PART = "[Content_Types].xml"  # of each XLSX file
_ENDINGS = (".csv", ".txt", ".psv")
_FOREIGN = "the file is "  # how the fault of another format begins
_ZIP, _GZIP = b"PK\x03\x04", b"\x1f\x8b"
# Raised when a compressed file is incomplete, encrypted, or not one.
BROKEN_ARCHIVE = (
    gzip.BadGzipFile,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
)


@dataclass(frozen=True, slots=True)
class FileHead:
    """The first line of a file: its separator, its cells without quotes, and the line ends."""

    separator: str
    cells: tuple[str, ...]
    line_end: str

    @property
    def headings(self) -> tuple[str, ...]:
        """The cells as names: small letters, with underscores for hyphens and blanks."""
        return tuple(map(fold_heading, self.cells))


def fold_heading(text: str) -> str:
    """Return the heading of a column as a name: small letters, underscores between the words."""
    return re.sub(r"[\s_-]+", "_", text.strip().lower())


def read_first_line(beginning: bytes) -> FileHead:
    """Return the first line of a file. beginning: its first `LONGEST_FIRST_LINE` bytes.

    Raises: UnicodeDecodeError when the line is not UTF-8.
    """
    line, end = re.match(rb"([^\r\n]*)(\r\n|\r|\n|)", beginning).groups()  # type: ignore[union-attr]
    text = line.decode("utf-8-sig", "strict" if end else "ignore")
    unquoted = re.sub(r'"[^"]*"', "", text)
    separator = max(_SEPARATORS, key=unquoted.count)
    try:
        cells = next(csv.reader([text], delimiter=separator), [])
    except csv.Error:  # a cell longer than the reader takes
        cells = text.split(separator)
    return FileHead(separator, tuple(cell.strip() for cell in cells), end.decode() or "\n")


def recognize_file(beginning: bytes) -> OfficialKind | None:
    """Return the kind of an official file by its first line, if it is known."""
    if _HTML.match(beginning.removeprefix(b"\xef\xbb\xbf")):
        return OfficialKind.WEB_PAGE
    try:
        return recognize_cells(read_first_line(beginning).cells)
    except UnicodeDecodeError:
        return None


def describe_other_kind(beginning: bytes, *expected: OfficialKind) -> str:
    """Return what a file is that is not of an expected kind, such as `a panel file`.

    Blank for one of an expected kind, and for one that is not recognized.
    """
    fault = ArrivingFileCheck(" ").fault(beginning) or ""
    if fault.startswith(_FOREIGN):
        return fault.removeprefix(_FOREIGN).rstrip(" .")
    kind = recognize_file(beginning)
    return "" if kind is None or kind in expected else str(kind)


@dataclass(frozen=True, slots=True)
class InstitutionColumns:
    """Our names of the columns of a file of institutions, in its order.

    lines: of the header, 1 or 0. is_official: whether it is a panel file or one of transmittal
    sheets, which have fewer columns than a list of ours.
    """

    names: tuple[str, ...]
    lines: int
    is_official: bool


def read_institution_columns(first: FileHead) -> InstitutionColumns:
    """Return the columns of a file of institutions; without a header, those of its kind."""
    kind = recognize_cells(first.cells)
    headings, lines = first.headings, 1
    for official, its_headings in _OFFICIAL_HEADINGS.items():
        if kind is official and headings[0].isdecimal():
            headings, lines = its_headings, 0
    names = tuple(_OUR_NAMES.get(name, name) for name in headings)
    return InstitutionColumns(names, lines, kind in _OFFICIAL_HEADINGS)


_OFFICIAL_HEADINGS = {
    OfficialKind.PANEL: PANEL_HEADINGS,
    OfficialKind.TRANSMITTAL_SHEET: SHEET_HEADINGS,
}


def is_archive(beginning: bytes) -> bool:
    """Return whether a file is a zip archive or a gzip file."""
    return beginning.startswith((_ZIP, _GZIP))


def open_text(path: Path) -> IO[bytes]:
    """Return an open file; of an archive its only text file, unpacked while it is read.

    Raises: ValueError, saying how many text files an archive has; one of BROKEN_ARCHIVE; OSError.
    """
    with path.open("rb") as file:
        magic = file.read(len(_ZIP))
    suffix = path.suffix.lower()
    if magic.startswith(_GZIP) or suffix == ".gz":
        return cast(IO[bytes], gzip.open(path))
    if magic.startswith(_ZIP) or suffix == ".zip":
        return _open_entry(zipfile.ZipFile(path))
    return path.open("rb")


def unpack_text(data: bytes, *, most: int) -> bytes:
    """Return a file, or the only text file in it if it is an archive, but at most so many bytes.

    What is no archive of text, such as a workbook, stays as it is.

    Raises: ValueError, saying why an archive is not accepted.
    """
    try:
        if data.startswith(_GZIP):
            with gzip.open(io.BytesIO(data)) as packed:
                return packed.read(most)
        if not data.startswith(_ZIP):
            return data
        archive = zipfile.ZipFile(io.BytesIO(data))
        if _WORKBOOK_PART in archive.namelist() or not any(map(_is_text, archive.namelist())):
            return data
        with _open_entry(archive) as entry:
            return entry.read(most)
    except BROKEN_ARCHIVE as error:
        if data.startswith(_GZIP):
            raise ValueError("cannot be unpacked: it is incomplete or damaged") from error
        return data


def _open_entry(archive: zipfile.ZipFile) -> IO[bytes]:
    names = [entry for entry in archive.namelist() if _is_text(entry)]
    if len(names) != 1:
        raise ValueError(f"must contain one .csv or .txt file; it contains {len(names)}")
    return archive.open(names[0])


def _is_text(entry: str) -> bool:
    name = entry.rpartition("/")[2]
    is_hidden = entry.startswith(_MACOS) or name.startswith(".")
    return not is_hidden and name.lower().endswith(_ENDINGS)
