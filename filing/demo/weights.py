"""Draws from tables of values, each with a weight that says how often it comes."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import TypeVar

T = TypeVar("T")


def repeated(weights: Mapping[T, int]) -> list[T]:
    """Return each value as often as its weight says, to draw from alike."""
    return [value for value, weight in weights.items() for _ in range(weight)]


def chosen(random: Random, weights: Mapping[T, int], size: int) -> list[T]:
    """Return so many values at random."""
    return random.choices(list(weights), weights=list(weights.values()), k=size)
