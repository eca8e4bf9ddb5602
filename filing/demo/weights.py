"""Random draws from tables of values, each with a weight that says how often it occurs."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import TypeVar

T = TypeVar("T")


def repeated(weights: Mapping[T, int]) -> list[T]:
    """Return each value as often as its weight says, for draws with equal chances."""
    return [value for value, weight in weights.items() for _ in range(weight)]


def draw(random: Random, weights: Mapping[T, int], size: int) -> list[T]:
    """Return this number of random values."""
    return random.choices(list(weights), weights=list(weights.values()), k=size)
