"""Conditions and values: each a tree over columns, and the same in words.

Words of the vocabulary return these, so the rule that people read is the one that runs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from filing.edits.trees import Node, is_between, node

_YEAR = 10_000  # in a date that is a number YYYYMMDD


class Binding(Enum):
    """What joins the parts of a sentence."""

    IF = "if"
    OR = "or"
    AND = "and"
    WORD = "nothing: it is a single statement"


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """True or false on every row. denied: the opposite in words, where it is simple."""

    node: Node
    words: str
    denied: str = ""
    binding: Binding = Binding.WORD

    def __and__(self, other: Condition) -> Condition:
        return join_conditions(Binding.AND, (self, other), self.node & other.node)

    def __or__(self, other: Condition) -> Condition:
        return join_conditions(Binding.OR, (self, other), self.node | other.node)

    def __invert__(self) -> Condition:
        if not self.denied:
            return Condition(~self.node, f"not ({self.words})")
        opposites = {Binding.OR: Binding.AND, Binding.AND: Binding.OR}
        opposite = opposites.get(self.binding, Binding.WORD)
        return Condition(~self.node, self.denied, self.words, opposite)

    def inside(self, binding: Binding) -> str:
        """Return the words as a part of a longer sentence, in brackets where they need them."""
        # An `and` beside an `or` has brackets too: not every reader knows which binds first.
        alone = self.binding in {binding, Binding.WORD} and self.binding is not Binding.IF
        return self.words if alone else f"({self.words})"


def join_conditions(binding: Binding, parts: Sequence[Condition], joined: Node) -> Condition:
    """Return conditions joined by `and` or `or`, with the node for all of them."""
    if len(parts) == 1:
        return Condition(joined, parts[0].words, parts[0].denied, parts[0].binding)
    word, opposite = (" and ", " or ") if binding is Binding.AND else (" or ", " and ")
    words = word.join(part.inside(binding) for part in parts)
    simple = all(part.denied and part.binding is Binding.WORD for part in parts)
    return Condition(
        joined, words, opposite.join(part.denied for part in parts) if simple else "", binding
    )


@dataclass(frozen=True, slots=True, eq=False)
class ColumnValue:
    """A text or a code, which compares by `==` and `!=` with another or with a literal."""

    node: Node
    words: str

    def __eq__(self, other: ColumnValue | str | int) -> Condition:  # type: ignore[override]
        return self._compared(other, equal=True)

    def __ne__(self, other: ColumnValue | str | int) -> Condition:  # type: ignore[override]
        return self._compared(other, equal=False)

    def _compared(self, other: ColumnValue | str | int, *, equal: bool) -> Condition:
        equals = node(operator.eq, self.node, _operand(other))
        same, differs = (
            f"{self.words} is {in_words(other)}",
            f"{self.words} is not {in_words(other)}",
        )
        if equal:
            return Condition(equals, same, differs)
        return Condition(~equals, differs, same)


@dataclass(frozen=True, slots=True, eq=False)
class NumericValue:
    """The numeric value of a column: every comparison with a value that is no number is false.

    Only `!=` is true then, being the opposite of `==`. All comparisons are exact. Decimals mix with
    whole numbers and with literals; a literal such as 6.5 means exactly what is written. Only whole
    numbers and dates are subtracted and multiplied.
    """

    node: Node
    words: str
    is_date: bool = False

    def __gt__(self, other: Operand) -> Condition:
        return self._compared(operator.gt, "after" if self.is_date else "more than", other)

    def __ge__(self, other: Operand) -> Condition:
        return self._compared(operator.ge, "on or after" if self.is_date else "at least", other)

    def __lt__(self, other: Operand) -> Condition:
        return self._compared(operator.lt, "before" if self.is_date else "less than", other)

    def __le__(self, other: Operand) -> Condition:
        return self._compared(operator.le, "on or before" if self.is_date else "at most", other)

    def __eq__(self, other: Operand) -> Condition:  # type: ignore[override]
        same = node(operator.eq, self.node, _operand(other))
        operand = str(other) if isinstance(other, int) else in_words(other)  # a code, not an amount
        return Condition(same, f"{self.words} is {operand}", f"{self.words} is not {operand}")

    def __ne__(self, other: Operand) -> Condition:  # type: ignore[override]
        return ~(self == other)

    def __sub__(self, other: NumericValue | int) -> NumericValue:
        if self.is_date and isinstance(other, int) and other % _YEAR == 0:
            words = f"the day {other // _YEAR} years before {self.words}"
        else:
            words = f"{self.words} minus {in_words(other)}"
        return NumericValue(node(operator.sub, self.node, _operand(other)), words, self.is_date)

    def __mul__(self, other: NumericValue | int) -> NumericValue:
        product = node(operator.mul, self.node, _operand(other))
        return NumericValue(product, f"{self.words} times {in_words(other)}")

    def is_between(self, least: int, most: int) -> Condition:
        """Hold where the number is one of these or lies between them."""
        inside = node(is_between, self.node, least, most)
        return Condition(inside, f"{self.words} is between {in_words(least)} and {in_words(most)}")

    def _compared(
        self, compare: Callable[[Any, Any], Any], relation: str, other: Operand
    ) -> Condition:
        holds = node(compare, self.node, _operand(other))
        return Condition(holds, f"{self.words} is {relation} {in_words(other)}")


Operand = NumericValue | int | float


def in_words(operand: ColumnValue | NumericValue | str | float) -> str:
    """Return the words for a value, or a literal as people write it."""
    if isinstance(operand, (ColumnValue, NumericValue)):
        return operand.words
    return operand or "blank" if isinstance(operand, str) else f"{operand:,}"


def listed(items: Iterable[object], word: str = "or") -> str:
    """Return items as people list them: `1`, `1 or 2`, `1, 2, or 3`."""
    *others, last = map(str, items)
    if len(others) < 2:
        return f" {word} ".join((*others, last))
    return f"{', '.join(others)}, {word} {last}"


def _operand(value: ColumnValue | NumericValue | str | float) -> Node | str | float:
    return value.node if isinstance(value, (ColumnValue, NumericValue)) else value
