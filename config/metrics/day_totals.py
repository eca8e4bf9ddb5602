"""Counts of what happened since midnight, read again and again at little cost.

A counter since midnight is the same from every process, whenever it started. Monitoring takes the
fall to 0 at midnight for a restart, and its rates are right.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

# A row is written in the transaction that it reports on, which ends long before this.
SETTLES_AFTER = timedelta(minutes=5)
STEP = timedelta(minutes=5)  # at least, by which the settled part grows

Counts = dict[tuple[str, ...], float]


class DayTotals:
    """The counts of a day. What is older than some minutes is read once and kept.

    count: returns the counts between two times, the first included.
    """

    def __init__(self, count: Callable[[datetime, datetime], Counts]) -> None:
        self._count = count
        self._settled_until = datetime.min.replace(tzinfo=UTC)
        self._settled: Counts = {}

    def at(self, now: datetime) -> Counts:
        """Return the counts from midnight until now. Only one thread at a time may call this."""
        midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        if not midnight <= self._settled_until <= now:
            self._settled_until, self._settled = midnight, {}
        until = now - SETTLES_AFTER
        if until - self._settled_until >= STEP:
            self._settled = _sum(self._settled, self._count(self._settled_until, until))
            self._settled_until = until
        return _sum(self._settled, self._count(self._settled_until, now))


def _sum(first: Counts, second: Counts) -> Counts:
    return {key: first.get(key, 0) + second.get(key, 0) for key in first.keys() | second.keys()}
