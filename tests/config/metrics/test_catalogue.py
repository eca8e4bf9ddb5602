"""The table of metrics: names as Prometheus wants them, and labels that identify nobody."""

from __future__ import annotations

from config.metrics.catalogue import METRICS

# All with few values that are known from our tables.
LABELS = {
    *("area", "method", "status", "cache", "result", "version", "part"),
    *("queue", "stage", "state", "outcome", "cause", "event", "year"),
}


def test_labels_are_of_the_known_ones() -> None:
    assert {label for metric in METRICS for label in metric.labels} == LABELS
