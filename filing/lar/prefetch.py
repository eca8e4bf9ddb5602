"""Threads that work on the next items of a series while the current one is in use.

It pays for work that releases the interpreter, as work on whole columns does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


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
