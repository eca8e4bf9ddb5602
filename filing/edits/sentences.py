"""Conditions and values: each an expression over columns, and the same in words.

Words of the vocabulary return these, so the rule that people read is the one that runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

import polars as pl

# Enough for every plausible amount and ratio; `facts` rounds the others.
DECIMAL = pl.Decimal(38, 16)

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

    expr: pl.Expr
    words: str
    denied: str = ""
    binding: Binding = Binding.WORD

    def __and__(self, other: Condition) -> Condition:
        return join_conditions(Binding.AND, (self, other), self.expr & other.expr)

    def __or__(self, other: Condition) -> Condition:
        return join_conditions(Binding.OR, (self, other), self.expr | other.expr)

    def __invert__(self) -> Condition:
        if not self.denied:
            return Condition(~self.expr, f"not ({self.words})")
        opposites = {Binding.OR: Binding.AND, Binding.AND: Binding.OR}
        opposite = opposites.get(self.binding, Binding.WORD)
        return Condition(~self.expr, self.denied, self.words, opposite)

    def inside(self, binding: Binding) -> str:
        """Return the words as a part of a longer sentence, in brackets where they need them."""
        # An `and` beside an `or` has brackets too: not every reader knows which binds first.
        alone = self.binding in {binding, Binding.WORD} and self.binding is not Binding.IF
        return self.words if alone else f"({self.words})"


def join_conditions(binding: Binding, parts: Sequence[Condition], expr: pl.Expr) -> Condition:
    """Return conditions joined by `and` or `or`, with the expression for all of them."""
    if len(parts) == 1:
        return Condition(expr, parts[0].words, parts[0].denied, parts[0].binding)
    word, opposite = (" and ", " or ") if binding is Binding.AND else (" or ", " and ")
    words = word.join(part.inside(binding) for part in parts)
    simple = all(part.denied and part.binding is Binding.WORD for part in parts)
    return Condition(
        expr, words, opposite.join(part.denied for part in parts) if simple else "", binding
    )


@dataclass(frozen=True, slots=True, eq=False)
class ColumnValue:
    """A text or a code, which compares by `==` and `!=` with another or with a literal."""

    expr: pl.Expr
    words: str

    def __eq__(self, other: ColumnValue | str | int) -> Condition:  # type: ignore[override]
        return self._compared(other, equal=True)

    def __ne__(self, other: ColumnValue | str | int) -> Condition:  # type: ignore[override]
        return self._compared(other, equal=False)

    def _compared(self, other: ColumnValue | str | int, *, equal: bool) -> Condition:
        left, right = self.expr, other.expr if isinstance(other, ColumnValue) else other
        same, differs = (
            f"{self.words} is {in_words(other)}",
            f"{self.words} is not {in_words(other)}",
        )
        if equal:
            return Condition(left == right, same, differs)
        return Condition(left != right, differs, same)


@dataclass(frozen=True, slots=True, eq=False)
class NumericValue:
    """The numeric value of a column: every comparison with a value that is no number is false.

    Only `!=` is true then, being the opposite of `==`. All comparisons are exact. Decimals mix with
    whole numbers and with literals; a literal such as 6.5 means exactly what is written.
    """

    expr: pl.Expr
    is_decimal: bool
    words: str
    is_date: bool = False

    def __gt__(self, other: Operand) -> Condition:
        left, right, _ = self._alike(other)
        return self._compared(left > right, "after" if self.is_date else "more than", other)

    def __ge__(self, other: Operand) -> Condition:
        left, right, _ = self._alike(other)
        return self._compared(left >= right, "on or after" if self.is_date else "at least", other)

    def __lt__(self, other: Operand) -> Condition:
        left, right, _ = self._alike(other)
        return self._compared(left < right, "before" if self.is_date else "less than", other)

    def __le__(self, other: Operand) -> Condition:
        left, right, _ = self._alike(other)
        return self._compared(left <= right, "on or before" if self.is_date else "at most", other)

    def __eq__(self, other: Operand) -> Condition:  # type: ignore[override]
        left, right, _ = self._alike(other)
        same = (left == right).fill_null(value=False)
        operand = str(other) if isinstance(other, int) else in_words(other)  # a code, not an amount
        return Condition(same, f"{self.words} is {operand}", f"{self.words} is not {operand}")

    def __ne__(self, other: Operand) -> Condition:  # type: ignore[override]
        return ~(self == other)

    def __sub__(self, other: Operand) -> NumericValue:
        left, right, is_decimal = self._alike(other)
        if self.is_date and isinstance(other, int) and other % _YEAR == 0:
            words = f"the day {other // _YEAR} years before {self.words}"
        else:
            words = f"{self.words} minus {in_words(other)}"
        return NumericValue(left - right, is_decimal, words, self.is_date)

    def __mul__(self, other: NumericValue | int) -> NumericValue:
        right = other.expr if isinstance(other, NumericValue) else other
        return NumericValue(
            self.expr * right, self.is_decimal, f"{self.words} times {in_words(other)}"
        )

    def is_between(self, least: int, most: int) -> Condition:
        """Hold where the number is one of these or lies between them."""
        inside = self.expr.is_between(least, most).fill_null(value=False)
        return Condition(inside, f"{self.words} is between {in_words(least)} and {in_words(most)}")

    def _compared(self, expr: pl.Expr, relation: str, other: Operand) -> Condition:
        return Condition(
            expr.fill_null(value=False), f"{self.words} is {relation} {in_words(other)}"
        )

    def _alike(self, other: Operand) -> tuple[pl.Expr, pl.Expr, bool]:
        """Return both sides in one type: whole numbers as they are, or decimals."""
        if isinstance(other, int):
            return self.expr, pl.lit(other), self.is_decimal
        if not isinstance(other, NumericValue):
            return _decimal(self), pl.lit(Decimal(repr(other)), dtype=DECIMAL), True
        if self.is_decimal or other.is_decimal:
            return _decimal(self), _decimal(other), True
        return self.expr, other.expr, False


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


def _decimal(value: NumericValue) -> pl.Expr:
    return value.expr if value.is_decimal else value.expr.cast(DECIMAL)
