"""Making the next piece of a series while the last one is worked on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")


def ahead(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items in order; each is made in another thread while the one before is in use.

    No more than one item is made ahead, so that memory stays bounded.
    Raises: whatever the making of an item raises, in its place.
    """
    series = iter(items)
    end = object()
    with ThreadPoolExecutor(max_workers=1) as maker:
        future = maker.submit(next, series, end)
        while (item := future.result()) is not end:
            future = maker.submit(next, series, end)
            yield item  # type: ignore[misc]  # whatever is not the end came from the series
