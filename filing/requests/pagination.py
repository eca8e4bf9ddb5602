"""The pages of paged answers, and the links between them."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from filing.errors import BadInput


@dataclass(frozen=True)
class Page:
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


def page(requested: str | None, total: int, *, size: int = 0) -> Page:
    """Return the requested page, by default the first. size: by default that of the settings.

    Raises: BadInput when it is not a whole number.
    """
    try:
        number = int(requested) if requested is not None else 1
    except ValueError:
        raise BadInput(f"The page {requested!r} is not a whole number.") from None
    return Page(number=number, total=total, size=size or settings.HMDA_PAGE_SIZE)
