"""Working on the next piece of a series while the last one is in use, in threads.

It pays where what is done leaves the interpreter to others, as work on columns does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


def ahead(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items in order; each is made in another thread while the one before is in use.

    No more than one item is made ahead, so that memory stays bounded.
    Raises: whatever the making of an item raises, in its place.
    """
    series = iter(items)
    end = object()
    with ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(next, series, end)
        while (item := future.result()) is not end:
            future = pool.submit(next, series, end)
            yield item  # type: ignore[misc]  # whatever is not the end came from the series


def side_by_side(
    make: Callable[[Item], Made], items: Iterable[Item], *, threads: int = 2
) -> Iterator[Made]:
    """Yield what is made of each item, in their order; as many are made at a time as threads.

    No more items than that are held, so that memory stays bounded.
    Raises: whatever `make` raises, in its place; what the reading of an item raises, at once.
    """
    with ThreadPoolExecutor(max_workers=threads) as pool:
        waiting: deque[Future[Made]] = deque()
        for item in items:
            waiting.append(pool.submit(make, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
