"""Counters and histograms: every series from the beginning, and buckets that add up."""

from __future__ import annotations

from config.metrics.catalogue import Kind, Metric
from config.metrics.counters import Counter, Histogram
from config.metrics.shared_memory import Numbers

COUNTS = Metric("meals_total", Kind.COUNTER, "Meals.", ("guest", "course"))
SECONDS = Metric("meal_seconds", Kind.HISTOGRAM, "Seconds of meals.", ("guest",), (1, 2.5))


def test_every_series_is_there_before_its_first_event() -> None:
    counter = Counter(COUNTS, ("ann", "bob"), ("soup", "cake"), numbers=Numbers(rows=1))
    counter.count("bob", "cake")
    samples = {(each.name, *each.labels.values()): each.value for each in counter.family().samples}
    assert samples == {
        ("meals_total", "ann", "soup"): 0,
        ("meals_total", "ann", "cake"): 0,
        ("meals_total", "bob", "soup"): 0,
        ("meals_total", "bob", "cake"): 1,
    }


def test_a_bucket_counts_all_that_took_at_most_its_seconds() -> None:
    histogram = Histogram(SECONDS, ("ann",), numbers=Numbers(rows=1))
    for seconds in (0.5, 1, 1.5, 60):
        histogram.observe(seconds, "ann")
    samples = {
        (each.name, each.labels.get("le", "")): each.value for each in histogram.family().samples
    }
    assert samples == {
        ("meal_seconds_bucket", "1"): 2,
        ("meal_seconds_bucket", "2.5"): 3,
        ("meal_seconds_bucket", "+Inf"): 4,
        ("meal_seconds_count", ""): 4,
        ("meal_seconds_sum", ""): 63,
    }
