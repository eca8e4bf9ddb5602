"""Random loans on which rules come out now this way, now that.

A loan is correct but for the fields of a few rules. They have values on which a rule fails, or
differ from such values in one field: so every part of a rule decides on some loan. The values are
those that the rule names, such as 1111 or NA, or any out of the pool of the field. All can be read.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cache

from bench.yardstick.checking import Judge
from bench.yardstick.grammar import tokens
from bench.yardstick.reading import readable
from bench.yardstick.rulebook import Rule, rules
from filing.edits import examples
from filing.lar.fields import LAR_BY_NAME, Field
from filing.lar.years import Period
from tests.filing.edits.pools import LEI, POOLS, RATIO, pool

# Values on which these words of the rules come out one way and the other.
SAID_BY = {
    "blank": {"", "0"},
    "matches": {"888", "88888", "888.0", "999", "99999", "999.00", "88888.000", "1"},
    **{word: {"5"} for word in ("number", "integer", "int32")},
}
# How often the other fields are given values that the rule has for them, in percent.
LUCK = (97, 80, 50, 20, 5, 0) * 10
QUARTERLY_PART = 25  # one of so many values is tried in a quarter
OPEN = 60  # changes that wait for others to be put together with
Values = dict[str, str | int]


@dataclass(frozen=True)
class Aim:
    """A rule to be aimed at, and the fields it reads.

    own: the values that the rule compares each of them with. near: what it names elsewhere, and
    numbers next to all of these.
    """

    rule: Rule
    own: Mapping[str, tuple[str | int, ...]]
    near: Mapping[str, tuple[str | int, ...]]


def random_loans(period: Period, judge: Judge) -> list[Values]:
    """Return loans on which the values decide that the rules of the period name."""
    draw = random.Random(f"{period}")
    changes = [_ratio(draw) for _ in range(20)]
    changes += [_points(draw) for _ in range(20)] + [_days(period, draw) for _ in range(20)]
    for rule in rules(period):
        if rule.level == "lar":
            aim = _aim(rule)
            for name, value in _tried(aim, period):
                changes += _deciding(aim, name, value, period, judge, draw)
    draw.shuffle(changes)
    loans = [{**correct_loan(period), **change} for change in _merged(changes)]
    return loans + draw.choices(loans, k=len(loans) // 20)


def _tried(aim: Aim, period: Period) -> list[tuple[str, str | int]]:
    """Return the values whose turn it is: all of them have theirs in the years of the rule."""
    every = [(name, value) for name in aim.own for value in (*aim.own[name], *POOLS.get(name, ()))]
    turn, turns = period.year, sum(last - first + 1 for first, last in aim.rule.annual)
    if period.quarter:
        turn, turns = 3 * period.year + period.quarter, QUARTERLY_PART
    return [one for place, one in enumerate(every) if (place + turn) % turns == 0]


def _deciding(
    aim: Aim, name: str, value: str | int, period: Period, judge: Judge, draw: random.Random
) -> tuple[Values, ...]:
    """Return two loans, different in one field, on one of which alone the rule holds.

    One of them has the value in the field. If none are found, they are any two.
    """
    correct = correct_loan(period)
    for luck in LUCK:
        others = {one: _drawn(aim, one, period, draw, luck) for one in aim.own}
        pair = tuple(others | {name: one} for one in (value, _drawn(aim, name, period, draw, 20)))
        if len({judge(aim.rule, {**correct, **values}) for values in pair}) == 2:
            break
    return pair


def _drawn(aim: Aim, name: str, period: Period, draw: random.Random, luck: int) -> str | int:
    if aim.own[name] and draw.randrange(100) < luck:
        return draw.choice(aim.own[name])
    correct = (correct_loan(period)[name],)
    others = (aim.near[name] or correct, pool(LAR_BY_NAME[name], period), correct)
    return draw.choice(draw.choice(others if luck else (correct,)))


@cache
def correct_loan(period: Period) -> Mapping[str, str | int]:
    """Return the loan that all others differ from."""
    return examples.correct_loan(period, LEI)


def _merged(changes: list[Values]) -> list[Values]:
    """Return the changes, those put together that are about different fields."""
    done: list[Values] = []
    for change in changes:
        apart = (one for one in done[-OPEN:] if one.keys().isdisjoint(change))
        one = next(apart, None)
        if one is None:
            done.append({**change})
        else:
            one |= change
    return done


def _ratio(draw: random.Random) -> Values:
    """Return a ratio of loan to value that is right to some digits, or next to the right one."""
    amount, value = (Decimal(draw.randrange(1, 10**8)) / 100 for _ in range(2))
    places = draw.randrange(5)
    step = Decimal(1).scaleb(-places)
    ratio = (amount / value * 100).quantize(step) + draw.choice((-1, 0, 0, 1)) * step
    zeros = "0" * draw.randrange(3) if places else draw.choice(("", ".0", ".00"))
    return {"loan_amount": str(amount), "property_value": str(value), RATIO: f"{ratio}{zeros}"}


def _points(draw: random.Random) -> Values:
    """Return discount points about at their limit, 15 percent of the loan in whole cents."""
    amount = Decimal(draw.randrange(1, 10**8)) / 100
    limit = (amount * 15 / 100).quantize(Decimal("0.01"), ROUND_HALF_UP)
    step = draw.choice(("-0.01", "0", "0.001", "0.01"))
    return {"loan_amount": str(amount), "discount_points": str(limit + Decimal(step))}


def _days(period: Period, draw: random.Random) -> Values:
    """Return days of application and action: the same, two years apart, or a day off that."""
    action = draw.randint(11, 20) + int(f"{period.starts:%Y%m}00")
    applied = action - draw.choice((0, 20_000)) + draw.choice((-1, 0, 1))
    return {
        "application_date": str(applied),
        "action_taken_date": action,
        "action_taken": draw.randint(1, 8),
    }


@cache
def _aim(rule: Rule) -> Aim:
    """Read off a rule which fields it looks at; what follows a field is compared with it."""
    own: dict[str, set[str]] = {}
    found = list(tokens(rule.text))
    name, everything = "", set()
    for place, (kind, text) in enumerate(found):
        if kind == "name" and text in LAR_BY_NAME:
            name = text
            asked = found[place - 2][1] if place > 1 and found[place - 1][1] == "(" else ""
            own.setdefault(name, set()).update(SAID_BY.get(asked, ()))
        elif text == "exemption_taken":
            own |= {name: {"Exempt", "1111"} for name in rule.fields}
        elif kind in ("number", "text"):
            said = {text.strip('"')} if kind == "text" else _around_number(found, place)
            everything |= said
            own.get(name, set()).update(said)
    return Aim(
        rule,
        {name: _readable(LAR_BY_NAME[name], said) for name, said in own.items()},
        {name: _readable(LAR_BY_NAME[name], everything) for name in own},
    )


def _around_number(found: list[tuple[str, str]], place: int) -> set[str]:
    """Return a number of a rule, and those next to it where more or less is asked for."""
    number = Decimal(found[place][1])
    is_code = found[place - 1][1] in ("==", "!=", "{", ",")
    steps = ("0",) if is_code else ("-1", "-0.01", "0", "0.01", "1")
    return {str(number + Decimal(step)) for step in steps}


def _readable(field: Field, said: set[str]) -> tuple[str | int, ...]:
    cased = said | {word.upper() for word in said} | {word.capitalize() for word in said}
    found = sorted(word for word in cased if readable(field, word))
    return tuple(int(word or 0) if field.dtype.is_integer() else word for word in found)
