"""Which files are accepted: their kind, by their content, the limits, and the refusal."""

from __future__ import annotations

import mmap
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filing.lar.foreign_files import find_foreign_kind
from filing.lar.raw_lines import LONGEST

MEGABYTE = 1024**2

SAVE_AS = "save the spreadsheet as .xlsx, .xls, .xlsb, .ods or CSV."
_OLE, _ZIP = b"\xd0\xcf\x11\xe0", b"PK\x03\x04"
_MOST_PARTS = 10_000
_LONGEST_TYPE = 100
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_PARTS = {"xl/workbook.xml": "xlsx", "xl/workbook.bin": "xlsb"}
_ODS = b"application/vnd.oasis.opendocument.spreadsheet"


class SpreadsheetRefusal(Exception):
    """The file or a wish cannot be used. The message is for the caller.

    status: 400, 413, 415 or 422. report: with 422, the report that says why; else None.
    """

    def __init__(self, status: int, message: str, report: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.report = report


class MissingHeader(SpreadsheetRefusal):
    """No row names enough fields."""

    def __init__(self, message: str) -> None:
        super().__init__(400, message)


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """The limits of reading a spreadsheet.

    size: of the file as sent. unpacked: how many times `size` a workbook may unpack to. rows:
    with data. text: of all cells, however often the file repeats one. memory, seconds: of the
    process that reads and converts it; the memory is its own, without that of shared libraries.
    Units: bytes; of text characters; seconds.
    """

    size: int = 100 * MEGABYTE
    rows: int = 100_000
    columns: int = 400
    unpacked: int = 20
    text: int = 100 * MEGABYTE
    memory: int = 700 * MEGABYTE
    seconds: int = 120


def find_workbook_kind(path: Path, limits: ReadingLimits) -> str | None:
    """Return the kind of a workbook, or None for a file that may be text.

    Raises: SpreadsheetRefusal, for a file that is empty, too large, or of another kind.
    """
    size = path.stat().st_size
    if size > limits.size:
        raise SpreadsheetRefusal(
            413,
            f"The file has {size:,} bytes: at most {limits.size:,} are accepted.",
        )
    with path.open("rb") as file:
        head = file.read(LONGEST)
    if not head.strip():
        raise MissingHeader("The file is empty: no header row was found.")
    kind = find_foreign_kind(head)
    if kind and not (kind.is_workbook or kind.is_other_text or head.startswith(_ZIP)):
        raise SpreadsheetRefusal(415, f"This is {kind.name}: {SAVE_AS}")
    if head.startswith(_OLE):
        return _old_workbook(path)
    return _zipped_workbook(path, limits) if head.startswith(_ZIP) else None


def _old_workbook(path: Path) -> str:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data.find(_ENCRYPTED) >= 0:
            raise SpreadsheetRefusal(
                415, "The workbook has a password: save it without a password."
            )
        if all(data.find(name.encode("utf-16-le")) < 0 for name in ("Workbook", "Book")):
            raise SpreadsheetRefusal(415, f"This is not a workbook: {SAVE_AS}")
    return "xls"


def _zipped_workbook(path: Path, limits: ReadingLimits) -> str:
    try:
        with zipfile.ZipFile(path) as parts:
            infos = {info.filename: info for info in parts.infolist()}
            _require_size(list(infos.values()), limits)
            for part, kind in _PARTS.items():
                if part in infos:
                    return kind
            mimetype = infos.get("mimetype")
            if mimetype and mimetype.file_size < _LONGEST_TYPE and parts.read(mimetype) == _ODS:
                return "ods"
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError) as error:
        raise SpreadsheetRefusal(415, f"The workbook is broken: open it and {SAVE_AS}") from error
    raise SpreadsheetRefusal(415, f"This is a zip archive without a spreadsheet: {SAVE_AS}")


def _require_size(parts: list[zipfile.ZipInfo], limits: ReadingLimits) -> None:
    """Refuse a workbook that would unpack to too much, by its own table of contents.

    No part can unpack to more than that table says.
    """
    unpacked = sum(part.file_size for part in parts)
    most = limits.unpacked * limits.size
    if unpacked > most:
        raise SpreadsheetRefusal(
            413,
            f"The workbook unpacks to {unpacked // MEGABYTE:,} MB: at most "
            f"{most // MEGABYTE:,} MB are accepted.",
        )
    if len(parts) > _MOST_PARTS:
        raise SpreadsheetRefusal(
            413, f"The workbook has {len(parts):,} parts: at most {_MOST_PARTS:,} are accepted."
        )
