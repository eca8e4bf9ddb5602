"""Pages of twenty, and the links between them, as every paged answer has them."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from filing.errors import BadInput


@dataclass(frozen=True)
class Page:
    """One page of a list of known length: which rows stand on it, and where the others are."""

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
        """How many rows stand on the page; none on a page outside the list."""
        if not 1 <= self.number <= self.last:
            return 0
        return min(self.size, self.total - self.start)

    @property
    def rows(self) -> slice:
        """The rows of the page as a slice of the list."""
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


def page(asked: str | None, total: int, *, size: int = 0) -> Page:
    """Return the page that was asked for, the first where none was. size: twenty unless given.

    Raises: BadInput when it is no whole number.
    """
    try:
        number = int(asked) if asked is not None else 1
    except ValueError:
        raise BadInput(f"The page {asked!r} is not a whole number.") from None
    return Page(number=number, total=total, size=size or settings.HMDA_PAGE_SIZE)
