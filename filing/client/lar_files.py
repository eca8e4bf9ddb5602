"""A file to check: a LAR as it is, or a spreadsheet that becomes one in a temporary folder."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filing.client.transmittal import read
from filing.lar import foreign_files
from filing.lar.period import Period
from filing.spreadsheets import conversion
from filing.spreadsheets.refusals import Refusal

_HEAD_BYTES = 64 * 1024
_RECORDS = (b"1|", b"2|")
_NO_TEXT = b"\xef\xbb\xbf \t\r\n\"'"
_MOST_FINDINGS = 100_000  # among which those of cells that cannot be read are looked for
_UNUSABLE = 400  # the status of a text that is no spreadsheet


class NotChecked(ValueError):
    """The file could not be checked; the message says why."""


@dataclass(frozen=True, slots=True)
class LarFile:
    """A file to check. given: the path as given. path: of the LAR, the same if it is one.

    spreadsheet: the report of its conversion, if it is not.
    """

    given: Path
    path: Path
    period: Period
    spreadsheet: Mapping[str, Any] | None = None

    @property
    def unread(self) -> list[dict[str, Any]]:
        """The cells that cannot be read."""
        return unread_cells(self.spreadsheet) if self.spreadsheet else []


def unread_cells(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the first cells that cannot be read; hints about whole columns are left out."""
    findings: list[dict[str, Any]] = report["findings"]["first"]
    return [each for each in findings if each["kind"] == "reading" and each["line"] is not None]


@contextmanager
def opened(path: Path, period: Period | None) -> Iterator[LarFile]:
    """Give a file to check. period: default: that of its transmittal sheet.

    Raises: NotChecked, NoSheet, OSError.
    """
    if _is_lar(path):
        yield LarFile(path, path, period or read(path).period)
        return
    with tempfile.TemporaryDirectory(prefix="check-") as folder:
        result = _converted(path, Path(folder), period)
        if result is None:
            yield LarFile(path, path, period or read(path).period)
        else:
            yield LarFile(
                path,
                result.lar,
                period or read(result.lar).period,
                result.report(first=_MOST_FINDINGS),
            )


def _is_lar(path: Path) -> bool:
    """Return whether a file begins as a LAR does."""
    with path.open("rb") as file:
        return file.read(_HEAD_BYTES).lstrip(_NO_TEXT).startswith(_RECORDS)


def _converted(path: Path, folder: Path, period: Period | None) -> conversion.Conversion | None:
    """Return the LAR of a spreadsheet; None for a text without any header.

    Raises: NotChecked.
    """
    try:
        return conversion.convert(
            path,
            folder=folder,
            year=period.year if period else None,
            quarter=(period.quarter_name or "") if period else "",
        )
    except Refusal as refusal:
        fault = foreign_files.fault(path)
        if fault and foreign_files.SAVE_SPREADSHEET not in fault:
            raise NotChecked(fault) from None
        if fault or refusal.status != _UNUSABLE:
            raise NotChecked(refusal.message) from None
        return None
