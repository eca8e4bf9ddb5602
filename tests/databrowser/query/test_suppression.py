"""No figure that is left out can be computed from those that are given."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from databrowser.query.suppression import find_left_out

SMALLEST = 10


def with_totals(cells: np.ndarray) -> dict[tuple[str | None, str | None], int]:
    """Return the numbers of a table by row and column, with its totals."""
    rows, columns = (
        [*map(str, range(cells.shape[0])), None],
        [*map(str, range(cells.shape[1])), None],
    )
    wide = np.vstack([cells, cells.sum(0)])
    wide = np.hstack([wide, wide.sum(1, keepdims=True)])
    return {
        (row, column): int(wide[down, across])
        for down, row in enumerate(rows)
        for across, column in enumerate(columns)
    }


def equations(keys: list[tuple[str | None, str | None]]) -> np.ndarray:
    """Return the sums that hold in every table, as a matrix: of each row, and of each column."""
    lines = []
    for place in (0, 1):
        for value in {key[place] for key in keys}:
            terms = [
                0 if key[place] != value else -1 if key[1 - place] is None else 1 for key in keys
            ]
            lines += [terms]
    return np.array(lines, dtype=float)


def can_be_computed(keys, left_out) -> list:
    """Return the keys left out whose value follows from the others, by linear algebra."""
    unknown = [key for key in keys if key in left_out]
    if not unknown:
        return []
    matrix = equations(keys)[:, [keys.index(key) for key in unknown]]
    rank = np.linalg.matrix_rank(matrix)
    return [
        key
        for place, key in enumerate(unknown)
        # A value follows if, and only if, without its column the matrix has a smaller rank and
        # the others cannot take its part.
        if np.linalg.matrix_rank(np.vstack([matrix, np.eye(len(unknown))[place]])) == rank
    ]


@settings(max_examples=500, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32 - 1), st.integers(1, 60))
def test_no_cell_of_a_table_follows_from_the_others(rows, columns, seed, most):
    cells = np.random.default_rng(seed).integers(0, most, (rows, columns))
    records = {key: number for key, number in with_totals(cells).items() if number}
    left_out = find_left_out(records, smallest=SMALLEST)
    assert {key for key, number in records.items() if number < SMALLEST} <= left_out
    assert not can_be_computed(list(records), left_out)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=8))
def test_no_item_of_a_list_follows_from_its_total(numbers):
    records = {(str(place),): number for place, number in enumerate(numbers)}
    records[None,] = sum(numbers)
    left_out = find_left_out(records, smallest=SMALLEST)
    hidden = [key for key in records if key in left_out]
    assert len(hidden) != 1 or not any(records[key] for key in records if key not in left_out)
    if hidden and (None,) not in left_out:
        assert sum(records[key] for key in hidden) >= SMALLEST


def test_nothing_is_left_out_of_a_table_of_large_cells():
    records = with_totals(np.full((3, 4), SMALLEST))
    assert find_left_out(records, smallest=SMALLEST) == frozenset()


def test_the_smallest_other_cells_are_left_out_with_one():
    cells = np.array([[3, 40, 900], [50, 60, 70], [800, 90, 100]])
    left_out = find_left_out(with_totals(cells), smallest=SMALLEST)
    assert left_out == {("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")}
