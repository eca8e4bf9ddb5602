"""The notation in which the published rule lists state their edits, as Python closures.

A rule such as `if action_taken in {3, 7} then denial_reason_1 != 10` is cut into tokens, parsed by
recursive descent and turned into nested closures over a `Scope`. Slow and plain on purpose: it
shares no code with the catalogue, so that the two can be held against each other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import cache, partial
from typing import Any

Record = Mapping[str, Any]  # whole numbers as int, everything else as text


@dataclass(frozen=True, slots=True)
class Scope:
    """What the names of a rule stand for.

    `record` answers bare names (and `r.name`), `others` the dotted ones (`ts.lei`), `facts` the
    capital names and the filing period, `rows` the loans of the file.
    """

    record: Record
    rows: Sequence[Record] = ()
    others: Mapping[str, Record] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    def at(self, row: Record) -> Scope:
        return Scope(row, self.rows, self.others, self.facts)


Node = Callable[[Scope], Any]

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<text>"[^"]*")
      | (?P<regex>(?<=,\s)/(?:\\.|[^/\\])+/)
      | (?P<number>\d+(?:\.\d+)?)
      | (?P<name>[A-Za-z_]\w*(?:\.\w+)?)
      | (?P<sign>==|!=|<=|>=|[-<>{}(),+*/])
    )""",
    re.VERBOSE,
)
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)


def tokens(text: str) -> Iterator[tuple[str, str]]:
    """Return (kind, text) of each token; the kinds are text, regex, number, name and sign.

    Raises: ValueError where no token begins.
    """
    position, text = 0, text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"No token at {text[position : position + 30]!r}.")
        yield str(match.lastgroup), match[str(match.lastgroup)]
        position = match.end()


# --- the words -------------------------------------------------------------------------------


@cache
def value_of(x: object) -> Fraction | None:
    """The number that a column reads as, None when it is no number."""
    if isinstance(x, int | Fraction):
        return Fraction(x)
    return Fraction(x) if isinstance(x, str) and _DECIMAL.fullmatch(x) else None


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, str) != isinstance(b, str):
        return str(a) == str(b)
    return bool(a == b)


def _ordered(test: Callable[[Fraction, Fraction], bool], a: Any, b: Any) -> bool:
    x, y = value_of(a), value_of(b)
    return x is not None and y is not None and test(x, y)


def _calculated(sign: str, a: Any, b: Any) -> Fraction:
    x, y = value_of(a), value_of(b)
    assert x is not None, "arithmetic stands under number()"
    assert y is not None, "arithmetic stands under number()"
    return {"+": x.__add__, "-": x.__sub__, "*": x.__mul__, "/": x.__truediv__}[sign](y)


def _is_integer(x: Any) -> bool:
    return bool(_INTEGER.fullmatch(str(x)))


def _is_date(x: Any) -> bool:
    if not re.fullmatch(r"\d{8}", str(x), re.ASCII):
        return False
    try:
        date.fromisoformat(str(x))
    except ValueError:
        return False
    return True


def _has_check_digits(uli: str) -> bool:
    if not re.fullmatch(r"[A-Za-z0-9]{23,45}", uli):
        return False
    return int("".join(str(int(character, 36)) for character in uli)) % 97 == 1


def _round_half_up(value: Fraction, places: int) -> Fraction:
    scaled = abs(value) * 10**places + Fraction(1, 2)
    return Fraction(math.floor(scaled), 10**places) * (-1 if value < 0 else 1)


