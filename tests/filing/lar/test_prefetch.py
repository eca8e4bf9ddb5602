"""Pieces that are worked on in threads come in order, and few at a time."""

import threading
from collections.abc import Iterator

import pytest

from filing.lar.prefetch import map_in_parallel


def counted(read: list[int]) -> Iterator[int]:
    for number in range(100):
        read.append(number)
        yield number


def test_pieces_come_in_the_order_of_the_items_whichever_is_made_first():
    made = threading.Event()

    def make(number: int) -> int:
        if number == 0:
            assert made.wait(5)  # the next one is made before this one
        made.set() if number == 1 else None
        return number * 10

    assert list(map_in_parallel(make, range(5))) == [0, 10, 20, 30, 40]


def test_no_more_items_are_read_than_are_worked_on():
    read: list[int] = []
    pieces = map_in_parallel(lambda number: number, counted(read), threads=2)
    for number, _ in zip(range(10), pieces, strict=False):
        assert len(read) <= number + 3
    pieces.close()
    assert len(read) < 20


def test_what_a_piece_raises_comes_in_its_place():
    series = map_in_parallel(lambda number: 12 // (2 - number), range(5))
    assert [next(series), next(series)] == [6, 12]
    with pytest.raises(ZeroDivisionError):
        next(series)
