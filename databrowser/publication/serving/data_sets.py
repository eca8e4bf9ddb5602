"""The data sets that are published now. All readers get them from here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from databrowser.publication.layout import LOANS, SERVING
from databrowser.publication.versions import live_versions
from filing import storage


@dataclass(frozen=True, slots=True)
class LiveYear:
    """The published data set of one year, unchanged while a request is answered.

    version: its number within the year. name: such as `2023-4`. sha256: of its manifest, and so of
    all its content. folder: of its files in storage. is_demo: some records are made up.
    """

    year: int
    version: int
    name: str
    rows: int
    sha256: str
    folder: str
    is_demo: bool = False

    @property
    def serving(self) -> Path:
        """The serving file, on this machine."""
        return storage.local(f"{self.folder}/{SERVING}")

    @property
    def parquet(self) -> Path:
        """The Parquet file on this machine with all records, sorted by place and institution."""
        return storage.local(f"{self.folder}/{LOANS}")


def live() -> tuple[LiveYear, ...]:
    """Return the published data sets by year. Call it once per request, for a single snapshot."""
    published = live_versions.published_versions().values_list(
        *("version__year", "version__number", "version__rows", "version__sha256"),
        *("version__folder", "version__is_demo"),
    )
    return tuple(
        LiveYear(year, number, f"{year}-{number}", rows, sha256, folder, is_demo)
        for year, number, rows, sha256, folder, is_demo in published
    )
