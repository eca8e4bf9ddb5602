"""Cells with errors in XLS workbooks.

Source: [MS-CFB], sections 2.2 to 2.6 (the container); [MS-XLS], sections 2.4.24 (BoolErr), 2.4.28
(BoundSheet8), 2.4.127 (Formula), 2.5.10 (BErr).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

ERRORS = {
    0x00: "#NULL!",
    0x07: "#DIV/0!",
    0x0F: "#VALUE!",
    0x17: "#REF!",
    0x1D: "#NAME?",
    0x24: "#NUM!",
    0x2A: "#N/A",
    0x2B: "#GETTING_DATA",
}
_FORMULA, _BOOL_OR_ERROR, _SHEET, _END = 0x06, 0x205, 0x85, 0x0A
_LAST_SECTOR = 0xFFFFFFFA
_ERROR_VALUE = 2
_SMALL_STREAM = 4096


def faults(path: Path, sheet: str) -> dict[int, dict[int, str]]:
    """Return the errors of a sheet by row and column."""
    stream = _stream(path.read_bytes())
    found: dict[int, dict[int, str]] = {}
    for kind, body in _records(stream, _begin(stream, sheet)):
        error = None
        if kind == _FORMULA and body[12:14] == b"\xff\xff" and body[6] == _ERROR_VALUE:
            error = body[8]
        elif kind == _BOOL_OR_ERROR and body[7]:
            error = body[6]
        if error is not None:
            row, column = struct.unpack_from("<HH", body)
            found.setdefault(row + 1, {})[column] = ERRORS.get(error, "#ERROR!")
    return found


def _begin(stream: bytes, sheet: str) -> int:
    """Return where the records of a sheet begin."""
    for kind, body in _records(stream, 0):
        if kind == _SHEET:
            length, is_wide = body[6], body[7] & 1
            data = body[8 : 8 + length * (2 if is_wide else 1)]
            if data.decode("utf-16-le" if is_wide else "latin-1") == sheet:
                return int(struct.unpack_from("<I", body)[0])
    raise LookupError(sheet)


def _records(stream: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """Yield the records from a beginning to the end of its part; charts within are parts, too."""
    while at + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, at)
        if kind == _END:
            return
        yield kind, stream[at + 4 : at + 4 + size]
        at += 4 + size


def _stream(data: bytes) -> bytes:
    """Return the stream of the workbook out of its container."""
    size = 1 << struct.unpack_from("<H", data, 30)[0]
    fat = _fat(data, size)
    directory = _chain(data, fat, size, struct.unpack_from("<I", data, 48)[0])
    for at in range(0, len(directory), 128):
        entry = directory[at : at + 128]
        name = entry[: max(struct.unpack_from("<H", entry, 64)[0] - 2, 0)].decode("utf-16-le")
        if name in ("Workbook", "Book"):
            first, length = struct.unpack_from("<II", entry, 116)
            if length < _SMALL_STREAM:
                return _small(data, fat, size, directory, first, length)
            return _chain(data, fat, size, first)[:length]
    raise LookupError("Workbook")


def _small(
    data: bytes, fat: list[int], size: int, directory: bytes, first: int, length: int
) -> bytes:
    """Return a stream that lies in the small sectors of the container."""
    small_size = 1 << struct.unpack_from("<H", data, 32)[0]
    small_fat = _numbers(_chain(data, fat, size, struct.unpack_from("<I", data, 60)[0]))
    small = _chain(data, fat, size, struct.unpack_from("<I", directory, 116)[0])
    return _chain(small, small_fat, small_size, first, head=0)[:length]


def _fat(data: bytes, size: int) -> list[int]:
    sectors = list(struct.unpack_from("<109I", data, 76))
    following, count = struct.unpack_from("<II", data, 68)
    for _ in range(count):
        block = _numbers(data[(following + 1) * size : (following + 2) * size])
        sectors += block[:-1]
        following = block[-1]
    return [
        number
        for sector in sectors
        if sector < _LAST_SECTOR
        for number in _numbers(data[(sector + 1) * size : (sector + 2) * size])
    ]


def _chain(data: bytes, fat: list[int], size: int, sector: int, *, head: int = 1) -> bytes:
    """Return the sectors that follow each other. head: sectors before the first."""
    pieces: list[bytes] = []
    while sector < _LAST_SECTOR:
        if len(pieces) > len(fat):
            raise ValueError("The sectors of the file run in a circle.")
        pieces.append(data[(sector + head) * size : (sector + head + 1) * size])
        sector = fat[sector]
    return b"".join(pieces)


def _numbers(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4]))
