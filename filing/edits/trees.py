"""The tree of a rule, and the program that computes many of them.

A value is that of one record (a bool, a number, a text), or that of a block: an array with one
item a record, or a series of texts. Both know the operators that most nodes consist of, so one
program serves a record and a block; `texts` has the functions that have to tell them apart.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from itertools import chain
from typing import Any

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """What is computed from other nodes and literals. Equal ones are one object: see `node`."""

    function: Function
    operands: tuple[Any, ...]

    def __and__(self, other: Node) -> Node:
        return node(all_true, self, other)

    def __or__(self, other: Node) -> Node:
        return node(any_true, self, other)

    def __invert__(self) -> Node:
        if self.function is operator.xor:
            opposite: Node = self.operands[0]
            return opposite
        return node(operator.xor, self, True)  # `~` is another number for a bool


@lru_cache(maxsize=None, typed=True)
def node(function: Function, *operands: Any) -> Node:
    """Return the node that computes a function of nodes and literals."""
    return Node(function, operands)


def column(name: str) -> Node:
    """Return the node that is a column of the records, a fact, or a figure of a file."""
    return node(column, name)


@cache
def columns_read(tree: Node) -> frozenset[str]:
    """Return the names of the columns that a node is computed from."""
    if tree.function is column:
        return frozenset(tree.operands)
    operands = (operand for operand in tree.operands if isinstance(operand, Node))
    return frozenset(chain.from_iterable(map(columns_read, operands)))


def all_true(*values: Any) -> Any:
    """Return where all values are true."""
    return reduce(operator.and_, values)


def any_true(*values: Any) -> Any:
    """Return where one of the values is true."""
    return reduce(operator.or_, values)


def count_true(*values: Any) -> Any:
    """Return how many of the values are true."""
    return sum(values)  # begins with the number 0: the sum of arrays of bool would be one again


def is_between(value: Any, least: Any, most: Any) -> Any:
    """Return where a number is one of the two or lies between them."""
    return (value >= least) & (value <= most)


class Program:
    """Computes the values of some nodes, and what they have in common once.

    A value is dropped after its last use, so that memory does not grow with the number of nodes.
    """

    def __init__(self, outputs: tuple[Node, ...]) -> None:
        self._places: dict[Node, int] = {}
        self._values: list[Any] = []
        self._columns: dict[str, int] = {}
        # A function, the places of its operands and of its value; without one, an output.
        steps: list[tuple[Function | None, list[int], int]] = []
        for output in outputs:
            steps.append((None, [], self._place(output, steps)))
        last_use = {at: number for number, step in enumerate(steps) for at in (*step[1], step[2])}
        drops: list[list[int]] = [[] for _ in steps]
        for place, number in last_use.items():
            drops[number].append(place)
        self._steps = [(*step, dropped) for step, dropped in zip(steps, drops, strict=True)]

    def run(self, read: Callable[[str], Any]) -> Iterator[Any]:
        """Yield the value of each node, in the order in which they were given.

        read: returns a column by its name.
        """
        values = self._values.copy()
        for name, place in self._columns.items():
            values[place] = read(name)
        for function, operands, target, drops in self._steps:
            if function is None:
                yield values[target]
            else:
                values[target] = function(*[values[operand] for operand in operands])
            for place in drops:
                values[place] = None

    def _place(self, operand: Any, steps: list[tuple[Function | None, list[int], int]]) -> int:
        """Return the place of an operand, after the steps that compute it are added."""
        if operand in self._places:
            return self._places[operand]
        operands = []
        if isinstance(operand, Node) and operand.function is not column:
            operands = [self._place(one, steps) for one in operand.operands]
        place = len(self._values)
        self._values.append(None if isinstance(operand, Node) else operand)
        if isinstance(operand, Node):
            self._places[operand] = place
            if operand.function is column:
                self._columns[operand.operands[0]] = place
            else:
                steps.append((operand.function, operands, place))
        return place


@lru_cache(maxsize=256)
def compile_program(*outputs: Node) -> Program:
    """Return the program that computes these nodes; there are few sets of edits that run."""
    return Program(outputs)
