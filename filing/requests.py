"""What all requests share: ids, pages of lists, slots for heavy work, unknown parameters.

The id of a request, such as 7F3K-9QXM-2BTD, is short enough to read out on the phone. A number of
requests of a web process may do the same heavy work at once, each in a slot. The headers of
resumable uploads are here because pages of other sites may send and read them.

Source: tus resumable upload protocol 1.0, https://tus.io/protocols/resumable-upload
"""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from filing.errors import BadInput, Refusal

# No vowels, so that no id spells a word; no 0, 1 and L, which look like O and I.
LETTERS = "23456789BCDFGHJKMNPQRSTVWXYZ"
_GROUP, _GROUPS = 4, 3
_ID = re.compile(rf"[{LETTERS}]{{{_GROUP * _GROUPS}}}")
SLOT_WAIT_SECONDS = 2  # for a slot, before the caller is refused
UNKNOWN_PARAMETERS_HEADER = "X-Unknown-Parameters"
MOST_NAMES = 10
LONGEST_NAME = 60  # characters of a name
TUS_VERSION = "1.0.0"
TUS_EXTENSIONS = "creation,checksum,termination"
TUS_REQUEST_HEADERS: tuple[str, ...] = (
    "tus-resumable",
    "upload-checksum",
    "upload-length",
    "upload-metadata",
    "upload-offset",
)
TUS_RESPONSE_HEADERS: tuple[str, ...] = (
    "location",
    *("tus-resumable", "tus-version", "tus-extension", "tus-max-size", "tus-checksum-algorithm"),
    *("upload-length", "upload-metadata", "upload-offset"),
)


@dataclass(frozen=True)
class ListPage:
    """One page of a list of known length: its rows, and the pages around it."""

    number: int
    total: int
    size: int

    @property
    def last(self) -> int:
        return -(-self.total // self.size)

    @property
    def previous(self) -> int:
        """The number of the page before."""
        return max(1, self.number - 1)

    @property
    def next(self) -> int:
        """The number of the page after."""
        return min(self.last, self.number + 1)

    @property
    def start(self) -> int:
        """The index of the first row on the page."""
        return (self.number - 1) * self.size

    @property
    def count(self) -> int:
        """The number of rows on the page; 0 for a page outside the list."""
        if not 1 <= self.number <= self.last:
            return 0
        return min(self.size, self.total - self.start)

    @property
    def rows(self) -> slice:
        """The rows on the page, as a slice of the list."""
        return slice(self.start, self.start + self.count) if self.count else slice(0, 0)

    def links(self, address: str) -> dict[str, str]:
        """Return the `_links` object of a paged answer at this address."""
        last = self.last
        return {
            "href": f"{address}{{rel}}",
            "self": f"?page={self.number}",
            "first": "?page=1",
            "prev": f"?page={self.previous}",
            "next": f"?page={self.next}",
            "last": f"?page={last}",
        }


def select_page(requested: str | None, total: int, *, size: int = 0) -> ListPage:
    """Return the requested page, by default the first. size: by default that of the settings.

    Raises: BadInput when it is not a whole number.
    """
    try:
        number = int(requested) if requested is not None else 1
    except ValueError:
        raise BadInput(f"The page {requested!r} is not a whole number.") from None
    return ListPage(number=number, total=total, size=size or settings.HMDA_PAGE_SIZE)


def read_day(requested: str | None) -> date | None:
    """Return the requested day, or None for a blank. Raises: BadInput when it is not one."""
    text = (requested or "").strip()
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise BadInput(f"{text[:40]!r} is not a day; enter one such as 2026-06-30.") from None


def read_year(text: str) -> int:
    """Return the year of an address, or 0, which no year is, for anything but four digits."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) == 4 else 0


def make_request_id(choice: Callable[[str], str] = secrets.choice) -> str:
    """Return a new random id, one of 28 to the power of 12."""
    return _with_hyphens("".join(choice(LETTERS) for _ in range(_GROUP * _GROUPS)))


def normalize_request_id(text: str) -> str:
    """Return an id in its stored form, however a person typed it; other texts unchanged."""
    letters = re.sub(r"[\s-]", "", text).upper()
    return _with_hyphens(letters) if _ID.fullmatch(letters) else text


def is_request_id(text: str) -> bool:
    """Tell whether a text has the form of an id, however a person typed it."""
    return bool(_ID.fullmatch(re.sub(r"[\s-]", "", text).upper()))


def _with_hyphens(letters: str) -> str:
    return "-".join(letters[at : at + _GROUP] for at in range(0, len(letters), _GROUP))


class RequestSlots:
    """A number of slots. busy: the refusal of a caller who gets none."""

    def __init__(self, number: int, busy: Callable[[], Refusal]) -> None:
        self.number, self._busy = number, busy
        self._free = threading.BoundedSemaphore(number)

    @contextmanager
    def take(self, *, wait_seconds: float = SLOT_WAIT_SECONDS) -> Iterator[None]:
        """Take a slot, and free it in the end. Raises: the refusal, when none becomes free."""
        if not self._free.acquire(timeout=wait_seconds):
            raise self._busy()
        try:
            yield
        finally:
            self._free.release()


def find_unknown_parameters(parameters: Iterable[str], known: Collection[str]) -> list[str]:
    """Return the first names that are not known, in the order of the query, shortened."""
    unknown = [name[:LONGEST_NAME] for name in parameters if name and name not in known]
    return unknown[:MOST_NAMES]


def encode_unknown_parameters(unknown: Iterable[str]) -> str:
    """Return the value of the header: names separated by commas, other characters escaped."""
    return ", ".join(quote(name, safe="", errors="replace")[:LONGEST_NAME] for name in unknown)


def describe_unknown_parameters(parameters: Iterable[str], known: Collection[str]) -> list[str]:
    """Return a sentence about each unknown parameter, with the known one that is most like it."""
    return [
        f"{name} is not a filter here."
        + "".join(f" Did you mean {like}?" for like in get_close_matches(name, known, n=1))
        for name in find_unknown_parameters(parameters, known)
    ]


def release_connection() -> None:
    """Give up the connection, which a request that waits for minutes need not keep from others."""
    if not connection.in_atomic_block:
        connection.close()
