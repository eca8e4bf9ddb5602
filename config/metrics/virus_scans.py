"""Counts of virus scans by their result."""

from __future__ import annotations

from config.metrics.catalogue import SCANS
from config.metrics.counters import make_counter
from filing.scanning import scans

COUNTS = make_counter(SCANS, scans.RESULTS)
scans.count_by(lambda result: COUNTS.labels(result).inc())