def _typed_places(x: str) -> int:
    value = value_of(x)
    whole = value is not None and value.denominator == 1
    return 0 if whole else len(x.partition(".")[2])


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "blank": lambda x: x in ("", 0),
    "number": lambda x: value_of(x) is not None,
    "num": value_of,
    "integer": _is_integer,
    "int32": lambda x: _is_integer(x) and -(2**31) <= int(x) < 2**31,
    "valid_date": _is_date,
    "len": lambda x: len(str(x)),
    "first": lambda x, n: str(x)[:n],
    "lower": lambda x: str(x).lower(),
    "upper": lambda x: str(x).upper(),
    "matches": lambda x, regex: bool(regex.fullmatch(str(x))),
    "contains": lambda x, regex: bool(regex.search(str(x))),
    "any": lambda *conditions: any(conditions),
    "count": lambda *conditions: sum(conditions),
    "uli_check": _has_check_digits,
    "round_half_up": _round_half_up,
    "places": lambda x: len(x.partition(".")[2].rstrip("0")),
    "typed_places": _typed_places,
    "row_text": lambda row: row["row_text"],
}
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": _equal,
    "!=": lambda a, b: not _equal(a, b),
    "<": partial(_ordered, Fraction.__lt__),
    "<=": partial(_ordered, Fraction.__le__),
    ">": partial(_ordered, Fraction.__gt__),
    ">=": partial(_ordered, Fraction.__ge__),
}
_FACTS = frozenset(
    {"STATES", "TRACTS", "COUNTIES", "SMALL_COUNTIES", "filing_year", "filing_quarter"}
    | {"has_institution", "quarter_start", "quarter_end"}
)


# --- the grammar -----------------------------------------------------------------------------


class Notation:
    """Compiles rules.

    known_codes: for a group of coded columns, by its first column, the codes that `all_distinct`
    counts. words: names that stand for a whole condition, such as `exemption_taken`.
    states: postal abbreviation to FIPS code.
    """

    def __init__(
        self,
        known_codes: Mapping[str, frozenset[int]],
        states: Mapping[str, str],
        words: Mapping[str, str] | None = None,
    ) -> None:
        self.known_codes = known_codes
        self.functions: dict[str, Callable[..., Any]] = dict(_FUNCTIONS)
        self.functions["STATE_FIPS"] = lambda state: states.get(state, "")
        self.words: dict[str, Node] = {}
        for name, text in (words or {}).items():
            self.words[name] = self.compile(text)

    def compile(self, text: str) -> Node:
        """Return the rule as a function of a scope.

        Raises: ValueError when the text does not follow the notation.
        """
        parser = _Parser(self, list(tokens(text)))
        node = parser.condition()
        if parser.left():
            raise ValueError(f"Not understood from {parser.peek()!r} on: {text}")
        return node


