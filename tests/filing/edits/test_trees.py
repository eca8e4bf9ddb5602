"""The program of some rules: what they have in common is computed once, and not kept for long."""

import weakref

import numpy as np

from filing.edits import vocabulary as v
from filing.edits.trees import column, columns_read, compile_program, node


def test_equal_parts_of_rules_are_one_node():
    assert v.one_of("loan_type", 1, 2).node is v.one_of("loan_type", 2, 1).node
    assert v.one_of("loan_type", 1).node is (v.num("loan_type") == 1).node
    assert node(max, column("a"), 1) is not node(max, column("a"), True)
    assert (~~v.one_of("loan_type", 1)).node is v.one_of("loan_type", 1).node
    assert columns_read((v.number("income") & v.blank("uli")).node) == {"income", "uli"}


def test_each_part_is_computed_once_and_dropped_after_its_last_use():
    computed = []

    def doubled(numbers):
        alive = [number for number, values in enumerate(computed) if values() is not None]
        result = numbers * 2
        computed.append(weakref.ref(result))
        alive_before.append(alive)
        return result

    alive_before = []
    once = node(doubled, column("a"))
    twice = node(doubled, once)
    outputs = (node(doubled, twice), twice, node(doubled, node(doubled, column("b"))))
    read = {"a": np.array([1, 2]), "b": np.array([5, 6])}
    for _ in range(2):
        results = [value.tolist() for value in compile_program(*outputs).run(read.__getitem__)]
        assert results == [[8, 16], [4, 8], [20, 24]]
    assert len(computed) == 10
    assert alive_before[:3] == [[], [0], [1]]
