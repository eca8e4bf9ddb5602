"""All aggregate reports of a year in a ZIP archive, which is made while it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, cast
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from databrowser.reports import catalogue
from databrowser.reports.catalogue import ReportSource
from databrowser.reports.definitions import AGGREGATE, list_definitions
from filing.day_hours import to_filing_zone


class _Pieces:
    """A file that keeps only what has not been taken yet. It cannot be read or sought."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._written.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        pass

    def take(self) -> bytes:
        """Return what was written since it was last taken."""
        taken, self._written = b"".join(self._written), []
        return taken


def write_archive(source: ReportSource) -> Iterator[bytes]:
    """Yield an archive with each aggregate report as JSON and as CSV, report after report.

    The same reports give the same bytes.
    """
    pieces = _Pieces()
    file = cast("IO[bytes]", pieces)
    at = to_filing_zone(source.report_date)
    counted = (at.year, at.month, at.day, at.hour, at.minute, at.second)
    with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=4) as archive:
        for names in source.list_msa_mds():
            for definition in list_definitions(AGGREGATE):
                report = catalogue.Report(definition, source, names)
                stem = f"{names.id}/{report.csv_name.removesuffix('.csv')}"
                for ending, text in (("json", report.json), ("csv", report.write_csv())):
                    entry = ZipInfo(f"{stem}.{ending}", counted)
                    entry.compress_type = ZIP_DEFLATED
                    archive.writestr(entry, text)
                    yield pieces.take()
    yield pieces.take()
