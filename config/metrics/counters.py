"""What web processes count, added up for one server by the files of `prometheus_client`.

The files are named by slots: the process that follows in a slot goes on with its files, so there
are never more than processes at a time, and no count is lost. All label values are known from the
beginning, so each series is there before its first event, and rates over it are right.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from itertools import count, product
from pathlib import Path
from typing import Any, TypeVar

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, values
from prometheus_client.metrics_core import Metric as MetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

from config.metrics.catalogue import Metric

_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # the variable that the library reads
# In memory: on a full disk, a write to a mapped file would end the process.
_MEMORY = "/dev/shm"  # noqa: S108 -- the folder in it has a random name
_PREFIX = "hmda-metrics-"  # then the number of the process that made it
_REGISTRY = CollectorRegistry()
_series: list[tuple[Any, list[tuple[str, ...]]]] = []
_folder = ""  # of this server, made for its first process

Collected = TypeVar("Collected", Counter, Histogram)

disable_created_metrics()


def make_counter(metric: Metric, *labels: Sequence[str]) -> Counter:
    """Return a counter with all its series at 0. labels: the values of each label."""
    counter = Counter(metric.name, metric.text, metric.labels, registry=_REGISTRY)
    return _with_series(counter, labels)


def make_histogram(metric: Metric, *labels: Sequence[str]) -> Histogram:
    """Return a histogram with all its series at 0. labels: the values of each label."""
    histogram = Histogram(
        metric.name, metric.text, metric.labels, registry=_REGISTRY, buckets=metric.buckets
    )
    return _with_series(histogram, labels)


def process_metrics() -> Iterable[MetricFamily]:
    """Return the counts of all processes of this server; of this process under any other."""
    if folder := os.environ.get(_FOLDER):
        return MultiProcessCollector(None, folder).collect()
    return _REGISTRY.collect()


def assign_slot(worker: Any, workers: Iterable[Any]) -> None:
    """Give a process that the web server is about to fork the first slot that is free.

    workers: the processes that are running, those too that finish their requests.
    """
    global _folder
    if not _folder:
        _folder = _make_folder()
    taken = {getattr(each, "slot", None) for each in workers}
    worker.slot = next(slot for slot in count() if slot not in taken)


def use_slot(worker: Any) -> None:
    """Count into the files of a slot from now on. Call this in the process of the slot.

    All series are written at once, so a later count needs no more space.
    """
    for metric, _ in _series:
        metric.clear()
    os.environ[_FOLDER] = _folder
    values.ValueClass = values.MultiProcessValue(process_identifier=lambda: worker.slot)
    for metric, series in _series:
        _begin(metric, series)


def remove_folder() -> None:
    """Delete the files of all slots, when the web server ends."""
    global _folder
    shutil.rmtree(_folder, ignore_errors=True)
    _folder = ""


def _make_folder() -> str:
    """Return a new folder, without those of servers that were killed."""
    parent = _MEMORY if os.access(_MEMORY, os.W_OK) else tempfile.gettempdir()
    for former in Path(parent).glob(f"{_PREFIX}*"):
        process = former.name.removeprefix(_PREFIX).partition("-")[0]
        if process == str(os.getpid()) or not Path("/proc", process).exists():
            shutil.rmtree(former, ignore_errors=True)
    return tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=parent)


def _with_series(metric: Collected, labels: Sequence[Sequence[str]]) -> Collected:
    series = list(product(*labels))
    _series.append((metric, series))
    _begin(metric, series)
    return metric


def _begin(metric: Any, series: list[tuple[str, ...]]) -> None:
    for labels in series:
        metric.labels(*labels)
