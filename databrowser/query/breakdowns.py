"""How the rows of a question spread: over the values of each data filter, states and counties.

The counts beside the choices of the page and the shades of its maps. Of each dimension all values
are counted that hold with what is chosen otherwise, so that one sees what another choice would add.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from databrowser.dimensions.catalogue import BY_PARAMETER, COUNTY, FILTERS, LEI, MSAMD, STATE
from databrowser.dimensions.dimension import Dimension
from databrowser.dimensions.statements import Statement, one_of
from databrowser.publication.serving.engine import engine
from databrowser.query import answers
from databrowser.query.questions import Question
from databrowser.query.totals import Live, Total, asked_years, conditions, table_of

Spread = dict[str, Total]  # by value, as it is published
_BROKEN_DOWN = (*FILTERS, STATE)
_NOTHING_KNOWN = 0  # code of a value that no filter knows


@dataclass(frozen=True, slots=True)
class Place:
    """A county in an MSA/MD, or outside of any, and how many rows it has."""

    msamd: str
    county: str
    rows: int


@dataclass(frozen=True, slots=True)
class Institution:
    """An institution, and how many rows it has."""

    lei: str
    name: str
    rows: int = 0


def spreads(question: Question, live: Live) -> dict[str, Spread]:
    """Return, by parameter, how rows spread over each data filter and the states.

    Raises: Busy, TooSlow.
    """
    answer = answers.of("spreads", question, live, lambda: _spreads(question, live))
    return {
        parameter: {value: Total(*total) for value, total in spread.items()}
        for parameter, spread in answer.content.items()
    }


def _spreads(question: Question, live: Live) -> dict[str, dict[str, tuple[int, float]]]:
    wanted = asked_years(question, live)
    sums: dict[tuple[str, int], list[float]] = defaultdict(lambda: [0, 0.0])
    with engine().reading(wanted, live=live) as names:
        for others, dimensions in _parts(question):
            for statement in (_statement(others, dimensions, name) for name in names.values()):
                for mask, code, count, amount in engine().rows(statement.sql, statement.values):
                    dimension = dimensions[_place(mask, len(dimensions))]
                    total = sums[dimension.parameter, code]
                    total[0] += int(count)
                    total[1] += float(amount)
    found: dict[str, dict[str, tuple[int, float]]] = {each.parameter: {} for each in _BROKEN_DOWN}
    for (parameter, code), (count, amount) in sums.items():
        if code != _NOTHING_KNOWN:
            value = BY_PARAMETER[parameter].values[code - 1]
            found[parameter][value] = (int(count), amount)
    return found


def _parts(question: Question) -> Iterable[tuple[Question, list[Dimension]]]:
    """Yield which dimensions are broken down within which question, one scan each.

    A dimension that something is chosen of has a question of its own: without that choice.
    """
    chosen = {dimension for dimension, _ in question.chosen}
    for in_rollup in (True, False):
        free = [each for each in _BROKEN_DOWN if each not in chosen and each.in_rollup is in_rollup]
        if free:
            yield question, free
    for each in _BROKEN_DOWN:
        if each in chosen:
            yield _without(question, each), [each]


def _without(question: Question, dimension: Dimension) -> Question:
    return replace(
        question,
        places=tuple(each for each in question.places if each[0] is not dimension),
        filters=tuple(each for each in question.filters if each[0] is not dimension),
    )


def _statement(question: Question, dimensions: Sequence[Dimension], name: str) -> Statement:
    """Return the statement for totals by each of some dimensions, in one scan of a data set.

    Those that the rollup has stand apart from the others, which need all rows.
    """
    table = table_of([*dimensions, *(each for each, _ in question.chosen)])
    counted = "sum(rows), sum(amount)" if table == "rollup" else "count(*), sum(loan_amount)"
    columns = ", ".join(each.column for each in dimensions)
    sets = ", ".join(f"({each.column})" for each in dimensions)
    chosen = conditions(question.chosen, name)
    return Statement(
        f"SELECT grouping({columns}), coalesce({columns}), {counted} "
        f"FROM {name}.{table}{chosen.sql} "
        f"GROUP BY GROUPING SETS ({sets})",
        chosen.values,
    )


def _place(mask: int, number: int) -> int:
    """Return which of so many columns a row is grouped by: the one whose bit is not set."""
    return number - (~mask & ((1 << number) - 1)).bit_length()


def by_county(question: Question, live: Live, state: str) -> Spread:
    """Return how the rows of a question in one state spread over its counties.

    Raises: Busy, TooSlow.
    """
    others = _without(question, STATE)
    answer = answers.of(
        f"counties of {state}", question, live, lambda: _by_county(others, live, state)
    )
    return {value: Total(*total) for value, total in answer.content.items()}


def _by_county(question: Question, live: Live, state: str) -> dict[str, tuple[int, float]]:
    question = replace(question, places=((STATE, (state,)), *question.places))
    table = table_of([COUNTY, *(each for each, _ in question.chosen)])
    column = COUNTY.column
    found: dict[str, tuple[int, float]] = {}
    with engine().reading(asked_years(question, live), live=live) as names:
        for name in names.values():
            chosen = conditions(question.chosen, name)
            sql = (
                f"SELECT {column}, count(*), sum(loan_amount) FROM {name}.{table}{chosen.sql} "
                f"GROUP BY {column}"
            )
            for code, count, amount in engine().rows(sql, chosen.values):
                value = f"{code:05d}" if code else "NA"
                before = found.get(value, (0, 0.0))
                found[value] = (before[0] + count, before[1] + float(amount))
    return found


def places(live: Live) -> list[Place]:
    """Return every county with rows in some years, in each MSA/MD that it is in.

    Raises: Busy, TooSlow.
    """
    question = Question(tuple(each.year for each in live))
    answer = answers.of("places", question, live, lambda: _places(live))
    return [Place(*each) for each in answer.content]


def _places(live: Live) -> list[tuple[str, str, int]]:
    columns = f"{MSAMD.column}, {COUNTY.column}"
    with engine().reading(live, live=live) as names:
        if not names:
            return []
        parts = [
            f"SELECT {columns}, sum(rows) AS n FROM {name}.filers GROUP BY {columns}"
            for name in names.values()
        ]
        sql = (
            f"SELECT {columns}, sum(n) FROM ({' UNION ALL '.join(parts)}) "
            f"GROUP BY {columns} ORDER BY 3 DESC, 2, 1"
        )
        return [
            (f"{msamd:05d}", f"{county:05d}", int(rows))
            for msamd, county, rows in engine().rows(sql, ())
        ]


def institutions(
    live: Live, *, words: str = "", leis: Sequence[str] = (), most: int = 10
) -> list[Institution]:
    """Return institutions with rows in some years, those with most rows first.

    words: stand in the name, or begin the LEI. leis: these and no others.
    Raises: Busy, TooSlow.
    """
    if leis:
        condition = one_of("lei", leis)
    else:
        named = "(contains(lower(name), lower(?)) OR starts_with(lei, upper(?)))"
        condition = Statement(named, (words, words))
    with engine().reading(live, live=live) as names:
        if not names:
            return []
        parts = [
            f"SELECT lei, name, n FROM {name}.institutions JOIN (SELECT lei AS id, sum(rows) AS n "
            f"FROM {name}.filers GROUP BY lei) USING (id) WHERE {condition.sql}"
            for name in names.values()
        ]
        sql = (
            f"SELECT {LEI.column}, max(name), sum(n) FROM ({' UNION ALL '.join(parts)}) "
            f"GROUP BY {LEI.column} ORDER BY 3 DESC, 1 LIMIT {most:d}"
        )
        rows = engine().rows(sql, condition.values * len(parts))
    return [Institution(lei, name, int(count)) for lei, name, count in rows]
