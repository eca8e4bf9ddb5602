"""Pipe files, which are taken over as they are: in UTF-8, each line with LF at its end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from filing.lar.blocks import NotText, blocks
from filing.lar.fields import TRANSMITTAL_SHEET
from filing.spreadsheets import checking
from filing.spreadsheets.checking import Records
from filing.spreadsheets.names import SHEET_PREFIX
from filing.spreadsheets.refusals import Refusal
from filing.spreadsheets.rules.steps import Log
from filing.spreadsheets.transmittal import Source, TransmittalSheet

_CODECS = {"UTF-8": "utf-8-sig", "UTF-16": "utf-16", "Windows-1252": "cp1252"}
_READ = 1 << 20
_NO_SHEET = "The file has no transmittal sheet; enter it, or add it as the first line."


def take_over(
    path: Path, target: Path, given: Mapping[str, str], encoding: str | None, log: Log
) -> tuple[Records, TransmittalSheet]:
    """Write the file to another, and return its records and its transmittal sheet.

    given: the transmittal sheet of a file without one.
    Raises: Refusal, for a line that is not text.
    """
    plain = target.with_name("plain")
    with (
        path.open(encoding=_CODECS[encoding or "UTF-8"], newline="") as source,
        plain.open("wb") as copy,
    ):
        while piece := source.read(_READ):
            copy.write(piece.encode())
    try:
        _lines(plain, target, given, log)
        records = checking.read(target)
    except NotText as error:
        raise Refusal(400, str(error)) from None
    values = dict.fromkeys((field.name for field in TRANSMITTAL_SHEET), "")
    if records.sheet.height:
        values |= records.sheet.drop("row").row(0, named=True)
    sources = {name: Source(text, 1) for name, text in values.items() if text}
    return records, TransmittalSheet(values, sources)


def _lines(plain: Path, target: Path, given: Mapping[str, str], log: Log) -> None:
    """Write the lines with LF, trimmed of outer blanks and without blank ones."""
    with plain.open("rb") as file, target.open("wb") as out:
        for block in blocks(file):
            if block.row == 0 and not block.data.lstrip(b' "').startswith(b"1|"):
                out.write(_sheet_line(given, log))
            lines = (line.strip(b" \t\r\n\0") for line in block.data.split(b"\n"))
            out.writelines(line + b"\n" for line in lines if line)


def _sheet_line(given: Mapping[str, str], log: Log) -> bytes:
    if not given:
        cell = pl.DataFrame({"row": [0], "value": [""]}, schema_overrides={"row": pl.UInt32})
        log.doubt(f"{SHEET_PREFIX}record_id", "missing", _NO_SHEET, cell)
    values = {"record_id": "1", **given}
    line = "|".join(values.get(field.name, "") for field in TRANSMITTAL_SHEET)
    return line.replace("\n", " ").encode() + b"\n"
