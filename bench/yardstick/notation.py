"""The notation in which the published rule lists state their edits, as plain Python.

A rule such as `if action_taken in {3, 7} then denial_reason_1 != 10` becomes a Python expression
over one record. It shares no code with the catalogue, so that the two can be held against each
other. Their times can be, too: nothing is interpreted while a file is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.yardstick.grammar import Code, Parser, tokens
from bench.yardstick.words import FUNCTIONS, Tally

Record = Mapping[str, Any]  # whole numbers as int, everything else as text


@dataclass(frozen=True, slots=True)
class Scope:
    """The values of the names in a rule.

    `record` answers bare names (and `r.name`), `others` the dotted ones (`ts.lei`), `facts` the
    capital names and the filing period, `rows` the loans of the file.
    """

    record: Record
    rows: Sequence[Record] = ()
    others: Mapping[str, Record] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


Node = Callable[[Scope], Any]


@dataclass(frozen=True, slots=True)
class Together:
    """Many rules compiled together.

    check(record, tallies, others, facts, fail) calls `fail` with the name of each that fails;
    keep(row, record, tallies, others, facts) keeps what rules ask of all rows. places: for each
    rule, which tallies are its own.
    """

    check: Callable[..., None]
    keep: Callable[..., None]
    places: Mapping[str, range]


class Notation:
    """The compiler of rules.

    known_codes: for a group of coded columns, by its first column, the codes that `all_distinct`
    counts. words: names that stand for a whole condition, such as `exemption_taken`.
    states: postal abbreviation to FIPS code. kinds: int or str, for columns known to be that.
    """

    def __init__(
        self,
        known_codes: Mapping[str, frozenset[int]],
        states: Mapping[str, str],
        words: Mapping[str, str] | None = None,
        kinds: Mapping[str, type] | None = None,
    ) -> None:
        self.known_codes, self.kinds = known_codes, kinds or {}
        self.functions: dict[str, Any] = dict(FUNCTIONS)
        self.functions["STATE_FIPS"] = lambda state: states.get(state, "")
        self.constants: dict[Any, str] = {}
        self.words: dict[str, Code] = {}
        for name, text in (words or {}).items():
            self.words[name] = self.translate(text, [])

    def translate(self, text: str, tallies: list[str]) -> Code:
        """Return the rule as an expression; add the code of its tallies to `tallies`.

        Raises: ValueError when the text does not follow the notation.
        """
        parser = Parser(self, list(tokens(text)), tallies)
        code = parser.condition()
        if parser.left():
            raise ValueError(f"Not understood from {parser.peek()!r} on: {text}")
        return code

    def constant(self, value: Any) -> str:
        """Return the name of a constant in expressions."""
        name = self.constants.setdefault(value, f"c{len(self.constants)}")
        self.functions[name] = value
        return name

    def compile(self, text: str) -> Node:
        """Return the rule as a function of a scope.

        Raises: ValueError when the text does not follow the notation.
        """
        tallies: list[str] = []
        holds = self._function("r, t, o, f", [f"return {self.translate(text, tallies).text}"])
        keep = self._function("row, r, t, o, f", tallies)

        def node(s: Scope) -> Any:
            kept = [Tally() for _ in tallies]
            for row, record in enumerate(s.rows if kept else (), 1):
                keep(row, record, kept, s.others, s.facts)
            return holds(s.record, kept, s.others, s.facts)

        return node

    def together(self, rules: Mapping[str, str]) -> Together:
        """Return many rules, by name, compiled together."""
        checks, tallies, places = [], list[str](), {}
        for name, text in rules.items():
            first = len(tallies)
            checks.append("try:")
            checks.append(f"    if not ({self.translate(text, tallies).text}): fail({name!r})")
            # A property value of 0 gives no loan-to-value ratio to compare with.
            checks.append("except ZeroDivisionError: pass")
            places[name] = range(first, len(tallies))
        return Together(
            self._function("r, t, o, f, fail", checks),
            self._function("row, r, t, o, f", tallies),
            places,
        )

    def _function(self, arguments: str, lines: Iterable[str]) -> Callable[..., Any]:
        """Return a function with these lines, which may use the names of the notation."""
        body = "".join(f"    {line}\n" for line in (*lines, "return None"))
        made: dict[str, Any] = {}
        exec(f"def function({arguments}):\n{body}", self.functions, made)
        function: Callable[..., Any] = made["function"]
        return function
