"""What a file that is not UTF-8 text seems to be, where it first shows, and the remedy."""

from __future__ import annotations

import codecs
from pathlib import Path

_READ_BYTES = 1 << 20
_REMEDY = "Save the file as UTF-8 and upload it again."


def explain(path: Path, *, line: int) -> str:
    """Return what is wrong with a file of which a line is not UTF-8, where, and what to do.

    line: the first such line, counted from 1.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    # What the decoder keeps between two pieces: the beginning of a character.
    column, kept = 0, b""
    with path.open("rb") as file:
        while True:
            piece = file.read(_READ_BYTES)
            try:
                decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as error:
                return _sentences(kept + piece, error.start, column - len(kept), line)
            if not piece:
                return f"Line {line} is not UTF-8 text. {_REMEDY}"
            kept = decoder.getstate()[0]
            end = _line_end(piece, len(piece))
            column = len(piece) - end if end else column + len(piece)


def _sentences(piece: bytes, at: int, before: int, line: int) -> str:
    """Return the sentences about a byte of a piece. before: bytes of its line before the piece."""
    begins = _line_end(piece, at)
    byte = at - begins + 1 + (0 if begins else before)
    return (
        f"The file seems to be {_kind(piece)}, not UTF-8: byte {byte:,} of line {line:,} is "
        f"{piece[at]:02X}. {_REMEDY}"
    )


def _line_end(piece: bytes, end: int) -> int:
    """Return where the last line before a place begins; 0 where the piece has no line end."""
    return max(piece.rfind(b"\n", 0, end), piece.rfind(b"\r", 0, end)) + 1


def _kind(piece: bytes) -> str:
    if piece.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in piece:
        return "UTF-16"
    try:
        piece.decode("windows-1252")
    except UnicodeDecodeError:
        return "text in another encoding"
    return "Windows-1252 (Latin-1)"
