"""Files that cannot be a LAR: other formats, encodings and separators, and the remedies."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filing.lar import raw_lines
from filing.lar.official_kinds import OfficialKind, recognize_cells
from filing.lar.raw_lines import BOM, LONGEST, SEPARATORS

_READ_BYTES = 1 << 20
EMPTY_FILE = "the file is empty; its first line must be the transmittal sheet."
SAVE_AS_TEXT = "Save the LAR as pipe-delimited UTF-8 text."
SAVE_SPREADSHEET = (
    "Make a LAR from it on the page Turn a spreadsheet into a LAR file, or save it as UTF-8 text "
    "(.txt) with a pipe (|) between the fields: in LibreOffice choose Save As, Text CSV, and | as "
    "the field delimiter; in Excel set | as the list separator of your computer, choose Save As, "
    "CSV UTF-8, and change the ending of the name to .txt."
)
_UNPACK = "Unpack it and use the text file in it."
_SAVE_AS_UTF_8 = "Save it as UTF-8 text: in Notepad choose Save as, and the encoding UTF-8."
_USE_OWN_LAR = "Use the LAR that you file: its first line is your transmittal sheet."

SAMPLE_LINES = 20  # the first lines that cannot be read
_FIRST_LINES = 10  # among which a spreadsheet has its headings
_MANY = 10  # separators of a line that does not begin as a record, such as one of headings


@dataclass(frozen=True, slots=True)
class ForeignKind:
    """A kind of file that is no LAR, and the remedy.

    is_workbook: whether what reads spreadsheets may read it. is_other_text: whether it is text that
    is not UTF-8.
    """

    name: str
    way_out: str = SAVE_AS_TEXT
    is_workbook: bool = False
    is_other_text: bool = False

    def fault(self, way_out: str = "") -> str:
        """Return what is wrong with the file, and the remedy."""
        return f"the file is {self.name}. {way_out or self.way_out}"


_ZIP = ForeignKind("a zip archive", _UNPACK)
_UTF_16 = ForeignKind("text in UTF-16", _SAVE_AS_UTF_8, is_other_text=True)
_UTF_16_OR_32 = ForeignKind("text in UTF-16 or UTF-32", _SAVE_AS_UTF_8, is_other_text=True)
_OLD_WORKBOOK = ForeignKind(
    "an Excel (.xls) or Word (.doc) document", SAVE_SPREADSHEET, is_workbook=True
)
_PICTURE = ForeignKind("a picture")
_BOTH_UTF_16 = ("utf-16-le", "utf-16-be")
_KINDS = (
    (b"PK\x03\x04", _ZIP),
    (b"\x1f\x8b", ForeignKind("a gzip archive", _UNPACK)),
    (b"%PDF", ForeignKind("a PDF")),
    (b"\xd0\xcf\x11\xe0", _OLD_WORKBOOK),
    (b"7z\xbc\xaf", ForeignKind("a 7-Zip archive", _UNPACK)),
    (b"Rar!", ForeignKind("a RAR archive", _UNPACK)),
    (b"\x89PNG", _PICTURE),
    (b"\xff\xd8\xff", _PICTURE),
    (b"GIF8", _PICTURE),
    (b"{\\rtf", ForeignKind("a text document (RTF)")),
    (b"\xff\xfe", _UTF_16_OR_32),
    (b"\xfe\xff", _UTF_16),
    # A transmittal sheet in UTF-16 without a byte order mark, also in quotes.
    *((begins.encode(code), _UTF_16) for begins in ("1|", '"1"') for code in _BOTH_UTF_16),
)
_HEAD_BYTES = max(len(magic) for magic, _ in _KINDS)
# The names of the first entries tell the kind of an archive; names are never compressed.
_ZIPPED = (
    (
        re.compile(rb"opendocument\.spreadsheet"),
        ForeignKind("an OpenDocument spreadsheet", SAVE_SPREADSHEET, is_workbook=True),
    ),
    (
        re.compile(rb"xl/(?:_rels|shared|styles|theme|work)"),
        ForeignKind("an Excel workbook", SAVE_SPREADSHEET, is_workbook=True),
    ),
    (re.compile(rb"word/(?:_rels|document|styles)"), ForeignKind("a Word document")),
)
_MARKUP = re.compile(rb"<(?:!doctype|html|table|\?xml|workbook|meta)", re.IGNORECASE)
_TABLE = re.compile(rb"<table|office:excel|spreadsheet", re.IGNORECASE)
_WEB_SPREADSHEET = ForeignKind("a spreadsheet saved as a web page or XML", SAVE_SPREADSHEET)
_WEB_PAGE = ForeignKind("a web page or an XML document")
# What lenders send in place of their LAR.
_PUBLIC_KINDS = {
    kind: ForeignKind(str(kind), _USE_OWN_LAR)
    for kind in OfficialKind
    if kind not in (OfficialKind.LAR, OfficialKind.MODIFIED_LAR, OfficialKind.WEB_PAGE)
}


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


def find_foreign_kind(data: bytes) -> ForeignKind | None:
    """Return the kind of a file that is no LAR; None if it may be one.

    data: the file, or its beginning, with more than the first line.
    """
    return _find_binary_kind(data, data) or _find_text_kind(data)


def name_spreadsheet(data: bytes) -> str:
    """Return what a file is, in words, if what reads spreadsheets reads it; else a blank.

    A text is one if the first of its lines with many columns is no record, and has no pipes.
    data: the beginning of the file.
    """
    kind = find_foreign_kind(data)
    if kind and not kind.is_other_text:
        return kind.name if kind.is_workbook else ""
    text = data[:LONGEST].decode("utf-16" if kind else "utf-8", "ignore").encode()
    lines = [line for line in re.split(rb"[\r\n]+", text.removeprefix(BOM)) if line.strip()]
    wide = (line for line in lines[:_FIRST_LINES] if len(raw_lines.cut_any_line(line)) > _MANY)
    line = next(wide, b"")
    is_table = line and b"|" not in line and not raw_lines.is_record(line)
    return "a spreadsheet saved as text" if is_table else ""


def _find_binary_kind(head: bytes, data: bytes) -> ForeignKind | None:
    """Return the kind of a file by its first bytes: `head`, of which `data` is the latest piece."""
    kind = next((kind for magic, kind in _KINDS if head.startswith(magic)), None)
    if kind is _ZIP:
        return next((zipped for name, zipped in _ZIPPED if name.search(data)), _ZIP)
    return kind


def _find_text_kind(data: bytes) -> ForeignKind | None:
    """Return the kind of a text by its first line. data: the text, or its beginning."""
    if kind := _find_markup(data):
        return kind
    beginning = data[:LONGEST].removeprefix(BOM).lstrip()
    cells = raw_lines.cut_any_line(raw_lines.find_first_line(beginning))
    # Without headings a modified LAR is known; with headings it may be a lender's own list.
    official = recognize_cells(cells)
    if official is OfficialKind.MODIFIED_LAR and cells[0].isdecimal():
        official = OfficialKind.PUBLIC_LAR
    return _PUBLIC_KINDS.get(official) if official else None


def _find_markup(data: bytes) -> ForeignKind | None:
    beginning = data[:LONGEST].removeprefix(BOM).lstrip()
    if not _MARKUP.match(beginning):
        return None
    return _WEB_SPREADSHEET if _TABLE.search(beginning) else _WEB_PAGE


class ArrivingFileCheck:
    """Checks the bytes of a file as they arrive.

    way_out: the remedy for a foreign file, which is not that of a LAR; blank for the one of its
    kind. lines: the line ends before the first of these bytes. is_beginning: whether it is the
    first byte of the file.
    """

    def __init__(self, way_out: str = "", *, lines: int = 0, is_beginning: bool = True) -> None:
        self._way_out = way_out
        self.lines = lines
        # None once the first line is known, or where it went by before.
        self._head: bytes | None = b"" if is_beginning else None

    def fault(self, data: bytes) -> str | None:
        """Return why the next bytes cannot be of a LAR, with the remedy, or None."""
        if self._head is not None and (kind := self._kind_of_beginning(data)):
            return kind.fault(self._way_out)
        if (at := data.find(b"\0")) >= 0:
            line = 1 + self.lines + data.count(b"\n", 0, at)
            return _nul(line, self._way_out or SAVE_AS_TEXT)
        self.lines += data.count(b"\n")
        return None

    def _kind_of_beginning(self, data: bytes) -> ForeignKind | None:
        head = (self._head or b"") + data[:LONGEST]
        is_new = len(self._head or b"") < _HEAD_BYTES
        self._head = None if raw_lines.has_whole_first_line(head) else head
        if is_new and (kind := _find_binary_kind(head, data)):
            return kind
        if self._way_out:  # a list, which may be any text
            return None
        return _find_text_kind(head) if self._head is None else _find_markup(head)


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
                return f"Line {line} is not UTF-8 text. {_SAVE_AS_UTF_8}"
            rest = decoder.getstate()[0]
            end = _line_end(piece, len(piece))
            column = len(piece) - end if end else column + len(piece)


def _sentences(piece: bytes, at: int, before: int, line: int) -> str:
    """Return the sentences about a byte of a piece. before: bytes of its line before the piece."""
    begins = _line_end(piece, at)
    byte = at - begins + 1 + (0 if begins else before)
    return (
        f"The file seems to be {_encoding(piece)}, not UTF-8: byte {byte:,} of line {line:,} is "
        f"{piece[at]:02X}. {_SAVE_AS_UTF_8}"
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
    text = line.decode(errors="replace")
    mark = raw_lines.find_separator(text)
    is_like_a_record = raw_lines.HAS_RECORD_ID.match(text) or text.count(mark) >= _MANY
    return SEPARATORS[mark] if mark and is_like_a_record else ""
