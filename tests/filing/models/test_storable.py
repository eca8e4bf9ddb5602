"""Which texts every database stores."""

from __future__ import annotations

from typing import Any

import pytest

from filing.storable_text import is_storable


@pytest.mark.parametrize("bad", ["a\0b", "\ud800", "b\ud83d", "\udc00\ud800"])
def test_nul_and_halves_of_surrogate_pairs_are_found_wherever_they_stand(bad: str) -> None:
    for value in (bad, [bad], {bad: 1}, {"a": bad}, {"a": [1, {"b": ["c", {"d": bad}]}]}):
        assert not is_storable(value)


def test_a_value_may_be_nested_as_deeply_as_it_likes() -> None:
    value: Any = "\0"
    for _ in range(100_000):
        value = [value]
    assert not is_storable(value)
    while isinstance(value, list):  # else it is taken apart by recursion
        value = value.pop()
