"""Rate spreads by the file: as the service answers it, and as a plain loop does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.tool import Tool, texts

if TYPE_CHECKING:  # models, which can be imported only where Django is set up
    from ratespread.apor import AporTables, WeekOfRates

LOAD_DEMO = "from ratespread.demo import loading; loading.load_demo_rates(by='bench')"
_FIRST = date(2017, 1, 2)
_DAYS = 2400
_THOUSANDTH = Decimal("0.001")
_KINDS = {"FixedRate": "fixed", "VariableRate": "variable"}


def _line(number: int) -> str:
    """Return loans of all terms, weeks and answers; one in fifty has a term that is wrong."""
    mixed = number * 7_919 % 1_000_003
    term = 51 if number % 50 == 7 else 1 + mixed % 50
    word = "VariableRate" if mixed % 3 == 0 else "FixedRate"
    day = _FIRST + timedelta(days=mixed % _DAYS)
    action, reverse = 1 + number % 8 if number % 4 == 0 else 1, 1 if mixed % 11 == 0 else 2
    return f"{action},{term},{word},{2 + mixed % 80_000 / 10_000:.4f},{day},{reverse}"


@cache
def _weeks() -> list[WeekOfRates]:
    from ratespread import loading
    from ratespread.apor import WeekOfRates
    from ratespread.demo import loading as demo_rates
    from ratespread.models import AporKind

    return [
        WeekOfRates(kind, monday, rates, 1)
        for kind in AporKind
        for monday, rates in loading.read_apor_table(
            demo_rates.write_demo_table(kind).encode(), kind=kind, source="demo"
        ).weeks.items()
    ]


@cache
def _apor() -> AporTables:
    from ratespread.apor import AporTables

    return AporTables(_weeks())


@cache
def _tables() -> dict[tuple[str, date], list[Decimal]]:
    return {(str(week.kind), week.monday): list(map(Decimal, week.rates)) for week in _weeks()}


def _prepare() -> None:
    _apor()
    _tables()


def _engine(path: Path) -> Iterator[bytes]:
    from filing.files import line_files
    from ratespread import calculator

    return calculator.answer_file(line_files.read_lines(path), _apor())


def _plain(path: Path) -> Iterator[bytes]:
    tables = _tables()
    for line in texts(path):
        yield f"{line},{_answer(line.split(','), tables)}\n".encode()


def _answer(cells: list[str], tables: Any) -> str:
    action, term, word, apr, lock_in, reverse = cells
    if not 1 <= int(term) <= 50:
        return "error: loan term must be 1 to 50"
    if int(action) not in (1, 2, 8) or int(reverse) != 2:
        return "NA"
    day = date.fromisoformat(lock_in)
    rates = tables[_KINDS[word], day - timedelta(days=day.weekday())]
    spread = (Decimal(apr) - rates[int(term) - 1]).quantize(_THOUSANDTH, rounding=ROUND_HALF_UP)
    return str(spread + 0)


TOOLS = (
    Tool(
        name="rate spread",
        path="/public/rateSpread/csv",
        line=_line,
        engine=_engine,
        plain=_plain,
        prepare=_prepare,
    ),
)