class _Parser:
    def __init__(self, notation: Notation, stream: list[tuple[str, str]]) -> None:
        self.notation, self.stream, self.position = notation, stream, 0

    def left(self) -> bool:
        return self.position < len(self.stream)

    def peek(self) -> str:
        return self.stream[self.position][1] if self.left() else ""

    def take(self) -> tuple[str, str]:
        self.position += 1
        return self.stream[self.position - 1]

    def accept(self, word: str) -> bool:
        if self.peek() != word:
            return False
        self.position += 1
        return True

    def expect(self, word: str) -> None:
        if not self.accept(word):
            raise ValueError(f"{word!r} is expected before {self.peek()!r}.")

    # Loosest first: if..then, iff, or, and, not, comparison, sums, products, single values.
    def condition(self) -> Node:
        if self.accept("if"):
            given = self.condition()
            self.expect("then")
            then = self.condition()
            return lambda s: not given(s) or then(s)
        left = self.disjunction()
        while self.accept("iff"):
            left = self._both(lambda a, b: bool(a) == bool(b), left, self.disjunction())
        return left

    def disjunction(self) -> Node:
        parts = [self.conjunction()]
        while self.accept("or"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else lambda s: any(part(s) for part in parts)

    def conjunction(self) -> Node:
        parts = [self.negation()]
        while self.accept("and"):
            parts.append(self.negation())
        return parts[0] if len(parts) == 1 else lambda s: all(part(s) for part in parts)

    def negation(self) -> Node:
        if self.accept("not"):
            inner = self.negation()
            return lambda s: not inner(s)
        return self.comparison()

    def comparison(self) -> Node:
        left = self.sum()
        if self.peek() in _COMPARISONS:
            return self._both(_COMPARISONS[self.take()[1]], left, self.sum())
        if self.accept("not"):
            self.expect("in")
            return self._both(lambda x, values: x not in values, left, self.values())
        if self.accept("in"):
            return self._both(lambda x, values: x in values, left, self.values())
        return left

    def values(self) -> Node:
        if not self.accept("{"):
            return self.single()
        members = set()
        while not self.accept("}"):
            kind, text = self.take()
            members.add(text[1:-1] if kind == "text" else int(text))
            self.accept(",")
        return lambda s: members

    def sum(self) -> Node:
        return self._arithmetic(("+", "-"), self.product)

    def product(self) -> Node:
        return self._arithmetic(("*", "/"), self.single)

    def _arithmetic(self, signs: tuple[str, str], operand: Callable[[], Node]) -> Node:
        left = operand()
        while self.peek() in signs:
            left = self._both(partial(_calculated, self.take()[1]), left, operand())
        return left

    @staticmethod
    def _both(function: Callable[[Any, Any], Any], left: Node, right: Node) -> Node:
        return lambda s: function(left(s), right(s))

    def single(self) -> Node:
        kind, text = self.take()
        if text == "(":
            parts = [self.condition()]
            while self.accept(","):
                parts.append(self.condition())
            self.expect(")")
            return parts[0] if len(parts) == 1 else lambda s: tuple(part(s) for part in parts)
        if kind == "name":
            return self.call(text) if self.accept("(") else self.name(text)
        constant: Any = Fraction(text) if kind == "number" else text[1:-1]
        if kind == "number" and constant.denominator == 1:
            constant = int(text)
        if kind == "regex":
            constant = re.compile(constant, re.ASCII)
        return lambda s: constant

    def name(self, text: str) -> Node:
        if text in self.notation.words:
            return self.notation.words[text]
        if text in _FACTS:
            return lambda s: s.facts[text]
        if text == "r":
            return lambda s: s.record
        owner, _, column = text.rpartition(".")
        if owner in ("", "r"):
            return lambda s: s.record[column]
        return lambda s: s.others[owner][column]

    def call(self, function: str) -> Node:
        if self.peek() == "rows":
            return self.over_rows(function)
        names = [text for kind, text in self.stream[self.position :] if kind == "name"]
        arguments = [self.condition()]
        if self.accept("for"):
            return self.comprehension(function, arguments[0])
        while self.accept(","):
            arguments.append(self.condition())
        self.expect(")")
        if function == "all_distinct":
            known = self.notation.known_codes[names[0]]
            return lambda s: _distinct([x for x in (a(s) for a in arguments) if x in known])
        called = self.notation.functions[function]
        return lambda s: called(*(argument(s) for argument in arguments))

    def where(self) -> Node:
        """The condition after `where`, or one that always holds."""
        return self.condition() if self.accept("where") else lambda s: True

    def over_rows(self, function: str) -> Node:
        """`count(rows where A)` and `share(rows where A among rows where B)`."""
        self.expect("rows")
        chosen, among = self.where(), None
        if self.accept("among"):
            self.expect("rows")
            among = self.where()
        self.expect(")")
        if function == "count":
            return lambda s: sum(1 for row in s.rows if chosen(s.at(row)))
        assert function == "share"
        assert among is not None
        return lambda s: _share(chosen, [scope for row in s.rows if among(scope := s.at(row))])

    def comprehension(self, function: str, element: Node) -> Node:
        """`all_distinct(e for r in rows where A)` and `count_distinct(...)`."""
        self.expect("r")
        self.expect("in")
        self.expect("rows")
        chosen = self.where()
        self.expect(")")
        result: Callable[[list[Any]], Any] = {
            "all_distinct": _distinct,
            "count_distinct": lambda values: len(set(values)),
        }[function]
        return lambda s: result(
            [element(scope) for row in s.rows if chosen(scope := s.at(row))],
        )


def _distinct(values: list[Any]) -> bool:
    return len(set(values)) == len(values)


def _share(chosen: Node, scopes: list[Scope]) -> Fraction:
    return Fraction(sum(1 for s in scopes if chosen(s)), len(scopes)) if scopes else Fraction(0)
