"""The grammar of the notation: rules are read by recursive descent, and written as Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from bench.yardstick.words import COMPARISONS

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


_FACTS = frozenset(
    {"STATES", "TRACTS", "COUNTIES", "SMALL_COUNTIES", "filing_year", "filing_quarter"}
    | {"has_institution", "quarter_start", "quarter_end"}
)


# How words are written for values known to be numbers or texts, and what they give.
_OF_KIND: dict[tuple[str, type | None], tuple[str, type | None]] = {
    ("blank", int): ("({} == 0)", None),
    ("blank", str): ('({} == "")', None),
    ("number", str): ("(num({}) is not None)", None),
    ("len", str): ("{}.__len__()", int),
    ("first", str): ("{}[:{}]", str),
    ("lower", str): ("{}.lower()", str),
    ("upper", str): ("{}.upper()", str),
    ("matches", str): ("({1}.fullmatch({0}) is not None)", None),
    ("contains", str): ("({1}.search({0}) is not None)", None),
}


class Code(NamedTuple):
    """A Python expression, with its type if it is known to be int or str."""

    text: str
    kind: type | None = None


class Names(Protocol):
    """The names that a rule may use."""

    known_codes: Mapping[str, frozenset[int]]
    kinds: Mapping[str, type]
    functions: dict[str, Any]
    words: dict[str, Code]

    def constant(self, value: Any) -> str:
        """Return the name of a constant in expressions."""


class Parser:
    """Translates a rule to Python: r is the record, o the others, f the facts, t the tallies."""

    def __init__(self, notation: Names, stream: list[tuple[str, str]], tallies: list[str]) -> None:
        self.notation, self.stream, self.tallies, self.position = notation, stream, tallies, 0

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
    def condition(self) -> Code:
        if self.accept("if"):
            given = self.condition()
            self.expect("then")
            return Code(f"(not {given.text} or {self.condition().text})")
        left = self.disjunction()
        while self.accept("iff"):
            left = Code(f"({left.text} == {self.disjunction().text})")
        return left

    def disjunction(self) -> Code:
        return self.joined("or", self.conjunction)

    def conjunction(self) -> Code:
        return self.joined("and", self.negation)

    def joined(self, word: str, part: Callable[[], Code]) -> Code:
        parts = [part()]
        while self.accept(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else _any_or_all(word, parts)

    def negation(self) -> Code:
        if self.accept("not"):
            return Code(f"(not {self.negation().text})")
        return self.comparison()

    def comparison(self) -> Code:
        left = self.sum()
        if self.peek() in COMPARISONS:
            return self.compared(left, self.take()[1], self.sum())
        if self.accept("not"):
            self.expect("in")
            return Code(f"({left.text} not in {self.values()})")
        if self.accept("in"):
            return Code(f"({left.text} in {self.values()})")
        return left

    def compared(self, left: Code, sign: str, right: Code) -> Code:
        kinds = left.kind, right.kind
        if kinds == (int, int) or (kinds == (str, str) and sign in ("==", "!=")):
            return Code(f"({left.text} {sign} {right.text})")
        if kinds == (str, int):
            if sign in ("==", "!="):
                return Code(f"({left.text} {sign} str({right.text}))")
            return Code(f"((v := num({left.text})) is not None and v {sign} {right.text})")
        return Code(f"{self.notation.constant(COMPARISONS[sign])}({left.text}, {right.text})")

    def values(self) -> str:
        if not self.accept("{"):
            return self.single().text
        members = []
        while not self.accept("}"):
            members.append(self.take()[1])
            self.accept(",")
        return f"{{{', '.join(members)}}}"

    def sum(self) -> Code:
        return self.arithmetic(("+", "-"), self.product)

    def product(self) -> Code:
        return self.arithmetic(("*", "/"), self.single)

    def arithmetic(self, signs: tuple[str, str], operand: Callable[[], Code]) -> Code:
        left = operand()
        while self.peek() in signs:
            sign = self.take()[1]
            left = Code(f"(exact({left.text}) {sign} exact({operand().text}))")
        return left

    def single(self) -> Code:
        kind, text = self.take()
        if text == "(":
            parts = [self.condition()]
            while self.accept(","):
                parts.append(self.condition())
            self.expect(")")
            if len(parts) == 1:
                return parts[0]
            return Code(f"({', '.join(part.text for part in parts)})")
        if kind == "name":
            return self.call(text) if self.accept("(") else self.name(text)
        if kind == "number":
            whole = text.isdigit()
            return Code(text, int) if whole else Code(self.notation.constant(Fraction(text)))
        if kind == "regex":
            return Code(self.notation.constant(re.compile(text[1:-1], re.ASCII)))
        return Code(text, str)

    def name(self, text: str) -> Code:
        if text in self.notation.words:
            return self.notation.words[text]
        if text in _FACTS:
            return Code(f"f[{text!r}]")
        if text == "r":
            return Code("r")
        owner, _, column = text.rpartition(".")
        if owner in ("", "r"):
            return Code(f"r[{column!r}]", self.notation.kinds.get(column))
        return Code(f"o[{owner!r}][{column!r}]")

    def call(self, function: str) -> Code:
        if self.peek() == "rows":
            return self.over_rows(function)
        names = [text for kind, text in self.stream[self.position :] if kind == "name"]
        arguments = [self.condition()]
        if self.accept("for"):
            return self.comprehension(function, arguments[0])
        while self.accept(","):
            arguments.append(self.condition())
        self.expect(")")
        listed = ", ".join(argument.text for argument in arguments)
        if function == "any":
            return _any_or_all("or", arguments)
        if function == "count":
            return Code(f"sum(({listed},))", int)
        if function == "all_distinct":
            known = self.notation.constant(self.notation.known_codes[names[0]])
            return Code(f"is_distinct([x for x in ({listed},) if x in {known}])")
        if function not in self.notation.functions:
            raise ValueError(f"{function!r} is not a function.")
        written, kind = _OF_KIND.get((function, arguments[0].kind), (None, None))
        if written:
            return Code(written.format(*(argument.text for argument in arguments)), kind)
        return Code(f"{function}({listed})", int if function == "len" else None)

    def where(self) -> str:
        """Return the condition after `where`, or `True` without one."""
        return self.condition().text if self.accept("where") else "True"

    def tallied(self, line: str) -> str:
        """Return the expression for a tally of all rows that a line of code updates."""
        tally = f"t[{len(self.tallies)}]"
        self.tallies.append(line.replace("TALLY", tally))
        return tally

    def over_rows(self, function: str) -> Code:
        """Return the code of `count(rows where A)` or `share(rows where A among rows where B)`."""
        self.expect("rows")
        chosen, among = self.where(), None
        if self.accept("among"):
            self.expect("rows")
            among = self.where()
        self.expect(")")
        if function == "count":
            return Code(f"{self.tallied(f'TALLY.chosen += {chosen}')}.chosen", int)
        assert function == "share"
        assert among is not None
        line = f"if {among}: TALLY.among += 1; TALLY.chosen += {chosen}"
        return Code(f"{self.tallied(line)}.share")

    def comprehension(self, function: str, element: Code) -> Code:
        """Return the code of `all_distinct(e for r in rows where A)` or `count_distinct(...)`."""
        self.expect("r")
        self.expect("in")
        self.expect("rows")
        tally = self.tallied(f"if {self.where()}: TALLY.add(row, {element.text})")
        self.expect(")")
        if function == "all_distinct":
            return Code(f"(not {tally}.repeated)")
        assert function == "count_distinct"
        return Code(f"{tally}.different", int)


def _any_or_all(word: str, parts: Sequence[Code]) -> Code:
    return Code(f"({f' {word} '.join(part.text for part in parts)})")
