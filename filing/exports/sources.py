"""The lists that can be exported by a job, as each area registers them when its app is ready."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from filing.errors import NotFound

Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True)
class OpenedList:
    """A list as a user reads it: its header, the number of its rows, and their cells in chunks.

    No text may be a formula of a spreadsheet.
    """

    header: Sequence[str]
    rows: int
    chunks: Iterator[Rows]


@dataclass(frozen=True)
class ListSource:
    """A list that can be exported.

    name: of the list, which a request gives. label: of its rows, such as `submissions`. permission:
    what a user needs to read it. open: takes the user and the filters, which are the query of the
    list's address; raises BadInput for malformed ones. address: of the page that shows the list.
    """

    name: str
    label: str
    permission: str
    open: Callable[[User, str], OpenedList]
    address: str = ""


LIST_SOURCES: dict[str, ListSource] = {}


def register_list_sources(*sources: ListSource) -> None:
    """Add lists. Call this when an app is ready. Raises: ValueError for a name that is taken."""
    for source in sources:
        if LIST_SOURCES.get(source.name, source) != source:
            raise ValueError(f"There is another list named {source.name!r}.")
        LIST_SOURCES[source.name] = source


def find_source(name: str) -> ListSource:
    """Return the list of a name. Raises: NotFound."""
    if source := LIST_SOURCES.get(name):
        return source
    raise NotFound(f"There is no list named {name!r} to export.")
