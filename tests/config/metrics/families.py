"""The values of a metric, as families of series have them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def read_values(families: Iterable[Any], name: str, **labels: str) -> dict[tuple[str, ...], float]:
    """Return the values that are not zero, by the labels that are not given."""
    samples = (sample for family in families for sample in family.samples)
    return {
        tuple(value for label, value in sample.labels.items() if label not in labels): sample.value
        for sample in samples
        if sample.name == name and labels.items() <= sample.labels.items() and sample.value
    }
