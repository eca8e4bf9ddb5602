"""Threads that prepare the next items of a series while the current one is in use.

It pays for work that releases the interpreter, as work on whole columns does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def prefetch_items(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items in order, each prepared in a thread while the one before it is in use.

    One item at most is prepared ahead: memory stays bounded.
    Raises: whatever preparing an item raises, in its place.
    """
    series = iter(items)
    sentinel = object()
    with ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(next, series, sentinel)
        while (item := future.result()) is not sentinel:
            future = pool.submit(next, series, sentinel)
            yield item  # type: ignore[misc]  # whatever is not the sentinel came from the series


def map_in_parallel(
    function: Callable[[Item], Result], items: Iterable[Item], *, threads: int = 2
) -> Iterator[Result]:
    """Yield the result of the function for each item, in order, with as many at a time as threads.

    No more items than that are held: memory stays bounded.
    Raises: whatever the function raises, in its place; whatever reading an item raises, at once.
    """
    with ThreadPoolExecutor(max_workers=threads) as pool:
        pending: deque[Future[Result]] = deque()
        for item in items:
            pending.append(pool.submit(function, item))
            if len(pending) > threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
