"""Files that cannot be a LAR: other formats, encodings and separators, and the remedies."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_READ_BYTES = 1 << 20
EMPTY_FILE = "the file is empty; its first line must be the transmittal sheet."
SAVE_AS_TEXT = "Save the LAR as pipe-delimited UTF-8 text."
SAVE_SPREADSHEET = (
    "Save it as UTF-8 text (.txt) with a pipe (|) between the fields: in LibreOffice choose Save "
    "As, Text CSV, and | as the field delimiter; in Excel set | as the list separator of your "
    "computer, choose Save As, CSV UTF-8, and change the ending of the name to .txt."
)
_UNPACK = "Unpack it and use the text file in it."
_SAVE_AS_UTF_8 = "Save it as UTF-8 text: in Notepad choose Save as, and the encoding UTF-8."

_REMEDY = "Save the file as UTF-8 and upload it again."

SAMPLE_LINES = 20  # the first lines that cannot be read
_NAMES = {b",": "commas", b"\t": "tabs", b";": "semicolons"}
# A record begins with its identifier; anything else, such as a line of headings, has many fields.
_RECORD = re.compile(rb'[\s"]*[12]"?[ ]*[,;\t]')
_MANY = 10


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of file, and the remedy."""

    name: str
    way_out: str = SAVE_AS_TEXT

    def fault(self, way_out: str = "") -> str:
        """Return what is wrong with the file, and the remedy."""
        return f"the file is {self.name}. {way_out or self.way_out}"


_ZIP = _Kind("a zip archive", _UNPACK)
_UTF_16 = _Kind("text in UTF-16", _SAVE_AS_UTF_8)
_KINDS = (
    (b"PK\x03\x04", _ZIP),
    (b"\x1f\x8b", _Kind("a gzip archive", _UNPACK)),
    (b"%PDF", _Kind("a PDF document")),
    (b"\xd0\xcf\x11\xe0", _Kind("an Excel (.xls) or Word (.doc) document", SAVE_SPREADSHEET)),
    (b"7z\xbc\xaf", _Kind("a 7-Zip archive", _UNPACK)),
    (b"Rar!", _Kind("a RAR archive", _UNPACK)),
    (b"\xff\xfe", _Kind("text in UTF-16 or UTF-32", _SAVE_AS_UTF_8)),
    (b"\xfe\xff", _UTF_16),
    # A transmittal sheet in UTF-16 without a byte order mark.
    (b"1\0|\0", _UTF_16),
    (b"\x001\0|", _UTF_16),
)
_HEAD_BYTES = max(len(magic) for magic, _ in _KINDS)
# The names of the first entries tell the kind of an archive; names are never compressed.
_ZIPPED = (
    (
        re.compile(rb"opendocument\.spreadsheet"),
        _Kind("an OpenDocument spreadsheet", SAVE_SPREADSHEET),
    ),
    (
        re.compile(rb"xl/(?:_rels|shared|styles|theme|work)"),
        _Kind("an Excel workbook", SAVE_SPREADSHEET),
    ),
    (re.compile(rb"word/(?:_rels|document|styles)"), _Kind("a Word document")),
)


def list_foreign_kinds() -> dict[str, Any]:
    """Return these rules as plain values, for a page that checks a file before it is sent.

    Shape: kinds are (how the file begins, in hexadecimal; the fault), zipped are (a pattern of what
    a zip archive holds; the fault).
    """
    return {
        "empty": EMPTY_FILE,
        "nul": _nul("{line}", SAVE_AS_TEXT),
        "kinds": [(magic.hex(), kind.fault()) for magic, kind in _KINDS],
        "zip": _KINDS[0][0].hex(),
        "zipped": [(names.pattern.decode(), kind.fault()) for names, kind in _ZIPPED],
    }


