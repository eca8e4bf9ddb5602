"""Conditions and values that compute and speak: an expression over columns, and the same in words.

Words of the vocabulary return these. What is said of an edit is so never anything else than what is
checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

import polars as pl

# Enough for every amount and ratio that makes sense; `facts` says what becomes of the others.
DECIMAL = pl.Decimal(38, 16)


class Binding(Enum):
    """What joins the parts of a sentence."""

    IF = "if"
    OR = "or"
    AND = "and"
    WORD = "nothing: it is a single statement"


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """What holds or does not on every row. denied: how the opposite is said, where it is simple."""

    expr: pl.Expr
    words: str
    denied: str = ""
    binding: Binding = Binding.WORD

    def __and__(self, other: Condition) -> Condition:
        return joined(Binding.AND, (self, other), self.expr & other.expr)

    def __or__(self, other: Condition) -> Condition:
        return joined(Binding.OR, (self, other), self.expr | other.expr)

    def __invert__(self) -> Condition:
        return Condition(~self.expr, self.denied or f"not ({self.words})")

    def inside(self, binding: Binding) -> str:
        """Return the words as a part of a longer sentence, in brackets where they need them."""
        # Beside an `or`, an `and` has brackets too: not every reader knows which comes first.
        alone = self.binding in {binding, Binding.WORD} and self.binding is not Binding.IF
        return self.words if alone else f"({self.words})"


def joined(binding: Binding, parts: Sequence[Condition], expr: pl.Expr) -> Condition:
    """Return conditions joined by `and` or `or`, with the expression for all of them."""
    if len(parts) == 1:
        return Condition(expr, parts[0].words, parts[0].denied, parts[0].binding)
    word = " and " if binding is Binding.AND else " or "
    return Condition(expr, word.join(part.inside(binding) for part in parts), binding=binding)


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A text or a code, to be compared by `==` and `!=` with its like."""

    expr: pl.Expr
    words: str

    def __eq__(self, other: Value | str | int) -> Condition:  # type: ignore[override]
        return self._compared(other, equal=True)

    def __ne__(self, other: Value | str | int) -> Condition:  # type: ignore[override]
        return self._compared(other, equal=False)

    def _compared(self, other: Value | str | int, *, equal: bool) -> Condition:
        mine, its = self.expr, other.expr if isinstance(other, Value) else other
        same, differs = f"{self.words} is {said(other)}", f"{self.words} is not {said(other)}"
        if equal:
            return Condition(mine == its, same, differs)
        return Condition(mine != its, differs, same)


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """The numeric value of a column: every comparison with a value that is no number is false.

    Only `!=` is true then, being the opposite of `==`. All comparisons are exact. Decimals mix with
    whole numbers and with literals; a literal such as 6.5 means exactly what is written.
    """

    expr: pl.Expr
    is_decimal: bool
    words: str

    def __gt__(self, other: Operand) -> Condition:
        mine, its, _ = self._alike(other)
        return self._said(mine > its, "more than", other)

    def __ge__(self, other: Operand) -> Condition:
        mine, its, _ = self._alike(other)
        return self._said(mine >= its, "at least", other)

    def __lt__(self, other: Operand) -> Condition:
        mine, its, _ = self._alike(other)
        return self._said(mine < its, "less than", other)

    def __le__(self, other: Operand) -> Condition:
        mine, its, _ = self._alike(other)
        return self._said(mine <= its, "at most", other)

    def __eq__(self, other: Operand) -> Condition:  # type: ignore[override]
        mine, its, _ = self._alike(other)
        same = (mine == its).fill_null(value=False)
        words = said(other)
        return Condition(same, f"{self.words} is {words}", f"{self.words} is not {words}")

    def __ne__(self, other: Operand) -> Condition:  # type: ignore[override]
        return ~(self == other)

    def __sub__(self, other: Operand) -> Number:
        mine, its, is_decimal = self._alike(other)
        return Number(mine - its, is_decimal, f"{self.words} minus {said(other)}")

    def __mul__(self, other: Number | int) -> Number:
        its = other.expr if isinstance(other, Number) else other
        return Number(self.expr * its, self.is_decimal, f"{self.words} times {said(other)}")

    def is_between(self, least: int, most: int) -> Condition:
        """Hold where the number is one of these or lies between them."""
        found = self.expr.is_between(least, most).fill_null(value=False)
        return Condition(found, f"{self.words} is between {said(least)} and {said(most)}")

    def _said(self, found: pl.Expr, how: str, other: Operand) -> Condition:
        return Condition(found.fill_null(value=False), f"{self.words} is {how} {said(other)}")

    def _alike(self, other: Operand) -> tuple[pl.Expr, pl.Expr, bool]:
        """Return both sides in one type: whole numbers as they are, or decimals."""
        if isinstance(other, int):
            return self.expr, pl.lit(other), self.is_decimal
        if not isinstance(other, Number):
            return _decimal(self), pl.lit(Decimal(repr(other)), dtype=DECIMAL), True
        if self.is_decimal or other.is_decimal:
            return _decimal(self), _decimal(other), True
        return self.expr, other.expr, False


Operand = Number | int | float


def said(operand: Value | Number | str | float) -> str:
    """Return what a value is called, or a literal as people write it."""
    if isinstance(operand, (Value, Number)):
        return operand.words
    return operand or "blank" if isinstance(operand, str) else f"{operand:,}"


def _decimal(value: Number) -> pl.Expr:
    return value.expr if value.is_decimal else value.expr.cast(DECIMAL)
