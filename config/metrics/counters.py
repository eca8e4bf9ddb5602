"""Counters and histograms of web processes. All label values are known from the beginning.

So each series is there before its first event, and rates over it are right.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, product

from prometheus_client.metrics_core import Metric as MetricFamily

from config.metrics.catalogue import Metric
from config.metrics.shared_memory import NUMBERS, Numbers

Labels = tuple[str, ...]


class Counter:
    """Counts events by their labels. values: those of each label of the metric."""

    def __init__(self, metric: Metric, *values: Sequence[str], numbers: Numbers = NUMBERS) -> None:
        self._metric, self._numbers = metric, numbers
        self._labels = list(product(*values))
        first = numbers.reserve(len(self._labels))
        self._first = first
        self._cells = {labels: first + at for at, labels in enumerate(self._labels)}

    def count(self, *labels: str) -> None:
        """Count one event."""
        self._numbers.add((self._cells[labels], 1))

    def family(self) -> MetricFamily:
        """Return the counts of all processes."""
        family = self._metric.family()
        totals = self._numbers.totals(self._first, len(self._labels))
        for labels, total in zip(self._labels, totals, strict=True):
            family.add_metric(labels, total)
        return family


class Histogram:
    """Counts durations by their length and labels. values: those of each label of the metric."""

    def __init__(self, metric: Metric, *values: Sequence[str], numbers: Numbers = NUMBERS) -> None:
        self._metric, self._numbers = metric, numbers
        self._labels = list(product(*values))
        self._width = len(metric.buckets) + 2  # one bucket without an end, and the sum
        self._first = numbers.reserve(len(self._labels) * self._width)
        self._cells = {
            labels: self._first + at * self._width for at, labels in enumerate(self._labels)
        }

    def observe(self, seconds: float, *labels: str) -> None:
        """Count one duration."""
        first = self._cells[labels]
        bucket = first + bisect_left(self._metric.buckets, seconds)
        self._numbers.add((bucket, 1), (first + self._width - 1, seconds))

    def family(self) -> MetricFamily:
        """Return the counts of all processes."""
        family = self._metric.family()
        totals = self._numbers.totals(self._first, len(self._labels) * self._width)
        for at, labels in enumerate(self._labels):
            *counts, seconds = totals[at * self._width : (at + 1) * self._width]
            family.add_metric(labels, cumulative(self._metric, counts), seconds)
        return family


def cumulative(metric: Metric, counts: Sequence[float]) -> list[tuple[str, float]]:
    """Return the buckets as the format has them: each counts what took at most its seconds."""
    ends = [*(f"{end:g}" for end in metric.buckets), "+Inf"]
    return list(zip(ends, accumulate(counts), strict=True))
