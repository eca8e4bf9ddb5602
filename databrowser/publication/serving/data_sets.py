"""Which data sets are public now: the one place where readers ask."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from databrowser.models import LiveVersion
from databrowser.publication.layout import LOANS, SERVING
from filing import storage


@dataclass(frozen=True, slots=True)
class LiveYear:
    """The public data set of one year, as it stays while a request is answered.

    version: its number in the year. name: what it is called, such as `2023-4`. sha256: of its
    manifest, hence of all that is in it. folder: where its files lie in storage. is_demo: some rows
    are made up.
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
        """A DuckDB file on this machine, for answers."""
        return storage.local(f"{self.folder}/{SERVING}")

    @property
    def parquet(self) -> Path:
        """A file on this machine with all rows and columns, sorted by place and institution."""
        return storage.local(f"{self.folder}/{LOANS}")


def live() -> tuple[LiveYear, ...]:
    """Return what is public, by year. To be asked once per request: the answer is one snapshot."""
    found = LiveVersion.objects.order_by("year").values_list(
        *("version__year", "version__number", "version__rows", "version__sha256"),
        *("version__folder", "version__is_demo"),
    )
    return tuple(
        LiveYear(year, number, f"{year}-{number}", rows, sha256, folder, is_demo)
        for year, number, rows, sha256, folder, is_demo in found
    )
