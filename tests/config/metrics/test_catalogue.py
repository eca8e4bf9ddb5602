"""The table of metrics: names as Prometheus wants them, and labels that identify nobody."""

from __future__ import annotations

from config.metrics.catalogue import COUNTERS, HISTOGRAMS, METRICS

# All with few values that are known from our tables.
LABELS = {
    *("area", "method", "status", "cache", "result", "version", "part"),
    *("queue", "stage", "state", "outcome", "cause", "event", "year"),
}


def test_names_and_units_are_as_prometheus_wants_them() -> None:
    names = [metric.name for metric in METRICS]
    assert len(set(names)) == len(names)
    for metric in METRICS:
        assert metric.name.startswith("hmda_")
        assert metric.name.endswith("_total") is (metric.kind in COUNTERS)
        assert bool(metric.buckets) is (metric.kind in HISTOGRAMS)
        assert metric.buckets == tuple(sorted(metric.buckets))


def test_labels_are_of_the_known_ones() -> None:
    assert {label for metric in METRICS for label in metric.labels} == LABELS