class ArrivingFileCheck:
    """Checks the bytes of a file as they arrive.

    way_out: the remedy for a foreign file; blank for the one of its kind. lines: the line ends
    before the first of these bytes. is_beginning: whether it is the first byte of the file.
    """

    def __init__(self, way_out: str = "", *, lines: int = 0, is_beginning: bool = True) -> None:
        self._way_out = way_out
        self.lines = lines
        self._head = b"" if is_beginning else b" " * _HEAD_BYTES

    def fault(self, data: bytes) -> str | None:
        """Return why the next bytes cannot be of a LAR, with the remedy, or None."""
        if (missing := _HEAD_BYTES - len(self._head)) > 0:
            self._head += data[:missing]
            if kind := _kind(self._head, data):
                return kind.fault(self._way_out)
        if (at := data.find(b"\0")) >= 0:
            line = 1 + self.lines + data.count(b"\n", 0, at)
            return _nul(line, self._way_out or SAVE_AS_TEXT)
        self.lines += data.count(b"\n")
        return None


def _nul(line: int | str, way_out: str) -> str:
    return f"line {line} holds a NUL byte, text has none. {way_out}"


def find_foreign_content(path: Path) -> str | None:
    """Return why a file cannot be a LAR, or None."""
    watch = ArrivingFileCheck()
    with path.open("rb") as file:
        while data := file.read(_READ_BYTES):
            if reason := watch.fault(data):
                return reason
    return None


def _kind(head: bytes, data: bytes) -> _Kind | None:
    """Return the kind of a file by its first bytes: `head`, of which `data` is the latest piece."""
    kind = next((kind for magic, kind in _KINDS if head.startswith(magic)), None)
    if kind is _ZIP:
        return next((zipped for name, zipped in _ZIPPED if name.search(data)), _ZIP)
    return kind


def explain_encoding(path: Path, *, line: int) -> str:
    """Return what is wrong with a file of which a line is not UTF-8, where, and what to do.

    line: the first such line, counted from 1.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    # rest: what the decoder keeps between two pieces, the beginning of a character.
    column, rest = 0, b""
    with path.open("rb") as file:
        while True:
            piece = file.read(_READ_BYTES)
            try:
                decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as error:
                return _sentences(rest + piece, error.start, column - len(rest), line)
            if not piece:
                return f"Line {line} is not UTF-8 text. {_REMEDY}"
            rest = decoder.getstate()[0]
            end = _line_end(piece, len(piece))
            column = len(piece) - end if end else column + len(piece)


def _sentences(piece: bytes, at: int, before: int, line: int) -> str:
    """Return the sentences about a byte of a piece. before: bytes of its line before the piece."""
    begins = _line_end(piece, at)
    byte = at - begins + 1 + (0 if begins else before)
    return (
        f"The file seems to be {_encoding(piece)}, not UTF-8: byte {byte:,} of line {line:,} is "
        f"{piece[at]:02X}. {_REMEDY}"
    )


def _line_end(piece: bytes, end: int) -> int:
    """Return where the last line before a place begins; 0 where the piece has no line end."""
    return max(piece.rfind(b"\n", 0, end), piece.rfind(b"\r", 0, end)) + 1


def _encoding(piece: bytes) -> str:
    if piece.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in piece:
        return "UTF-16"
    try:
        piece.decode("windows-1252")
    except UnicodeDecodeError:
        return "text in another encoding"
    return "Windows-1252 (Latin-1)"


def suggest_separator(lines: Iterable[bytes]) -> str:
    """Return the remedy for all of these lines, in a sentence; a blank if they have no one cause.

    lines: raw ones that cannot be read; blank ones do not count.
    """
    names = {_separator(line) for line in lines if line.strip()}
    name = names.pop() if len(names) == 1 else ""
    if not name:
        return ""
    return (
        f"The fields are separated by {name}; save the file again as text with a pipe (|) between "
        "the fields."
    )


def _separator(line: bytes) -> str:
    """Return the name of the separator that a line has in place of pipes, or a blank."""
    counts = {mark: line.count(mark) for mark in _NAMES}
    mark = max(counts, key=lambda mark: counts[mark])
    is_record = counts[mark] > 0 and _RECORD.match(line) is not None
    return _NAMES[mark] if b"|" not in line and (is_record or counts[mark] >= _MANY) else ""
